// What the tests of tuples share: bytes written in hexadecimal.
#pragma once

#include <cctype>
#include <charconv>
#include <string>
#include <string_view>

#include "talea/tuple.h"

namespace talea::testing {

// "02 61 00" or "026100": for reading, blanks may stand anywhere.
inline std::string FromHex(std::string_view hex) {
  std::string digits;
  for (const char c : hex) {
    if (std::isxdigit(static_cast<unsigned char>(c))) digits.push_back(c);
  }
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2) {
    unsigned byte = 0;
    std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

inline std::string ToHex(ByteView bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    hex.push_back(kDigits[byte >> 4]);
    hex.push_back(kDigits[byte & 15]);
  }
  return hex;
}

// The packed tuple in hexadecimal, or the error's message.
inline std::string PackedHex(const Tuple& tuple) {
  const Result<std::string> packed = Pack(tuple);
  return packed ? ToHex(*packed) : packed.error().message();
}

}  // namespace talea::testing
