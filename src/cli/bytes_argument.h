// Keys and values on the command line: as text, or as 0x and hexadecimal digits.
#pragma once

#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::cli {

// The bytes that an argument stands for. Fails with invalid_argument where 0x is not followed by
// pairs of digits.
Result<std::string> ParseBytes(std::string_view argument);

// The argument that stands for these bytes: the text itself where a person can read it, or 0x and
// digits. ParseBytes of it gives the bytes again.
std::string BytesArgument(ByteView bytes);

// The same for what is always written in digits, without 0x, as hashes are.
Result<std::string> ParseHexDigits(std::string_view digits);
std::string HexDigits(ByteView bytes);

}  // namespace talea::cli
