#include "keyspace/prefixed_key.h"

#include <fmt/format.h>

namespace talea {

std::unexpected<Error> NoSuchPrefix(std::uint8_t expected, std::uint64_t found) {
  return Fail(ErrorCode::corruption,
              fmt::format("expected {} at the front, found {}", expected, found));
}

std::unexpected<Error> NoSuchKey(const Keyspace& keyspace, ByteView key, std::string_view kind,
                                 std::string_view why) {
  return Fail(ErrorCode::corruption, fmt::format("keyspace {}, key {}: expected the key of {}: {}",
                                                 Quoted(keyspace.name), Quoted(key), kind, why));
}

}  // namespace talea
