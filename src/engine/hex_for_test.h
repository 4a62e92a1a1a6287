// Bytes as docs/formats.md writes them: "01 80 6b". For tests alone.
#pragma once

#include <fmt/format.h>

#include <charconv>
#include <string>

#include "talea/bytes.h"

namespace talea {

inline std::string Hex(ByteView bytes) {
  std::string text;
  for (const char byte : bytes) {
    text += fmt::format("{}{:02x}", text.empty() ? "" : " ", static_cast<unsigned char>(byte));
  }
  return text;
}

// Of two digits each, with one space between.
inline std::string FromHex(std::string_view text) {
  std::string bytes;
  for (std::size_t at = 0; at < text.size(); at += 3) {
    unsigned char byte = 0;
    std::from_chars(text.data() + at, text.data() + at + 2, byte, 16);
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

}  // namespace talea
