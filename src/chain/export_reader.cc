#include "chain/export_reader.h"

#include <fmt/format.h>

#include <memory>

#include "base/check.h"
#include "base/coding.h"
#include "base/file.h"

namespace talea::chain {
namespace {

std::string Located(const ExportSource& source, std::uint64_t offset, std::string_view what) {
  return fmt::format("export {}, byte {}: {}", Quoted(source.name), offset, what);
}

// The same value or error, which then tells where it is.
template <class Value>
Result<Value> At(const ExportSource& source, std::uint64_t offset, Result<Value> result) {
  if (result) return result;
  return Fail(result.error().code(), Located(source, offset, result.error().message()));
}

}  // namespace

Result<ExportSource> OpenExportFile(const std::filesystem::path& file) {
  const auto reader = std::make_shared<FileReader>(TALEA_TRY(FileReader::Open(file)));
  return ExportSource{.name = file.native(),
                      .bytes = reader->size(),
                      .read = [reader](std::uint64_t offset, std::size_t count) {
                        return reader->Read(offset, count);
                      }};
}

Row TakeRow(ByteView& rows) {
  ByteReader reader(rows);
  const std::optional<ByteView> key = reader.Sized();
  const std::optional<ByteView> value = reader.Sized();
  TALEA_CHECK(key && value);
  rows = reader.rest();
  return {*key, *value};
}

Result<ExportReader> ExportReader::Open(ExportSource source) {
  if (source.bytes < kExportHeaderBytes + kExportFooterBytes) {
    return Fail(ErrorCode::corruption,
                Located(source, source.bytes,
                        fmt::format("expected at least {} bytes, found the end",
                                    kExportHeaderBytes + kExportFooterBytes)));
  }
  const std::string header = TALEA_TRY(source.read(0, kExportHeaderBytes));
  const std::uint64_t checksum = TALEA_TRY(At(source, 0, DecodeExportHeader(header)));
  const std::uint64_t end = source.bytes - kExportFooterBytes;
  const std::string footer = TALEA_TRY(source.read(end, kExportFooterBytes));
  const ExportFooter decoded = TALEA_TRY(At(source, end, DecodeExportFooter(footer)));
  const ExportIdentity identity{.bytes = source.bytes, .checksum = StoredChecksum(footer)};
  const ExportPosition first{.offset = kExportHeaderBytes, .checksum = checksum};
  return ExportReader(std::move(source), decoded, identity, first);
}

void ExportReader::Seek(const ExportPosition& position) {
  if (position == position_) return;
  position_ = position;
  last_place_ = nullptr;
}

std::unexpected<Error> ExportReader::Damaged(std::string_view what) const {
  return Fail(ErrorCode::corruption, Located(source_, position_.offset, what));
}

Result<std::optional<ExportFrame>> ExportReader::Next(StateCounts& counts) {
  if (position_.offset == footer_offset()) {
    TALEA_TRY(CheckEnd());
    return std::nullopt;
  }
  ExportFrame frame = TALEA_TRY(ReadFrame());
  TALEA_TRY(CheckRows(frame, counts));
  position_.offset += frame.bytes.size();
  position_.checksum = StoredChecksum(frame.bytes);
  position_.rows += frame.head.rows;
  return frame;
}

Result<ExportFrame> ExportReader::ReadFrame() {
  const bool within = position_.offset >= kExportHeaderBytes && position_.offset < footer_offset();
  const std::uint64_t left = within ? footer_offset() - position_.offset : 0;
  if (left < kFrameHeadBytes + kChecksumBytes) {
    return Damaged(fmt::format("expected a frame of at least {} bytes, found {} before the footer",
                               kFrameHeadBytes + kChecksumBytes, left));
  }
  ExportFrame frame;
  frame.bytes = TALEA_TRY(source_.read(position_.offset, kFrameHeadBytes));
  frame.head = TALEA_TRY(At(source_, position_.offset, DecodeFrameHead(frame.bytes)));
  frame.place = &PlaceOf(frame.head.part);
  if (frame.head.frame_bytes() > left) {
    return Damaged(
        fmt::format("expected a frame of at most {} bytes, as the footer begins then; "
                    "found one of {}",
                    left, frame.head.frame_bytes()));
  }
  frame.bytes = TALEA_TRY(source_.read(position_.offset, frame.head.frame_bytes()));
  const std::uint64_t expected = FrameChecksum(frame.bytes, position_.checksum);
  if (StoredChecksum(frame.bytes) == expected) return frame;
  return Damaged(
      fmt::format("frame of {} with {} bytes: expected the checksum {:016x}, found {:016x}",
                  frame.place->name, frame.bytes.size(), expected, StoredChecksum(frame.bytes)));
}

Status ExportReader::CheckRows(const ExportFrame& frame, StateCounts& counts) {
  ByteReader reader(frame.rows());
  for (std::uint32_t number = 1; number <= frame.head.rows; ++number) {
    const Status row = CheckRow(*frame.place, reader, counts);
    if (row) continue;
    return Damaged(fmt::format("frame of {}, row {} of {}: {}", frame.place->name, number,
                               frame.head.rows, row.error().message()));
  }
  if (reader.empty()) return {};
  return Damaged(fmt::format("frame of {}: expected nothing after {} rows, found {} bytes",
                             frame.place->name, frame.head.rows, reader.rest().size()));
}

Status ExportReader::CheckRow(const StatePlace& place, ByteReader& rows, StateCounts& counts) {
  const std::optional<ByteView> key = rows.Sized();
  const std::optional<ByteView> value = rows.Sized();
  if (!key || !value) return Fail(ErrorCode::corruption, "expected a key and a value");
  TALEA_TRY(CheckOrder(place, *key));
  return counts.Take(place, {*key, *value});
}

Status ExportReader::CheckOrder(const StatePlace& place, ByteView key) {
  if (last_place_ != nullptr && place.part < last_place_->part) {
    return Fail(ErrorCode::corruption,
                fmt::format("expected no {} after {}", place.name, last_place_->name));
  }
  if (last_place_ == &place && key <= last_key_) {
    return Fail(ErrorCode::corruption,
                fmt::format("expected a key after {}, found {}", Quoted(last_key_), Quoted(key)));
  }
  last_place_ = &place;
  last_key_.assign(key);
  return {};
}

Status ExportReader::CheckEnd() const {
  if (position_.checksum != footer_.last_checksum) {
    return Damaged(
        fmt::format("expected the footer of frames that end with the checksum {:016x}, "
                    "found the one for {:016x}",
                    position_.checksum, footer_.last_checksum));
  }
  if (position_.rows == footer_.rows) return {};
  return Damaged(fmt::format("expected a footer that tells of {} rows, found {}", position_.rows,
                             footer_.rows));
}

}  // namespace talea::chain
