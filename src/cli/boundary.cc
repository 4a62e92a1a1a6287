#include "cli/boundary.h"

#include <fmt/format.h>

#include "cli/element_argument.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

constexpr std::size_t kLongestElement = 17;  // of those whose length is fixed: a UUID with its code

// The tuple, perhaps after the zeros that its last element lacks: those make the least of all that
// begin with these bytes. An integer has no zeros at its front, so there it is a one that lacks.
std::optional<Tuple> Complete(ByteView bytes) {
  for (const char* first : {"", "\x01"}) {
    std::string completed = std::string(bytes) + first;
    for (std::size_t zeros = 0; zeros <= kLongestElement; ++zeros) {
      if (Result<Tuple> tuple = Unpack(completed)) return *std::move(tuple);
      completed.push_back('\0');
    }
  }
  return std::nullopt;
}

}  // namespace

std::string ShownBoundary(ByteView boundary) {
  const auto tuple = Complete(boundary);
  return tuple && !tuple->empty() ? ShownTuple(*tuple) : Quoted(boundary);
}

std::string ShownSpan(ByteView lower, const std::optional<std::string>& upper) {
  if (lower.empty() && !upper) return "all values";
  const Result<Tuple> value = Unpack(lower);
  // What begins with the bytes of a value is that value with its documents.
  const bool single = value && !value->empty() && upper &&
                      (*upper == PrefixSuccessor(lower) || *upper == std::string(lower) + '\xff');
  if (single) return fmt::format("= {}", ShownTuple(*value));
  if (lower.empty()) return fmt::format("below {}", ShownBoundary(*upper));
  if (!upper) return fmt::format("from {} on", ShownBoundary(lower));
  return fmt::format("from {} to below {}", ShownBoundary(lower), ShownBoundary(*upper));
}

}  // namespace talea::cli
