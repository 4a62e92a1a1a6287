#include "tests/crash/ledger_workload.h"

#include <fmt/format.h>

#include <deque>

#include "talea/testing/random.h"
#include "talea/verify.h"

namespace talea::crash {
namespace {

constexpr std::string_view kIndex = "outputs-by-coin";
constexpr std::uint32_t kOutputs = 6;
constexpr std::uint32_t kSpentAtOnce = 5;  // the index of the one that its own block spends

Bytes32 HashOf(std::uint64_t kind, std::uint64_t number) {
  Random random(kind << 32 | number);
  Bytes32 hash;
  for (std::uint8_t& byte : hash.bytes) byte = static_cast<std::uint8_t>(random.Next());
  return hash;
}

Cursor PointOf(std::uint64_t number) {
  if (number == 0) return std::nullopt;
  return ChainPoint::Of(number * 20, HashOf(1, number));
}

OutputReference OutputOf(std::uint64_t number, std::uint32_t index) {
  return {HashOf(2, number), index};
}

std::uint64_t CoinOf(std::uint64_t number, std::uint32_t index) { return number * 10 + index; }

// A block, with the bytes that it refers to.
class BlockOf {
 public:
  explicit BlockOf(std::uint64_t number) {
    block_.parent = PointOf(number - 1);
    block_.point = *PointOf(number);
    for (std::uint32_t index = 0; index < kOutputs; ++index) Produce(number, index);
    Consume(number);
    Write(number);
  }
  const Block& block() const { return block_; }

 private:
  ByteView Keep(std::string text) { return texts_.emplace_back(std::move(text)); }

  void Produce(std::uint64_t number, std::uint32_t index) {
    const std::size_t padding = (number * 7 + index * 13) % 300;
    Output output{.reference = OutputOf(number, index),
                  .era = static_cast<std::uint16_t>(1 + number / 50),
                  .cbor = Keep(fmt::format("{} {} {:{}}", number, index, "", padding)),
                  .coin = CoinOf(number, index)};
    if (index != 0) output.tags.push_back({TagKind::address, Keep(fmt::format("{}", number % 7))});
    if (index == 2) output.tags.push_back({TagKind::stake, Keep(fmt::format("{}", number % 3))});
    if (index == 3) output.tags.push_back({TagKind::asset, number % 2 == 0 ? "A" : "AB"});
    block_.produced.push_back(std::move(output));
  }

  void Consume(std::uint64_t number) {
    block_.consumed.push_back(OutputOf(number, kSpentAtOnce));
    if (number > 1) block_.consumed.push_back(OutputOf(number - 1, 0));
    if (number > 3) block_.consumed.push_back(OutputOf(number - 3, 1));
    if (number > 10) block_.consumed.push_back(OutputOf(number - 10, 2));
  }

  void Write(std::uint64_t number) {
    block_.entities.push_back({"pools", HashOf(3, number % 17), Keep(fmt::format("{}", number))});
    if (number % 17 != number * 3 % 17) {
      block_.entities.push_back({"pools", HashOf(3, number * 3 % 17), std::nullopt});
    }
    block_.entities.push_back({Keep(fmt::format("epoch-{}", number / 20)), HashOf(4, number), ""});
    block_.values.push_back(
        {"owners", HashOf(5, number % 5), Keep(fmt::format("{}", number % 13))});
    block_.values.push_back(
        {"owners", HashOf(5, number % 5), Keep(fmt::format("{}", (number + 3) % 13)), true});
    const std::int64_t delta = number % 3 == 0 ? -2 : 1;  // whose sums are 0 now and then
    block_.counters.push_back({"datums", HashOf(6, number % 2), delta});
  }

