// Integers as packed tuples store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>

#include "keyspace/tuple_format.h"
#include "talea/big_integer.h"
#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::tuple_format {

inline constexpr std::uint64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

// An integer that was found in packed bytes: `bytes` are its magnitude, with all bits
// flipped where it is negative, and lie there. The next element starts at `end`.
struct StoredInteger {
  bool negative;
  ByteView bytes;
  std::size_t end;

  // The number, where the type can hold it.
  std::optional<std::int64_t> ToInt64() const;
  std::optional<std::uint64_t> ToUint64() const;
  Result<BigInteger> ToBigInteger() const;  // always

 private:
  std::optional<std::uint64_t> ShortMagnitude() const;
};

// How many bytes of magnitude the type code of an integer tells of; more than kMaxShortBytes where
// the length stands behind the code.
inline std::size_t SizeOf(std::uint8_t integer_code) {
  return static_cast<std::size_t>(integer_code < kZero ? kZero - integer_code
                                                       : integer_code - kZero);
}

// The integer at the front of the bytes, if it is one of the short form that fits. Keys are mostly
// made of these, and a Result takes longer to pass on than the number takes to read. Where this
// answers nothing, ParseInteger finds out why.
inline std::optional<std::int64_t> ReadShortInteger(ByteView packed) {
  if (packed.empty()) return std::nullopt;
  const auto code = static_cast<std::uint8_t>(packed[0]);
  const std::size_t size = SizeOf(code);
  if (size > kMaxShortBytes || packed.size() <= size) return std::nullopt;
  const bool negative = code < kZero;
  const std::uint64_t flip = negative && size > 0 ? ~std::uint64_t{0} >> (64 - 8 * size) : 0;
  const std::uint64_t magnitude = LoadBigEndian(packed.substr(1, size)) ^ flip;
  if (BytesOf(magnitude) != size || magnitude > kInt64Max) return std::nullopt;
  const auto number = static_cast<std::int64_t>(magnitude);
  return negative ? -number : number;
}

// The integer whose type code stands at `offset`. Fails with corruption where the
// bytes end too early, and where there is a shorter form of the same number.
Result<StoredInteger> ParseInteger(ByteView packed, std::size_t offset);

}  // namespace talea::tuple_format
