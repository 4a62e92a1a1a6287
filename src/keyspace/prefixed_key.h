// Keys that begin with one of the registry's prefixes, as layers make them and take them apart.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

#include "talea/bytes.h"
#include "talea/keyspace.h"
#include "talea/result.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {

template <class T>
concept KeyPrefix = std::is_same_v<std::underlying_type_t<T>, std::uint8_t>;

// The prefix and the numbers, packed.
template <KeyPrefix Prefix, class... Numbers>
std::string PrefixedKey(Prefix prefix, Numbers... numbers) {
  std::string key;
  TuplePacker packer(key);
  packer.Int(static_cast<std::uint8_t>(prefix));
  (packer.Int(numbers), ...);
  return key;
}

std::unexpected<Error> NoSuchPrefix(std::uint8_t expected, std::uint64_t found);

// Fails with corruption if another one is there.
template <KeyPrefix Prefix>
Status TakePrefix(TupleReader& reader, Prefix prefix) {
  const std::uint64_t found = TALEA_TRY(reader.Uint());
  if (found == static_cast<std::uint8_t>(prefix)) return {};
  return NoSuchPrefix(static_cast<std::uint8_t>(prefix), found);
}

// The number behind the prefix, which is all of the key.
template <KeyPrefix Prefix>
Result<std::uint64_t> TakeNumber(Prefix prefix, ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, prefix));
  const std::uint64_t number = TALEA_TRY(reader.Uint());
  TALEA_TRY(reader.Finish());
  return number;
}

// Corruption: a key that is not that of a `kind`.
std::unexpected<Error> NoSuchKey(const Keyspace& keyspace, ByteView key, std::string_view kind,
                                 std::string_view why);

// What was read of a key, or the error that says which key it is.
template <class Parts>
Result<Parts> Named(const Keyspace& keyspace, std::string_view kind, ByteView key,
                    Result<Parts> parts) {
  if (parts) return parts;
  return NoSuchKey(keyspace, key, kind, parts.error().message());
}

}  // namespace talea
