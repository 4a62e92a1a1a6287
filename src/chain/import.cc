#include "chain/import.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <vector>

#include "chain/codec.h"
#include "chain/import_guard.h"
#include "chain/import_mark.h"
#include "chain/import_segment.h"
#include "chain/standing.h"
#include "chain/state_hash.h"
#include "coordination/attempts.h"
#include "coordination/steady_reader.h"

namespace talea {
namespace chain {
namespace {

class Importer {
 public:
  Importer(Engine& engine, ExportReader& reader, const RowProgress& progress,
           const ImportSizes& sizes)
      : engine_(engine),
        reader_(reader),
        progress_(progress),
        sizes_(sizes),
        ingests_(!engine.limits().shared) {}

  Result<TransferReport> Run() {
    mark_ = TALEA_TRY(
        BeginImport(engine_, {.source = reader_.identity(), .position = reader_.position()}));
    TransferReport report{.resumed = mark_.position.rows};
    const bool written = TALEA_TRY(WriteRows());
    report.rows = mark_.position.rows;
    if (!written) return report;
    const std::optional<std::string> hash = TALEA_TRY(CheckHash());
    if (!hash) return report;
    TALEA_TRY(FinishImport(engine_, mark_, TALEA_TRY(LastWrites())));
    report.finished = true;
    report.state_hash = *hash;
    return report;
  }

 private:
  // Half of the work is writing the rows, and half is reading them again.
  bool GoesOn(std::uint64_t done) const {
    const std::uint64_t total = 2 * reader_.footer().rows;
    return !progress_ || progress_(std::min(done, total), total);
  }

  // Whether all of them are in; false if it was told to stop.
  Result<bool> WriteRows() {
    while (GoesOn(mark_.position.rows)) {
      const bool more = TALEA_TRY(TryUntilDecided([&] { return WriteSegment(); }));
      if (!more) return true;
    }
    return false;
  }

  // Writes what comes after the mark, and moves the mark, in one commit; false at the end. What an
  // earlier attempt has become of is seen by the mark.
  Result<bool> WriteSegment() {
    PagedReader stored(engine_);
    const std::optional<ImportMark> mark = TALEA_TRY(ReadImportMark(stored));
    if (!mark || mark->run != mark_.run) {
      return Fail(ErrorCode::precondition_failed,
                  "import: expected its mark in the ledger, found another or none: somebody else "
                  "has finished or abandoned it");
    }
    mark_ = *mark;
    reader_.Seek(mark_.position);
    ImportSegment segment = TALEA_TRY(ImportSegment::Read(reader_, Room()));
    if (segment.empty()) return false;
    ImportMark next = mark_;
    next.position = reader_.position();
    TALEA_TRY(Write(segment, next));
    mark_ = next;
    return true;
  }

  ImportSegment::Room Room() const {
    if (ingests_) return {.bytes = sizes_.ingest_bytes};
    const Limits& limits = engine_.limits();
    return {.bytes = std::min(sizes_.commit_bytes, limits.transaction_bytes / 4),
            .cost = limits.write};
  }

  Status Write(const ImportSegment& segment, const ImportMark& next) {
    if (!ingests_) return Discard(engine_.Commit(segment.AsCommit(mark_, next)));
    const Result<Version> ingested = segment.IngestInto(engine_, next);
    if (ingested) return {};
    if (ingested.error().code() != ErrorCode::unsupported) return std::unexpected(ingested.error());
    ingests_ = false;
    return Fail(ErrorCode::conflict, "import: to be tried again without ingest");
  }

  static Status Discard(const Result<Version>& version) {
    if (!version) return std::unexpected(version.error());
    return {};
  }

  // Reads all of it back; nothing if it was told to stop. A mismatch leaves the mark.
  Result<std::optional<std::string>> CheckHash() {
    const auto stored = TALEA_TRY(SteadyReader::Open(engine_));
    const auto progress = [this](std::uint64_t done, std::uint64_t) {
      return GoesOn(mark_.position.rows + done);
    };
    const std::optional<std::string> hash = TALEA_TRY(HashState(*stored, progress));
    const std::string& expected = reader_.footer().state_hash;
    if (!hash || *hash == expected) return hash;
    return Fail(ErrorCode::corruption,
                fmt::format("import of {}: expected the state hash {}, as the file says; found {}",
                            Quoted(reader_.name()), expected, *hash));
  }

  // The import is the ledger's first step, unless it has brought nothing.
  Result<WriteBatch> LastWrites() {
    WriteBatch batch;
    if (mark_.position.rows == 0) return batch;
    PagedReader stored(engine_);
    const auto row =
        TALEA_TRY(TryUntilDecided([&] { return stored.Get(kStateCursorKeyspace, kCursorKey); }));
    AppendFirstStep(batch, row ? Cursor(TALEA_TRY(DecodePoint(*row))) : Cursor());
    return batch;
  }

  Engine& engine_;
  ExportReader& reader_;
  const RowProgress& progress_;
  const ImportSizes sizes_;
  // An ingest does not look whether the mark is still there, so it is for engines that nobody else
  // has open.
  bool ingests_;
  ImportMark mark_;
};

}  // namespace

Result<TransferReport> Import(Engine& engine, ExportReader reader, const RowProgress& progress,
                              const ImportSizes& sizes) {
  const ImportGuard guard = TALEA_TRY(ImportGuard::Take());
  return Importer(engine, reader, progress, sizes).Run();
}

}  // namespace chain

Result<TransferReport> ImportChain(ChainStore& store, const std::filesystem::path& file,
                                   const RowProgress& progress) {
  chain::ExportReader reader =
      TALEA_TRY(chain::ExportReader::Open(TALEA_TRY(chain::OpenExportFile(file))));
  return chain::Import(store.engine(), std::move(reader), progress);
}

Result<bool> AbandonImport(ChainStore& store) {
  const chain::ImportGuard guard = TALEA_TRY(chain::ImportGuard::Take());
  return chain::AbandonAnyImport(store.engine());
}

}  // namespace talea
