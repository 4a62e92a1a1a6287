// The workload that lsm-tree, the store for Cardano's ledger, is measured by: "Storing the Cardano
// ledger state on disk: final report for a high-performance backend", Performance requirements.
//
// Outputs with keys that are spread evenly and values of 60 bytes. Each batch looks up 256 that are
// there, and then deletes them and inserts 256 new ones. What is to be done is made up beforehand.
// Ours is a block that consumes and produces, so its lookups are those of the store; keys have 36
// bytes rather than 34.
#include <fmt/format.h>
#include <malloc.h>

#include <iostream>
#include <string>
#include <vector>

#include "bench/chain_cases.h"
#include "bench/chain_databases.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

constexpr std::size_t kUtxoValueBytes = 60;
constexpr std::size_t kUtxoBatch = 256;
constexpr std::uint64_t kSeed = 1337;

// A batch, as each side wants it.
struct UtxoBatch {
  explicit UtxoBatch(UtxoWorkload::Batch numbers)
      : consumed(numbers.consumed, kUtxoValueBytes), produced(numbers.produced, kUtxoValueBytes) {}

  Block ToBlock() const {
    Block block;
    for (std::size_t row = 0; row < produced.size(); ++row) {
      block.produced.push_back(produced.output(row));
      block.consumed.push_back(consumed.reference(row));
    }
    return block;
  }

  OutputRows consumed;
  OutputRows produced;
};

void ApplyRaw(RawLedger& ledger, const UtxoBatch& batch) {
  std::vector<rocksdb::Slice> keys;
  keys.reserve(kUtxoBatch);
  for (std::size_t row = 0; row < kUtxoBatch; ++row) keys.emplace_back(batch.consumed.key(row));
  std::vector<rocksdb::PinnableSlice> values(kUtxoBatch);
  std::vector<rocksdb::Status> statuses(kUtxoBatch);
  ledger.db().MultiGet({}, ledger.outputs(), keys.size(), keys.data(), values.data(),
                       statuses.data());
  for (const rocksdb::Status& status : statuses) Must(status);
  rocksdb::WriteBatch writes;
  for (std::size_t row = 0; row < kUtxoBatch; ++row) {
    Must(writes.Put(ledger.outputs(), batch.produced.key(row), batch.produced.value(row)));
  }
  for (const rocksdb::Slice& key : keys) Must(writes.Delete(ledger.outputs(), key));
  Must(ledger.db().Write({}, &writes));
}

// Runs the workload on a copy of the loaded ledger, and says what it took.
template <class Ledger>
std::string RunWorkload(Round& round, Ledger& ledger, std::uint64_t outputs, std::size_t batches,
                        auto apply) {
  UtxoWorkload workload(outputs, kSeed);
  for (std::size_t number = 0; number < batches; ++number) {
    apply(UtxoBatch(workload.Next(kUtxoBatch)));
  }
  const std::string took =
      fmt::format("{}; process {}B, of which the workload's list is {}B",
                  ledger.Measure().ToString(), ShortNumber(static_cast<double>(ResidentBytes())),
                  ShortNumber(static_cast<double>(outputs * sizeof(std::uint32_t))));
  round.Answer(ledger.Weight());
  return took;
}

}  // namespace

void UtxoWorkloadCase(Bench& bench) {
  if (!bench.WantsAny({"utxo-workload"})) return;
  const std::uint64_t outputs = bench.quick() ? 1'000'000 : 10'000'000;
  const std::size_t batches = bench.quick() ? 1'000 : 4'000;
  const Folder loaded;
  {
    OurLedger ledger(loaded.path());
    GeneratedSource source(outputs, kUtxoValueBytes);
    Must(BulkIngest(ledger.store(), source, *CursorAfter(1), {.scratch = loaded.path()}));
    Must(ledger.engine().Shutdown(std::chrono::minutes(1)));
  }
  std::string ours_took, raw_took;
  bench.Case(
      "utxo-workload",
      {.unit = "outputs/s",
       .better = Better::higher,
       .size = fmt::format(
           "{} outputs of {} + {} bytes, {} batches of {} lookups, inserts, deletes",
           FullNumber(outputs), kKeyBytes, kUtxoValueBytes, FullNumber(batches), kUtxoBatch),
       .bar = 0.8},
      [&](Round& round) {
        const Folder folder;
        LinkFolder(loaded.path(), folder.path());
        ::malloc_trim(0);
        OurLedger ledger(folder.path());
        ledger.SetBlocks(1);
        ours_took = RunWorkload(round, ledger, outputs, batches, [&](const UtxoBatch& batch) {
          Block block = batch.ToBlock();
          round.Time([&] { ledger.Apply(block); }, kUtxoBatch);
        });
      },
      [&](Round& round) {
        const Folder folder;
        LinkFolder(loaded.path(), folder.path());
        ::malloc_trim(0);
        RawLedger ledger(folder.path(), kAllKeyspaces);
        raw_took = RunWorkload(round, ledger, outputs, batches, [&](const UtxoBatch& batch) {
          round.Time([&] { ApplyRaw(ledger, batch); }, kUtxoBatch);
        });
      });
  fmt::print("utxo-workload, ours: {}\nutxo-workload, baseline: {}\n\n", ours_took, raw_took);
}

}  // namespace talea::bench