  Block block_;
  std::deque<std::string> texts_;
};

IndexEntry EntryOf(std::uint64_t number, std::uint32_t index) {
  return {.value = {static_cast<std::int64_t>(CoinOf(number, index))},
          .document = Text(OutputOf(number, index).ToString())};
}

Status UpdateIndex(Transaction& transaction, IndexStore& indexes, std::uint64_t number) {
  std::vector<IndexEntry> added;
  for (std::uint32_t index = 0; index < kSpentAtOnce; ++index) {
    added.push_back(EntryOf(number, index));
  }
  TALEA_TRY(indexes.Add(transaction, kIndex, added));
  std::vector<IndexEntry> removed;
  if (number > 1) removed.push_back(EntryOf(number - 1, 0));
  if (number > 3) removed.push_back(EntryOf(number - 3, 1));
  if (number > 10) removed.push_back(EntryOf(number - 10, 2));
  TALEA_TRY(indexes.Remove(transaction, kIndex, removed));
  return {};
}

std::string FirstProblem(const VerifyReport& report) {
  for (const KeyspaceReport& part : report.keyspaces) {
    if (!part.problems.empty()) return part.problems.front();
  }
  return {};
}

}  // namespace

LedgerWorkload::LedgerWorkload(std::unique_ptr<Database> database)
    : database_(std::move(database)),
      chain_(database_->engine(), {.undo_window = kUndoWindow}),
      indexes_(database_->engine()) {}

Result<std::unique_ptr<LedgerWorkload>> LedgerWorkload::Open(const std::string& location) {
  auto database = TALEA_TRY(Database::Open(location));
  std::unique_ptr<LedgerWorkload> workload(new LedgerWorkload(std::move(database)));
  // A small cap has buckets divided while there are still few entries.
  const Status created = workload->indexes_.Create(kIndex, {.peek_cap = 16});
  if (!created && created.error().code() != ErrorCode::already_exists) {
    return std::unexpected(created.error());
  }
  return workload;
}

Result<std::uint64_t> LedgerWorkload::Newest() const {
  const ChainView view = TALEA_TRY(chain_.Open());
  return view.cursor() ? view.cursor()->slot / 20 : 0;
}

Status LedgerWorkload::ApplyAfter(std::uint64_t number) {
  const BlockOf made(number + 1);
  return database_->Transact([&](Transaction& transaction) -> Status {
    const Applied applied = TALEA_TRY(chain_.Apply(transaction, made.block()));
    if (applied.already) return Fail(ErrorCode::already_exists, "a block that was in already");
    return UpdateIndex(transaction, indexes_, number + 1);
  });
}

Status LedgerWorkload::RollBackTo(std::uint64_t number) {
  TALEA_TRY(chain_.RollBack(PointOf(number)));
  return {};
}

Result<std::string> LedgerWorkload::StateHash() const {
  const ChainView view = TALEA_TRY(chain_.Open());
  return TALEA_TRY(view.StateHash())
  .value();
}

Result<std::string> LedgerWorkload::FindProblem() {
  const VerifyReport report = TALEA_TRY(VerifyDatabase(database_->engine()));
  if (!report.well()) return FirstProblem(report);
  const auto snapshot = TALEA_TRY(database_->OpenSnapshot());
  const ChainView view = TALEA_TRY(ChainView::Over(*snapshot));
  const std::uint64_t outputs = TALEA_TRY(view.CountOutputs());
  const std::uint64_t entries = TALEA_TRY(indexes_.Describe(*snapshot, kIndex))
  .entries;
  if (entries == outputs) return std::string();
  return fmt::format("expected an entry for each of {} outputs, found {}", outputs, entries);
}

Result<std::vector<std::string>> RecordHashes() {
  const auto workload = TALEA_TRY(LedgerWorkload::Open("memory:"));
  std::vector<std::string> hashes { TALEA_TRY(workload->StateHash()) };
  for (std::uint64_t number = 0; number < kBlocks; ++number) {
    TALEA_TRY(workload->ApplyAfter(number));
    hashes.push_back(TALEA_TRY(workload->StateHash()));
  }
  return hashes;
}

}  // namespace talea::crash
