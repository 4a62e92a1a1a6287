#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "chain/codec.h"
#include "chain/verify_ledger.h"
#include "chain/verify_rows.h"
#include "coordination/damaged.h"

namespace talea::chain {
namespace {

// Rows are kept until there are enough of them to look for what they belong to.
class NoteRows final : public RowCheck {
 public:
  explicit NoteRows(const CheckedDatabase& database)
      : database_(database), judged_(BelongTogether(database)) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kChainNotesKeyspace, row.key, Take(row), problems);
    if (keys_ >= kKeysAtOnce) CheckWaiting(problems);
  }

  void Finish(Problems& problems) override {
    CheckWaiting(problems);
    if (!judged_ || !any_ || !readable_) return;
    const std::optional<std::int64_t> sum = StoredCount(database_, CountKey(ChainCount::coin));
    if (!sum || static_cast<std::uint64_t>(*sum) == coin_) return;
    problems.Note(fmt::format("{}ledger: expected a sum of {} coin, as the outputs have, found {}",
                              database_.name, coin_, *sum));
  }

 private:
  struct Waiting {
    OutputReference reference;
    OutputNotes notes;
  };

  Status Take(const Row& row);
  void CheckWaiting(Problems& problems);
  std::vector<AskedKey> KeysOfWaiting() const;
  static Status CheckTag(const OutputNotes::StoredTag& tag, std::uint64_t coin,
                         const std::optional<std::string>& found);

  const CheckedDatabase database_;
  const bool judged_;
  bool any_ = false;
  bool readable_ = true;    // all of them so far
  std::uint64_t coin_ = 0;  // wraps as counters do
  std::vector<Waiting> waiting_;
  std::size_t keys_ = 0;  // that those who wait ask for
};

Status NoteRows::Take(const Row& row) {
  any_ = true;
  const Result<OutputReference> reference = ReferenceOfKey(row.key, kChainNotesKeyspace);
  Result<OutputNotes> notes = DecodeNotes(row.value);
  readable_ = readable_ && reference && notes;
  if (!reference) return std::unexpected(reference.error());
  if (!notes) return std::unexpected(notes.error());
  coin_ += notes->coin;
  if (!judged_) return {};
  keys_ += 1 + notes->tags.size();
  waiting_.push_back({*reference, std::move(*notes)});
  return {};
}

// Of each: the output, and then its tags.
std::vector<AskedKey> NoteRows::KeysOfWaiting() const {
  std::vector<AskedKey> keys;
  keys.reserve(keys_);
  for (const auto& [reference, notes] : waiting_) {
    keys.push_back({&kStateUtxosKeyspace, std::string(OutputKey(reference).view())});
    for (const auto& [kind, bytes] : notes.tags) {
      keys.push_back({&kChainTagsKeyspace, TagKey({kind, bytes}, reference)});
    }
  }
  return keys;
}

void NoteRows::CheckWaiting(Problems& problems) {
  if (waiting_.empty()) return;
  const std::optional<FoundValues> found = FindAll(database_, KeysOfWaiting());
  const std::vector<Waiting> rows = std::exchange(waiting_, {});
  keys_ = 0;
  if (!found) return;
  std::size_t next = 0;
  for (const auto& [reference, notes] : rows) {
    const OutputKey key(reference);
    const auto note = [&](const Status& status) {
      database_.Note(kChainNotesKeyspace, key, status, problems);
    };
    if (!(*found)[next++]) note(Damaged("notes", "the output " + reference.ToString(), "none"));
    for (const auto& tag : notes.tags) note(CheckTag(tag, notes.coin, (*found)[next++]));
  }
}

Status NoteRows::CheckTag(const OutputNotes::StoredTag& tag, std::uint64_t coin,
                          const std::optional<std::string>& found) {
  const Result<std::uint64_t> has = found ? DecodeCoin(*found) : Result<std::uint64_t>(coin);
  if (found && (!has || *has == coin)) return {};  // or that row has a problem of its own
  return Damaged("notes",
                 fmt::format("the output under its {} {} with {} coin", Name(tag.kind),
                             Quoted(tag.bytes), coin),
                 found ? fmt::format("{}", *has) : "none");
}

class TagRows final : public RowCheck {
 public:
  explicit TagRows(const CheckedDatabase& database)
      : database_(database), judged_(BelongTogether(database)) {}

  void Check(const Row& row, Problems& problems) override {
    database_.Note(kChainTagsKeyspace, row.key, Take(row), problems);
    if (waiting_.size() >= kKeysAtOnce) CheckWaiting(problems);
  }

  void Finish(Problems& problems) override { CheckWaiting(problems); }

 private:
  Status Take(const Row& row) {
    TALEA_TRY(PartsOfTagKey(row.key));
    TALEA_TRY(DecodeCoin(row.value));
    if (judged_) waiting_.emplace_back(row.key);
    return {};
  }

  void CheckWaiting(Problems& problems);
  static Status CheckNotes(const TagKeyParts& tag, const std::optional<std::string>& found);

  const CheckedDatabase database_;
  const bool judged_;
  std::vector<std::string> waiting_;  // keys
};

void TagRows::CheckWaiting(Problems& problems) {
  if (waiting_.empty()) return;
  const std::vector<std::string> rows = std::exchange(waiting_, {});
  std::vector<AskedKey> keys;
  keys.reserve(rows.size());
  for (const std::string& row : rows) {
    keys.push_back({&kChainNotesKeyspace, row.substr(row.size() - kOutputKeyBytes)});
  }
  const std::optional<FoundValues> found = FindAll(database_, keys);
  for (std::size_t i = 0; found && i < rows.size(); ++i) {
    const TagKeyParts tag = PartsOfTagKey(rows[i]).value();
    database_.Note(kChainTagsKeyspace, rows[i], CheckNotes(tag, (*found)[i]), problems);
  }
}

// That the coin is the same is checked from the side of the notes.
Status TagRows::CheckNotes(const TagKeyParts& tag, const std::optional<std::string>& found) {
  const Result<OutputNotes> notes = found ? DecodeNotes(*found) : Result<OutputNotes>();
  if (!notes) return {};  // which is that row's problem
  const OutputNotes::StoredTag stored{tag.kind, std::string(tag.bytes)};
  if (std::ranges::binary_search(notes->tags, stored)) return {};
  return Damaged("tag", fmt::format("notes of {} that have it", tag.reference.ToString()),
                 found ? "others" : "none");
}

}  // namespace

std::unique_ptr<RowCheck> MakeNoteRowCheck(const CheckedDatabase& database) {
  return std::make_unique<NoteRows>(database);
}

std::unique_ptr<RowCheck> MakeTagRowCheck(const CheckedDatabase& database) {
  return std::make_unique<TagRows>(database);
}

}  // namespace talea::chain
