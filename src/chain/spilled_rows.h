// Packed rows (row_arena.h), one after the other, in a scratch file.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/scratch_file.h"
#include "chain/row_arena.h"
#include "talea/result.h"

namespace talea::chain {

// Appends to the file, in large parts. What is not flushed is not in it.
class SpillWriter {
 public:
  explicit SpillWriter(ScratchFile& file) : file_(file) {}

  Status Append(ByteView bytes) {
    buffer_.append(bytes);
    return buffer_.size() < kBufferBytes ? Status() : Flush();
  }
  Status Flush() {
    TALEA_TRY(file_.Append(buffer_));
    buffer_.clear();
    return {};
  }

 private:
  static constexpr std::size_t kBufferBytes = 1 << 20;
  ScratchFile& file_;
  std::string buffer_;
};

// Reads them back, so many bytes at a time. The file must outlive it.
class SpilledRows {
 public:
  SpilledRows(const ScratchFile& file, std::uint64_t begin, std::uint64_t end,
              std::size_t buffer_bytes)
      : file_(&file), offset_(begin), end_(end), buffer_bytes_(buffer_bytes) {}

  // Goes on to the next row, if there is one.
  Result<bool> Next();
  // Valid until the next call.
  ByteView packed() const { return packed_; }
  Row row() const { return UnpackRow(packed_.data()); }

 private:
  // Makes sure that so many bytes are in memory, from the place of the next row on.
  Status Fill(std::size_t bytes);

  const ScratchFile* file_;
  std::uint64_t offset_;  // of what is not in memory yet
  const std::uint64_t end_;
  const std::size_t buffer_bytes_;
  std::unique_ptr<char[]> buffer_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;  // of what was not given out, in the buffer
  std::size_t filled_ = 0;
  ByteView packed_;
};

}  // namespace talea::chain
