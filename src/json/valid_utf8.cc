#include "json/valid_utf8.h"

#include "keyspace/utf8.h"

namespace talea {

std::string ValidUtf8(std::string_view text) {
  std::string valid;
  valid.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = Utf8PrefixLength(text);
    valid += text.substr(0, length);
    text.remove_prefix(length);
    if (text.empty()) break;
    valid += "\ufffd";
    text.remove_prefix(1);
  }
  return valid;
}

}  // namespace talea
