#include "chain/export_writer.h"

#include <fmt/format.h>

namespace talea::chain {
namespace {

// More than the two lengths in front of key and value take.
constexpr std::size_t kLengthBytes = 20;

}  // namespace

Result<ExportWriter> ExportWriter::Begin(FileWriter& file) {
  const std::string header = EncodeExportHeader();
  TALEA_TRY(file.Append(header));
  return ExportWriter(file, StoredChecksum(header));
}

Status ExportWriter::Add(StatePart part, const Row& row) {
  if (row.key.size() + row.value.size() > kLargestRowBytes - kLengthBytes) {
    return Fail(ErrorCode::too_large,
                fmt::format("export of {}, key {}: expected a row of at most {} bytes, found {}",
                            PlaceOf(part).name, Quoted(row.key), kLargestRowBytes - kLengthBytes,
                            row.key.size() + row.value.size()));
  }
  if (frame_.part() != part || !frame_.HasRoomFor(row)) TALEA_TRY(EndFrame());
  if (frame_.part() != part) frame_.Begin(part);
  frame_.Append(row);
  ++rows_;
  return {};
}

Status ExportWriter::EndFrame() {
  if (frame_.empty()) return {};
  TALEA_TRY(file_->Append(frame_.Finish(checksum_)));
  frame_.Begin(frame_.part());
  return {};
}

Status ExportWriter::Finish(const std::string& state_hash) {
  TALEA_TRY(EndFrame());
  return file_->Append(
      Encode(ExportFooter{.rows = rows_, .last_checksum = checksum_, .state_hash = state_hash}));
}

}  // namespace talea::chain
