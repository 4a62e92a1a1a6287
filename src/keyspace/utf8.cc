#include "keyspace/utf8.h"

#include <cstdint>

#include "base/coding.h"

namespace talea {
namespace {

constexpr std::uint64_t kHighBits = 0x8080808080808080;

std::size_t AsciiPrefixLength(ByteView bytes) {
  std::size_t length = 0;
  while (bytes.size() - length >= sizeof(std::uint64_t)) {
    if (LoadLittleEndian<std::uint64_t>(bytes.data() + length) & kHighBits) break;
    length += sizeof(std::uint64_t);
  }
  while (length < bytes.size() && static_cast<std::uint8_t>(bytes[length]) < 0x80) ++length;
  return length;
}

// What may follow a lead byte: how many bytes, and which values the first of them can have. The
// bounds keep out overlong forms (E0, F0), surrogates (ED) and what lies beyond U+10FFFF (F4).
struct Continuation {
  std::size_t count;
  std::uint8_t least;
  std::uint8_t most;
};

constexpr Continuation ContinuationOf(std::uint8_t lead) {
  if (lead >= 0xc2 && lead <= 0xdf) return {1, 0x80, 0xbf};
  if (lead == 0xe0) return {2, 0xa0, 0xbf};
  if (lead == 0xed) return {2, 0x80, 0x9f};
  if (lead >= 0xe1 && lead <= 0xef) return {2, 0x80, 0xbf};
  if (lead == 0xf0) return {3, 0x90, 0xbf};
  if (lead == 0xf4) return {3, 0x80, 0x8f};
  if (lead >= 0xf1 && lead <= 0xf3) return {3, 0x80, 0xbf};
  return {0, 0, 0};
}

// The length of the character at the front, which is not ASCII; 0 where there is none.
std::size_t LongCharacterLength(ByteView bytes) {
  const Continuation next = ContinuationOf(static_cast<std::uint8_t>(bytes[0]));
  if (next.count == 0 || bytes.size() <= next.count) return 0;
  const auto first = static_cast<std::uint8_t>(bytes[1]);
  if (first < next.least || first > next.most) return 0;
  for (std::size_t i = 2; i <= next.count; ++i) {
    if ((static_cast<std::uint8_t>(bytes[i]) & 0xc0) != 0x80) return 0;
  }
  return 1 + next.count;
}

}  // namespace

std::size_t Utf8PrefixLength(ByteView bytes) {
  std::size_t length = AsciiPrefixLength(bytes);
  while (length < bytes.size()) {
    const std::size_t character = LongCharacterLength(bytes.substr(length));
    if (character == 0) break;
    length += character;
    length += AsciiPrefixLength(bytes.substr(length));
  }
  return length;
}

}  // namespace talea
