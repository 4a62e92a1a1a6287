#include "talea/bytes.h"

#include <fmt/format.h>

namespace talea {

std::string PrefixSuccessor(ByteView prefix) {
  const std::size_t last = prefix.find_last_not_of('\xff');
  if (last == ByteView::npos) return {};
  std::string successor(prefix.substr(0, last + 1));
  ++successor.back();
  return successor;
}

std::string KeySuccessor(ByteView key) {
  std::string successor;
  successor.reserve(key.size() + 1);
  successor.append(key).push_back('\0');
  return successor;
}

std::string Quoted(ByteView bytes) {
  constexpr std::size_t kShown = 48;
  std::string text = "\"";
  for (const char byte : bytes.substr(0, kShown)) {
    const bool printable = byte >= 0x20 && byte < 0x7f;
    if (byte == '"' || byte == '\\') text.push_back('\\');
    if (printable) {
      text.push_back(byte);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  text.push_back('"');
  if (bytes.size() > kShown) text += fmt::format("... ({} bytes)", bytes.size());
  return text;
}

}  // namespace talea
