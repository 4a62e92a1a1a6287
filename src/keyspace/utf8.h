// Telling UTF-8 from other bytes.
#pragma once

#include <cstddef>

#include "talea/bytes.h"

namespace talea {

// How many bytes at the front are well-formed UTF-8, as Unicode defines it: no overlong forms,
// no surrogates, nothing beyond U+10FFFF. It is bytes.size() exactly when all of them are.
std::size_t Utf8PrefixLength(ByteView bytes);

}  // namespace talea
