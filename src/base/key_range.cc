#include "talea/key_range.h"

#include <fmt/format.h>

#include <algorithm>

namespace talea {

Result<KeyRange> KeyRange::Make(ByteView begin, ByteView end) {
  if (end < begin) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("key range: expected an end at or after the begin {}, found {}",
                            Quoted(begin), Quoted(end)));
  }
  return KeyRange(std::string(begin), std::string(end));
}

KeyRange KeyRange::Prefix(ByteView prefix) {
  std::string end = PrefixSuccessor(prefix);
  if (end.empty()) return From(prefix);
  return KeyRange(std::string(prefix), std::move(end));
}

KeyRange KeyRange::Single(ByteView key) { return KeyRange(std::string(key), KeySuccessor(key)); }

KeyRange KeyRange::StartingAt(ByteView key) const {
  std::string begin(std::max(ByteView(begin_), key));
  if (end_ && *end_ < begin) begin = *end_;
  return KeyRange(std::move(begin), end_);
}

KeyRange KeyRange::EndingAt(ByteView key) const {
  std::string end(end_ ? std::min(ByteView(*end_), key) : key);
  if (end < begin_) end = begin_;
  return KeyRange(begin_, std::move(end));
}

std::string KeyRange::ToString() const {
  return fmt::format("[{}, {})", Quoted(begin_), end_ ? Quoted(*end_) : "end");
}

}  // namespace talea
