// Text from outside, made fit to be sent and shown.
#pragma once

#include <string>
#include <string_view>

namespace talea {

// The text, with every byte that does not belong to well-formed UTF-8 replaced by U+FFFD.
std::string ValidUtf8(std::string_view text);

}  // namespace talea
