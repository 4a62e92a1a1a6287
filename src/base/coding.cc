#include "base/coding.h"

namespace talea {

std::optional<std::uint64_t> ByteReader::Varint() {
  std::uint64_t value = 0;
  for (std::size_t position = 0; position < rest_.size() && position < 10; ++position) {
    const auto byte = static_cast<std::uint8_t>(rest_[position]);
    const bool overflows = position == 9 && byte > 1;
    const bool longer_than_needed = position > 0 && byte == 0;
    if (overflows || longer_than_needed) return std::nullopt;
    value |= std::uint64_t{byte & 0x7fu} << (7 * position);
    if (byte < 0x80) {
      rest_.remove_prefix(position + 1);
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace talea
