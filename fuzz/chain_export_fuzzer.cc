// Any bytes are either refused, with the place, or an export whose frames are written as the very
// same bytes. The input is tried as it is, and then as the frames of an export, with header, footer
// and checksums made for it, as no mutation finds these. The same bytes are tried as the mark of an
// import.
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>

#include "base/check.h"
#include "chain/export_format.h"
#include "chain/export_reader.h"
#include "chain/import_mark.h"

namespace talea::chain {
namespace {

ExportSource SourceOf(const std::string& bytes) {
  return {.name = "input",
          .bytes = bytes.size(),
          .read = [&bytes](std::uint64_t offset, std::size_t count) -> Result<std::string> {
            TALEA_CHECK(offset <= bytes.size() && count <= bytes.size() - offset);
            return bytes.substr(offset, count);
          }};
}

// The frame as a writer makes it.
std::string Rewrite(const ExportFrame& frame, std::uint64_t previous) {
  FrameBuilder builder(frame.head.part);
  for (ByteView rows = frame.rows(); !rows.empty();) builder.Append(TakeRow(rows));
  return std::string(builder.Finish(previous));
}

Status ReadAll(const std::string& bytes) {
  ExportReader reader = TALEA_TRY(ExportReader::Open(SourceOf(bytes)));
  StateCounts counts;
  std::string written = EncodeExportHeader();
  for (;;) {
    const std::uint64_t previous = reader.position().checksum;
    const std::optional<ExportFrame> frame = TALEA_TRY(reader.Next(counts));
    if (!frame) break;
    written += Rewrite(*frame, previous);
  }
  TALEA_CHECK(written + Encode(reader.footer()) == bytes);
  return {};
}

void Check(const std::string& bytes) {
  const Status read = ReadAll(bytes);
  if (read) return;
  const ErrorCode code = read.error().code();
  TALEA_CHECK(code == ErrorCode::corruption || code == ErrorCode::unsupported);
  TALEA_CHECK(read.error().message().starts_with("export \"input\", byte "));
}

void CheckMark(ByteView bytes) {
  const Result<ImportMark> mark = DecodeImportMark(bytes);
  TALEA_CHECK(!mark || Encode(*mark) == bytes);
}

// Takes a frame off the front of the input, if its head can be read, and gives it a checksum.
std::string TakeFrame(ByteView& input, std::uint64_t& checksum, std::uint64_t& rows) {
  if (input.size() < kFrameHeadBytes) return std::string(std::exchange(input, {}));
  const Result<FrameHead> head = DecodeFrameHead(input.substr(0, kFrameHeadBytes));
  if (!head || kFrameHeadBytes + head->row_bytes > input.size())
    return std::string(std::exchange(input, {}));
  std::string frame(input.substr(0, kFrameHeadBytes + head->row_bytes));
  input.remove_prefix(frame.size());
  frame.append(kChecksumBytes, '\0');
  checksum = FrameChecksum(frame, checksum);
  std::memcpy(frame.data() + frame.size() - kChecksumBytes, &checksum, kChecksumBytes);
  rows += head->rows;
  return frame;
}

std::string WithChecksums(ByteView input) {
  std::string bytes = EncodeExportHeader();
  ExportFooter footer{.last_checksum = StoredChecksum(bytes), .state_hash = std::string(32, '0')};
  while (!input.empty()) bytes += TakeFrame(input, footer.last_checksum, footer.rows);
  return bytes + Encode(footer);
}

}  // namespace
}  // namespace talea::chain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  talea::chain::Check(bytes);
  talea::chain::CheckMark(bytes);
  talea::chain::Check(talea::chain::WithChecksums(bytes));
  return 0;
}
