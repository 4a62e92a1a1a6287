// Integers as packed tuples store them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "talea/big_integer.h"
#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::tuple_format {

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

// The integer whose type code stands at `offset`. Fails with corruption where the
// bytes end too early, and where there is a shorter form of the same number.
Result<StoredInteger> ParseInteger(ByteView packed, std::size_t offset);

}  // namespace talea::tuple_format
