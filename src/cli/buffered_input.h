// Bytes of a file or of standard input, one after the other.
#pragma once

#include <cstdint>
#include <istream>
#include <vector>

namespace talea::cli {

class BufferedInput {
 public:
  static constexpr int kEnd = -1;

  // The stream must outlive it.
  explicit BufferedInput(std::istream& in) : in_(in), buffer_(64 << 10) {}

  // The next byte, which stays; kEnd at the end, and where the rest cannot be read.
  int Peek() {
    if (position_ == size_ && !Fill()) return kEnd;
    return static_cast<unsigned char>(buffer_[position_]);
  }

  // Takes the byte that Peek told of.
  void Skip() {
    ++position_;
    ++taken_;
  }

  // Some programs begin files of UTF-8 with a byte order mark, which is no part of what they hold.
  void SkipMark() {
    if (Peek() != 0xef) return;
    for (const int byte : {0xef, 0xbb, 0xbf}) {
      if (Peek() == byte) Skip();
    }
  }

  bool AtEnd() { return Peek() == kEnd; }
  bool failed() const { return in_.bad(); }
  std::uint64_t taken() const { return taken_; }

 private:
  bool Fill() {
    position_ = size_ = 0;
    if (in_.fail()) return false;
    in_.read(buffer_.data(), static_cast<std::streamsize>(buffer_.size()));
    size_ = static_cast<std::size_t>(in_.gcount());
    return size_ > 0;
  }

  std::istream& in_;
  std::vector<char> buffer_;
  std::size_t position_ = 0;
  std::size_t size_ = 0;
  std::uint64_t taken_ = 0;
};

}  // namespace talea::cli
