#include <algorithm>
#include <map>
#include <optional>

#include "base/coding.h"
#include "chain/export_writer.h"
#include "chain/state_rows.h"
#include "coordination/row_digest.h"
#include "talea/chain_transfer.h"

namespace talea {
namespace chain {
namespace {

// One reading of the state, in which it is written, hashed and counted.
class Export {
 public:
  Export(Reader& reader, const RowProgress& progress) : reader_(reader), progress_(progress) {}

  Result<bool> WriteTo(FileWriter& file) {
    if (progress_) total_ = TALEA_TRY(EstimateStateRows(reader_));
    ExportWriter writer = TALEA_TRY(ExportWriter::Begin(file));
    const bool finished =
        TALEA_TRY(WalkState(reader_, [&](const StatePlace& place, const Page& page) {
          return TakePage(place, page, writer);
        }));
    if (!finished) return false;
    TALEA_TRY(CompareCounts(counts_.Rows(), stored_counts_));
    if (cursor_) TALEA_TRY(writer.Add(StatePart::cursor, {kCursorKey, *cursor_}));
    TALEA_TRY(writer.Finish(digest_.Hex()));
    rows_ = writer.rows();
    return true;
  }

  TransferReport Report(bool finished) const {
    return {.finished = finished,
            .rows = rows_,
            .state_hash = finished ? digest_.Hex() : std::string()};
  }

 private:
  Result<bool> TakePage(const StatePlace& place, const Page& page, ExportWriter& writer) {
    for (const Row& row : page) {
      digest_.Add(*place.keyspace, row);
      if (place.part == StatePart::counts) {
        stored_counts_.emplace(row.key, DecodeCounter(row.value).value_or(0));
        continue;
      }
      TALEA_TRY(counts_.Take(place, row));
      if (place.part == StatePart::cursor) {
        cursor_ = row.value;  // for later: it is the last in the file
      } else {
        TALEA_TRY(writer.Add(place.part, row));
      }
    }
    rows_ += page.size();
    return !progress_ || progress_(rows_, std::max(rows_, total_));
  }

  Reader& reader_;
  const RowProgress& progress_;
  std::uint64_t total_ = 0;
  std::uint64_t rows_ = 0;
  RowDigest digest_;
  StateCounts counts_;
  std::map<std::string, std::int64_t> stored_counts_;
  std::optional<std::string> cursor_;
};

}  // namespace
}  // namespace chain

Result<TransferReport> ExportChain(const ChainView& view, const std::filesystem::path& file,
                                   const RowProgress& progress) {
  chain::Export exported(view.reader(), progress);
  const bool finished = TALEA_TRY(
      CreateFileWhole(file, [&](FileWriter& writer) { return exported.WriteTo(writer); }));
  return exported.Report(finished);
}

}  // namespace talea
