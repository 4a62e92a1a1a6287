#include "keyspace/stored_integer.h"

#include <fmt/format.h>

#include <string>

#include "base/check.h"

namespace talea::tuple_format {
namespace {

std::uint8_t ByteAt(ByteView bytes, std::size_t offset) {
  return static_cast<std::uint8_t>(bytes[offset]);
}

struct Extent {
  std::size_t begin;
  std::size_t size;
};

// Where the magnitude of a long integer lies, whose length byte stands at `offset`.
Result<Extent> LongExtent(ByteView packed, std::size_t offset, std::uint8_t flip) {
  if (offset == packed.size()) return Corruption(offset, "a length", "the end of the bytes");
  const std::size_t size = ByteAt(packed, offset) ^ flip;
  if (size > kMaxShortBytes) return Extent{offset + 1, size};
  return Corruption(offset, "a length of 9 to 255, as a shorter integer has a shorter form",
                    fmt::format("{}", size));
}

}  // namespace

Result<StoredInteger> ParseInteger(ByteView packed, std::size_t offset) {
  const std::uint8_t code = ByteAt(packed, offset);
  TALEA_CHECK(code >= kBigNegative && code <= kBigPositive);
  const bool negative = code < kZero;
  const std::uint8_t flip = negative ? 0xff : 0x00;
  Extent extent{offset + 1, SizeOf(code)};
  if (extent.size > kMaxShortBytes) extent = TALEA_TRY(LongExtent(packed, offset + 1, flip));

  const ByteView bytes = packed.substr(extent.begin, extent.size);
  if (bytes.size() < extent.size) {
    return Corruption(extent.begin, fmt::format("{} bytes of an integer", extent.size),
                      fmt::format("{}", bytes.size()));
  }
  if (!bytes.empty() && ByteAt(bytes, 0) == flip) {
    const std::string leading_zero = fmt::format("0x{:02x}", flip);
    return Corruption(extent.begin,
                      "an integer in its shortest form, so not the byte " + leading_zero,
                      leading_zero);
  }
  return StoredInteger{negative, bytes, extent.begin + extent.size};
}

std::optional<std::uint64_t> StoredInteger::ShortMagnitude() const {
  if (bytes.size() > kMaxShortBytes) return std::nullopt;
  const std::uint64_t stored = LoadBigEndian(bytes);
  const std::uint64_t ones = bytes.empty() ? 0 : ~std::uint64_t{0} >> (64 - 8 * bytes.size());
  return negative ? stored ^ ones : stored;
}

std::optional<std::int64_t> StoredInteger::ToInt64() const {
  const std::optional<std::uint64_t> magnitude = ShortMagnitude();
  if (!magnitude || *magnitude > kInt64Max + (negative ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative ? 0 - *magnitude : *magnitude);
}

std::optional<std::uint64_t> StoredInteger::ToUint64() const {
  return negative ? std::nullopt : ShortMagnitude();
}

Result<BigInteger> StoredInteger::ToBigInteger() const {
  std::string magnitude(bytes);
  if (negative) {
    for (char& byte : magnitude) byte = static_cast<char>(~byte);
  }
  return BigInteger::FromMagnitude(negative, magnitude);
}

}  // namespace talea::tuple_format
