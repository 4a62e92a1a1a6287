// Reading the bytes of an export, which are untrusted.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "base/coding.h"
#include "chain/export_format.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::chain {

// Where the bytes come from.
struct ExportSource {
  std::string name;  // for messages
  std::uint64_t bytes = 0;
  std::function<Result<std::string>(std::uint64_t offset, std::size_t count)> read;
};
Result<ExportSource> OpenExportFile(const std::filesystem::path& file);

// A place between two frames.
struct ExportPosition {
  std::uint64_t offset = 0;    // where the next one begins
  std::uint64_t checksum = 0;  // that it goes on from
  std::uint64_t rows = 0;      // before it
  friend bool operator==(const ExportPosition&, const ExportPosition&) = default;
};

// What tells one export from another.
struct ExportIdentity {
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;  // of the footer, which holds that of the last frame
  friend bool operator==(const ExportIdentity&, const ExportIdentity&) = default;
};

// Rows of one part.
struct ExportFrame {
  const StatePlace* place = nullptr;
  FrameHead head;
  std::string bytes;  // all of it

  ByteView rows() const { return ByteView(bytes).substr(kFrameHeadBytes, head.row_bytes); }
};

// Takes the next row off the front of a frame's rows, of which the reader has checked all.
Row TakeRow(ByteView& rows);

// Reads frame by frame. Whatever is wrong is corruption, and the error names source and place. Has
// one frame in memory at a time, and never more than the source has bytes.
class ExportReader {
 public:
  // Reads header and footer, so it fails at once for something else, and for a file that was cut
  // off.
  static Result<ExportReader> Open(ExportSource source);

  const std::string& name() const { return source_.name; }
  const ExportFooter& footer() const { return footer_; }
  const ExportIdentity& identity() const { return identity_; }

  const ExportPosition& position() const { return position_; }
  // Goes on elsewhere, where the reader of the same export was before.
  void Seek(const ExportPosition& position);

  // The next frame, whose rows are counted; nothing at the end, if it is where it has to be. A
  // frame is right as a whole, or it is refused: its checksum, its rows, and that they come after
  // those before.
  Result<std::optional<ExportFrame>> Next(StateCounts& counts);

 private:
  ExportReader(ExportSource source, const ExportFooter& footer, const ExportIdentity& identity,
               const ExportPosition& first)
      : source_(std::move(source)), footer_(footer), identity_(identity), position_(first) {}

  std::uint64_t footer_offset() const { return source_.bytes - kExportFooterBytes; }
  std::unexpected<Error> Damaged(std::string_view what) const;
  Result<ExportFrame> ReadFrame();
  Status CheckRows(const ExportFrame& frame, StateCounts& counts);
  Status CheckRow(const StatePlace& place, ByteReader& rows, StateCounts& counts);
  Status CheckOrder(const StatePlace& place, ByteView key);
  Status CheckEnd() const;

  ExportSource source_;
  ExportFooter footer_;
  ExportIdentity identity_;
  ExportPosition position_;
  const StatePlace* last_place_ = nullptr;  // of the row before, if that was read
  std::string last_key_;
};

}  // namespace talea::chain
