// Outputs that come in by blocks, and all at once.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>

#include "bench/chain_cases.h"
#include "bench/chain_databases.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

// What most outputs of Cardano have: an address, and the credentials in it.
class TaggedOutputs {
 public:
  void operator()(std::size_t row, Output& output) {
    output.coin = row + 1;
    const ByteView address = output.cbor.substr(0, 57);
    output.tags = {{TagKind::address, address},
                   {TagKind::payment, address.substr(1, 28)},
                   {TagKind::stake, address.substr(29, 28)}};
  }
};

void ImportCase(Bench& bench, const std::string& name, const OutputRows& rows,
                std::optional<double> bar, const ApplyOptions& options, bool tagged = false) {
  bench.Case(
      name,
      {.unit = "outputs/s",
       .better = Better::higher,
       .size = fmt::format("{} outputs of {} + {} bytes, batches of {}", FullNumber(rows.size()),
                           kKeyBytes, kValueBytes, FullNumber(kBatch)),
       .bar = bar},
      [&](Round& round) {
        const Folder folder;
        OurLedger ledger(folder.path());
        round.Time(
            [&] {
              if (tagged) {
                ledger.ApplyRows(rows, kBatch, options, TaggedOutputs());
              } else {
                ledger.ApplyRows(rows, kBatch, options);
              }
            },
            rows.size());
        round.Answer(ledger.Weight());
      },
      [&](Round& round) {
        const Folder folder;
        RawLedger ledger(folder.path());
        round.Time([&] { ledger.PutRows(rows, kBatch); }, rows.size());
        round.Answer(ledger.Weight());
      });
}

// The baseline writes the same outputs in batches; `batched` has them in that order.
void BulkIngestCase(Bench& bench, const std::string& name, const OutputRows& rows, bool sorted,
                    const OutputRows& batched, std::optional<double> bar) {
  bench.Case(
      name,
      {.unit = "outputs/s",
       .better = Better::higher,
       .size = fmt::format("{} outputs of {} + {} bytes, until compaction settles",
                           FullNumber(rows.size()), kKeyBytes, kValueBytes),
       .bar = bar},
      [&](Round& round) {
        const Folder folder;
        OurLedger ledger(folder.path());
        RowsSource source(rows);
        round.Time(
            [&] {
              const auto ingested = Must(BulkIngest(ledger.store(), source, *CursorAfter(1),
                                                    {.sorted = sorted, .scratch = folder.path()}));
              TALEA_CHECK(ingested == rows.size());
              ledger.AwaitBackgroundWork();
            },
            rows.size());
        round.Answer(ledger.Weight());
      },
      [&](Round& round) {
        const Folder folder;
        RawLedger ledger(folder.path());
        round.Time(
            [&] {
              ledger.PutRows(batched, kBatch);
              ledger.Settle();
            },
            rows.size());
        round.Answer(ledger.Weight());
      });
}

}  // namespace

// Transactions are named by their hashes, so a block's outputs go anywhere among those that are
// there: each batch is in the order of its keys, and the batches are in none.
void ImportCases(Bench& bench) {
  if (bench.WantsAny({"import", "import-checked", "import-tagged"})) {
    const OutputRows rows = OutputRows::SortedInBatches(OutputCount(bench), kValueBytes, kBatch);
    ImportCase(bench, "import", rows, 0.8, {.outputs_are_new = true});
    ImportCase(bench, "import-checked", rows, 0.5, {});
    const OutputRows some =
        OutputRows::SortedInBatches(OutputCount(bench) / 10, kValueBytes, kBatch);
    ImportCase(bench, "import-tagged", some, {}, {.outputs_are_new = true}, true);
  }
  // What no chain does: every batch comes behind all that is there. RocksDB then neither searches
  // its tables in memory nor merges files, and what a ledger does beside stands out most.
  if (bench.WantsAny({"ordered/import", "ordered/import-checked"})) {
    const OutputRows rows = OutputRows::Sorted(OutputCount(bench), kValueBytes);
    ImportCase(bench, "ordered/import", rows, {}, {.outputs_are_new = true});
    ImportCase(bench, "ordered/import-checked", rows, {}, {});
  }
}

void BulkIngestCases(Bench& bench) {
  if (!bench.WantsAny({"bulk-ingest", "bulk-ingest-presorted", "ordered/bulk-ingest-presorted"})) {
    return;
  }
  const OutputRows sorted = OutputRows::Sorted(OutputCount(bench), kValueBytes);
  const OutputRows batched = OutputRows::SortedInBatches(OutputCount(bench), kValueBytes, kBatch);
  const OutputRows unsorted = OutputRows::Unsorted(OutputCount(bench), kValueBytes);
  BulkIngestCase(bench, "bulk-ingest", unsorted, false, batched, 1.8);
  BulkIngestCase(bench, "bulk-ingest-presorted", sorted, true, batched, 3);
  BulkIngestCase(bench, "ordered/bulk-ingest-presorted", sorted, true, sorted, {});
}

}  // namespace talea::bench
