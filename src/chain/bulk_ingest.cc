#include <fmt/format.h>

#include <algorithm>

#include "chain/codec.h"
#include "chain/import_guard.h"
#include "chain/import_mark.h"
#include "chain/keys.h"
#include "chain/ledger_runs.h"
#include "chain/output_rows.h"
#include "chain/standing.h"
#include "coordination/attempts.h"
#include "talea/chain_transfer.h"

namespace talea {
namespace chain {
namespace {

constexpr std::size_t kMostCommitBytes = 2 << 20;  // where the engine has no files

// The mark that is in the ledger, whoever has set it.
Result<std::optional<ImportMark>> FindMark(Engine& engine) {
  PagedReader stored(engine);
  return TryUntilDecided([&] { return ReadImportMark(stored); });
}

// What an ingest that was not finished has left is of no use to another: it may be of other
// outputs.
Status DropLeftovers(Engine& engine) {
  const std::optional<ImportMark> mark = TALEA_TRY(FindMark(engine));
  if (mark && mark->kind == ImportMark::Kind::ingest) TALEA_TRY(AbandonAnyImport(engine));
  return {};
}

// The commits of an ingest into an engine without files. Each expects the mark to be there: one
// whose outcome is unknown can be made again, and cannot come later than the last of all, which
// erases the mark.
class IngestCommits {
 public:
  IngestCommits(Engine& engine, const ImportMark& mark)
      : engine_(engine),
        mark_(mark),
        bound_(std::min(kMostCommitBytes, engine.limits().transaction_bytes / 4)) {}

  Status Put(const Keyspace& keyspace, const Row& row) {
    const std::size_t bytes = engine_.limits().write.Of(row.key.size(), row.value.size());
    if (bytes_ + bytes > bound_) TALEA_TRY(Flush());
    bytes_ += bytes;
    batch_.Put(keyspace, row.key, row.value);
    return {};
  }

  Status Flush() {
    bytes_ = 0;
    if (!batch_.empty()) TALEA_TRY(TryUntilDecided([&] { return Commit(); }));
    batch_.Clear();
    return {};
  }

 private:
  Status Commit() {
    PagedReader stored(engine_);
    const std::optional<ImportMark> found = TALEA_TRY(ReadImportMark(stored));
    if (found != mark_) {
      return Fail(ErrorCode::precondition_failed,
                  "bulk ingest: expected its mark in the ledger, found another or none: somebody "
                  "has abandoned it");
    }
    CommitRequest request{.batch = batch_};
    request.expected.push_back({&kChainKeyspace, ImportMarkKey(), Encode(mark_)});
    TALEA_TRY(engine_.Commit(std::move(request)));
    return {};
  }

  Engine& engine_;
  const ImportMark& mark_;
  const std::size_t bound_;
  WriteBatch batch_;
  std::size_t bytes_ = 0;
};

Status CommitAll(Engine& engine, const ImportMark& mark, LedgerRuns& ledger,
                 const WriteBatch& last) {
  IngestCommits commits(engine, mark);
  for (const IngestRequest::Run& run : ledger.runs()) {
    while (const std::optional<Row> row = TALEA_TRY(run.rows->Next())) {
      TALEA_TRY(commits.Put(*run.keyspace, *row));
    }
  }
  TALEA_TRY(commits.Flush());
  return FinishImport(engine, mark, last);
}

// Where the outcome is unknown the mark tells: it goes with the commit.
Status WhetherIngested(Engine& engine, const ImportMark& mark, const Error& unknown) {
  const Result<std::optional<ImportMark>> found = FindMark(engine);
  if (found && *found != mark) return {};
  return std::unexpected(unknown);  // also where the engine does not outlive that
}

Status WriteAll(Engine& engine, const ImportMark& mark, OutputRows& outputs, LedgerRuns& ledger,
                const ChainPoint& cursor) {
  TALEA_TRY(outputs.Begin());  // rather than while the engine waits for the first row
  WriteBatch last;
  AppendFirstStep(last, cursor);
  WriteBatch with_mark = last;
  with_mark.Erase(kChainKeyspace, ImportMarkKey());
  const Result<Version> ingested =
      engine.Ingest({.runs = ledger.runs(), .batch = std::move(with_mark)});
  if (ingested) return {};
  switch (ingested.error().code()) {
    case ErrorCode::unsupported:  // no row was read
      return CommitAll(engine, mark, ledger, last);
    case ErrorCode::outcome_unknown:
      return WhetherIngested(engine, mark, ingested.error());
    default:
      return std::unexpected(ingested.error());
  }
}

// Empties the ledger again, unless somebody else has done so, or has begun anew. Where that is not
// possible, the next ingest does it.
void TakeBack(Engine& engine, const ImportMark& mark) {
  const auto found = FindMark(engine);
  if (found && *found == mark) static_cast<void>(AbandonAnyImport(engine));
}

Result<std::optional<std::uint64_t>> Ingest(Engine& engine, OutputRows& outputs,
                                            const ChainPoint& cursor, std::size_t memory_bytes,
                                            const std::filesystem::path& scratch,
                                            const Ticker& ticker) {
  LedgerRuns ledger(outputs, memory_bytes, scratch);
  TALEA_TRY(DropLeftovers(engine));
  const ImportMark mark = TALEA_TRY(BeginImport(engine, {.kind = ImportMark::Kind::ingest}));
  const Status written = WriteAll(engine, mark, outputs, ledger, cursor);
  if (written) return ledger.outputs();
  TakeBack(engine, mark);
  if (ticker.stopped()) return std::nullopt;
  return std::unexpected(written.error());
}

}  // namespace
}  // namespace chain

Result<std::optional<std::uint64_t>> BulkIngest(ChainStore& store, OutputSource& outputs,
                                                const ChainPoint& cursor,
                                                const BulkIngestOptions& options) {
  using namespace chain;
  const ImportGuard guard = TALEA_TRY(ImportGuard::Take());
  Ticker ticker(options.progress);
  GivenOutputs given(outputs, ticker);
  const std::size_t memory = options.memory_bytes;
  if (options.sorted) {
    return Ingest(store.engine(), given, cursor, memory, options.scratch, ticker);
  }
  SortedOutputs sorted(given, ticker, {memory - memory / 4, options.scratch});
  return Ingest(store.engine(), sorted, cursor, memory / 4, options.scratch, ticker);
}

}  // namespace talea
