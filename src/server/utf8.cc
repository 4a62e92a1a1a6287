#include "server/utf8.h"

#include <cstddef>
#include <cstdint>

namespace talea {
namespace {

bool Continues(char byte) { return (static_cast<unsigned char>(byte) & 0xc0) == 0x80; }

// How many bytes a character takes that starts with this one; 0 if none does.
std::size_t LengthAfter(unsigned char first) {
  if (first < 0x80) return 1;
  if (first >= 0xc2 && first < 0xe0) return 2;
  if (first >= 0xe0 && first < 0xf0) return 3;
  if (first >= 0xf0 && first < 0xf5) return 4;
  return 0;
}

// Neither longer than needed, nor half of a pair of UTF-16, nor beyond Unicode.
bool IsScalar(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  const auto second = static_cast<unsigned char>(character.size() > 1 ? character[1] : 0);
  if (first == 0xe0) return second >= 0xa0;
  if (first == 0xed) return second < 0xa0;
  if (first == 0xf0) return second >= 0x90;
  if (first == 0xf4) return second < 0x90;
  return true;
}

// The length of the well-formed character at the start of the text; 0 if there is none.
std::size_t WellFormedLength(std::string_view text) {
  const std::size_t length = LengthAfter(static_cast<unsigned char>(text[0]));
  if (length == 0 || length > text.size()) return 0;
  for (std::size_t at = 1; at < length; ++at) {
    if (!Continues(text[at])) return 0;
  }
  return IsScalar(text.substr(0, length)) ? length : 0;
}

}  // namespace

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = WellFormedLength(text);
    valid += length == 0 ? std::string_view("\xef\xbf\xbd") : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return valid;
}

}  // namespace talea
