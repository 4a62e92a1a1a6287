// The bytes of an export: a file that holds all of a ledger's state. docs/formats/chain.md has
// them.
//
// Header, frames, footer. Each frame holds rows of one part, and a checksum that goes on from the
// one before it: so a frame that was changed, left out, or comes from another file is found where
// it stands, and the last checksum stands for all of the rows.
#pragma once

#include <cstdint>
#include <string>

#include "chain/state_rows.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::chain {

inline constexpr std::size_t kExportHeaderBytes = 20;
inline constexpr std::size_t kExportFooterBytes = 48;
inline constexpr std::size_t kFrameHeadBytes = 9;
inline constexpr std::size_t kChecksumBytes = 8;

// A frame ends before the row that would make it longer than this, if it has one.
inline constexpr std::size_t kFrameRowBytes = 256 << 10;
// So only a single row may be longer: at most the largest key and value of any engine.
inline constexpr std::size_t kLargestRowBytes = (256 << 20) + (128 << 10);

std::string EncodeExportHeader();
// unsupported for a newer format, corruption for anything else that is no header. Returns the
// checksum that the first frame goes on from.
Result<std::uint64_t> DecodeExportHeader(ByteView bytes);

struct ExportFooter {
  std::uint64_t rows = 0;           // in all frames
  std::uint64_t last_checksum = 0;  // of the last frame, or of the header
  std::string state_hash;           // 32 hexadecimal digits

  friend bool operator==(const ExportFooter&, const ExportFooter&) = default;
};
std::string Encode(const ExportFooter& footer);
Result<ExportFooter> DecodeExportFooter(ByteView bytes);

// What stands before the rows of a frame.
struct FrameHead {
  StatePart part = StatePart::outputs;
  std::uint32_t rows = 0;       // at least one
  std::uint32_t row_bytes = 0;  // of all of them

  std::size_t frame_bytes() const { return kFrameHeadBytes + row_bytes + kChecksumBytes; }
  friend bool operator==(const FrameHead&, const FrameHead&) = default;
};
// Refuses what no writer writes, lengths above all.
Result<FrameHead> DecodeFrameHead(ByteView bytes);

// A frame that is being filled.
class FrameBuilder {
 public:
  explicit FrameBuilder(StatePart part) { Begin(part); }

  // Empties it.
  void Begin(StatePart part);

  StatePart part() const { return part_; }
  bool empty() const { return rows_ == 0; }
  bool HasRoomFor(const Row& row) const;
  void Append(const Row& row);

  // The frame's bytes, valid until the next call. `previous` is the checksum to go on from, and
  // becomes the frame's own.
  ByteView Finish(std::uint64_t& previous);

 private:
  StatePart part_;
  std::uint32_t rows_;
  std::string bytes_;
};

// The checksum in a whole frame, and the one it must have.
std::uint64_t StoredChecksum(ByteView frame);
std::uint64_t FrameChecksum(ByteView frame, std::uint64_t previous);

}  // namespace talea::chain
