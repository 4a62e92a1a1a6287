// Base 58, as Bitcoin has it, without a checksum: Byron's addresses have one of their own inside.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "talea/bytes.h"

namespace talea::cardano {

// Takes time that grows with the square of the length.
std::string EncodeBase58(ByteView bytes);
// Nothing where a character is none of the digits.
std::optional<std::string> DecodeBase58(std::string_view text);

}  // namespace talea::cardano
