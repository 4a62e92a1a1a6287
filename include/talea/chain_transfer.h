// Whole ledgers in and out: bulk ingest of outputs, and files that hold all of a ledger.
//
// A process imports, ingests or abandons one at a time: a second call meanwhile is refused with
// precondition_failed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "talea/chain.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea {

// Outputs, one after the other.
class OutputSource {
 public:
  virtual ~OutputSource() = default;
  // The next output, whose views are valid until the next call; nothing at the end.
  virtual Result<std::optional<Output>> Next() = 0;
};

struct BulkIngestOptions {
  // The outputs come in strictly ascending order of their references; otherwise they are sorted
  // first, with files in `scratch` where they do not fit into memory.
  bool sorted = false;
  std::size_t memory_bytes = 256 << 20;
  std::filesystem::path scratch = {};  // the system's folder for such files if empty
  RowProgress progress = {};           // stops it, too
};

// Fills a ledger that holds nothing at all yet, in one commit and faster than blocks do it,
// and sets the cursor. Readers see all of it or nothing. There is no way back before it: it leaves
// no undo. An output that comes twice is already_exists, and nothing is changed. Returns how many
// outputs there were; nothing if `progress` said to stop, and then nothing was changed.
//
// Where the engine has no files (Engine::Ingest is unsupported) it is done in many commits; until
// the last of them the ledger is marked, and every use of it is refused but this one.
Result<std::optional<std::uint64_t>> BulkIngest(ChainStore& store, OutputSource& outputs,
                                                const ChainPoint& cursor,
                                                const BulkIngestOptions& options = {});

struct TransferReport {
  bool finished = false;      // false: `progress` said to stop
  std::uint64_t rows = 0;     // in the file, or in the ledger so far
  std::uint64_t resumed = 0;  // of these were there already
  std::string state_hash;     // if finished; see ChainView::StateHash
  friend bool operator==(const TransferReport&, const TransferReport&) = default;
};

// Writes all of the ledger's state at a view to a file, which must not exist; the same state gives
// the same bytes, on every engine. docs/formats/chain.md describes them: checksummed parts, the
// cursor last. Undo is not in it. What was not finished is removed.
Result<TransferReport> ExportChain(const ChainView& view, const std::filesystem::path& file,
                                   const RowProgress& progress = {});

// Reads such a file into a ledger that is empty, or that holds the beginning of an import of the
// same file: then it goes on from there, whatever has interrupted it. Until it is finished every
// other use of the ledger is refused. Damage is found before it is written, and the error tells
// where in the file it is. Of the work that `progress` is told of, half is writing the rows, and
// half is reading them again.
Result<TransferReport> ImportChain(ChainStore& store, const std::filesystem::path& file,
                                   const RowProgress& progress = {});

// Drops what an import or a bulk ingest that was not finished has left, so that the ledger is empty
// again. Does nothing where there is none. Returns whether there was.
Result<bool> AbandonImport(ChainStore& store);

}  // namespace talea
