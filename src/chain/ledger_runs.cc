#include "chain/ledger_runs.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/keys.h"

namespace talea::chain {
namespace {

Result<std::string> NameOf(ByteView key) {
  const OutputReference reference = TALEA_TRY(ReferenceOfKey(key));
  return reference.ToString();
}

}  // namespace

LedgerRuns::LedgerRuns(OutputRows& outputs, std::size_t memory_bytes,
                       const std::filesystem::path& scratch)
    : rows_(outputs), notes_({memory_bytes / 2, scratch}), tags_({memory_bytes / 2, scratch}) {}

std::vector<IngestRequest::Run> LedgerRuns::runs() {
  return {{&kStateUtxosKeyspace, &values_},
          {&kChainNotesKeyspace, &notes_},
          {&kChainTagsKeyspace, &tags_},
          {&kChainCountsKeyspace, &counts_}};
}

Result<std::optional<Row>> LedgerRuns::NextValue() {
  const std::optional<OutputRow> output = TALEA_TRY(rows_.Next());
  if (!output) return std::nullopt;
  if (output->key <= last_key_) TALEA_TRY(CheckOrder(output->key));
  last_key_.assign(output->key);
  ++count_;
  if (!output->notes.empty()) TALEA_TRY(AddNotes(*output));
  return Row{output->key, output->value};
}

// Of two keys of which the later is not greater.
Status LedgerRuns::CheckOrder(ByteView key) const {
  const std::string name = TALEA_TRY(NameOf(key));
  if (key == last_key_) {
    return Fail(ErrorCode::already_exists,
                fmt::format("bulk ingest: expected each output once, found {} twice", name));
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("bulk ingest: expected outputs in ascending order, found {} after {}",
                          name, TALEA_TRY(NameOf(last_key_))));
}

Status LedgerRuns::AddNotes(const OutputRow& output) {
  const OutputNotes notes = TALEA_TRY(DecodeNotes(output.notes));
  const OutputReference reference = TALEA_TRY(ReferenceOfKey(output.key));
  coin_ += notes.coin;
  TALEA_TRY(notes_.Add(output.key, output.notes));
  const std::string coin = EncodeCoin(notes.coin);
  for (const OutputNotes::StoredTag& tag : notes.tags) {
    TALEA_TRY(tags_.Add(TagKey({tag.kind, tag.bytes}, reference), coin));
  }
  return {};
}

Result<std::optional<Row>> LedgerRuns::Counts::Next() {
  const std::pair<ChainCount, std::uint64_t> counts[] = {{ChainCount::outputs, owner_.count_},
                                                         {ChainCount::coin, owner_.coin_}};
  while (next_ < std::size(counts)) {
    const auto& [count, number] = counts[next_++];
    if (number == 0) continue;  // is absent
    key_ = CountKey(count);
    value_ = EncodeCounter(static_cast<std::int64_t>(number));
    return Row{key_, value_};
  }
  return std::nullopt;
}

}  // namespace talea::chain
