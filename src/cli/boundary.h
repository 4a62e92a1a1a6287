// The ends of buckets and intervals, as people can read them.
#pragma once

#include <optional>
#include <string>

#include "talea/bytes.h"

namespace talea::cli {

// A boundary is packed elements, and may break off within one. It is shown as the least value that
// is not before it, where there is one that can be told, or else as quoted bytes.
std::string ShownBoundary(ByteView boundary);

// What lies from one boundary up to, and without, the other: all values, one value, or both ends.
std::string ShownSpan(ByteView lower, const std::optional<std::string>& upper);

}  // namespace talea::cli
