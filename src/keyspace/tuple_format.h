// The bytes of packed tuples: what the packer and the reader must agree on. See
// docs/formats/tuple.md.
#pragma once

#include <bit>
#include <cstdint>
#include <optional>
#include <string_view>

#include "talea/tuple.h"

namespace talea::tuple_format {

inline constexpr std::uint8_t kNull = 0x00;
inline constexpr std::uint8_t kBytes = 0x01;
inline constexpr std::uint8_t kText = 0x02;
inline constexpr std::uint8_t kNested = 0x05;
inline constexpr std::uint8_t kBigNegative = 0x0b;
inline constexpr std::uint8_t kZero =
    0x14;  // n bytes of magnitude: this + n, or this - n for a negative
inline constexpr std::uint8_t kBigPositive = 0x1d;
inline constexpr std::uint8_t kFloat32 = 0x20;
inline constexpr std::uint8_t kFloat64 = 0x21;
inline constexpr std::uint8_t kFalse = 0x26;
inline constexpr std::uint8_t kTrue = 0x27;
inline constexpr std::uint8_t kUuid = 0x30;

// Ends bytes, text and nested tuples, unless kEscape follows: then it is a NUL
// byte, or a nested null.
inline constexpr std::uint8_t kTerminator = 0x00;
inline constexpr std::uint8_t kEscape = 0xff;

// Integers of up to so many bytes have their length in the code; longer ones have a length byte.
inline constexpr std::size_t kMaxShortBytes = 8;

// The type that the code stands for, if it is one that Talea reads.
std::optional<ElementType> TypeOf(std::uint8_t code);

// What a code of the format that Talea does not read stands for; empty for all others.
std::string_view UnsupportedName(std::uint8_t code);

// How many bytes the magnitude takes, without leading zero bytes.
constexpr std::size_t BytesOf(std::uint64_t magnitude) {
  return (static_cast<std::size_t>(std::bit_width(magnitude)) + 7) / 8;
}

// The number of up to 8 bytes, the most significant first.
inline std::uint64_t LoadBigEndian(ByteView bytes) {
  std::uint64_t number = 0;
  for (const char byte : bytes) number = number << 8 | static_cast<std::uint8_t>(byte);
  return number;
}

// The error of bytes that are not as Pack writes them.
std::unexpected<Error> Corruption(std::size_t offset, std::string_view expected,
                                  std::string_view found);

// The bits of a float, changed so that as unsigned numbers they sort as IEEE 754's
// total order does: all bits of a negative number are flipped, and only the sign of
// any other. The way back does the reverse.
template <class Bits, class Float>
constexpr Bits OrderedBits(Float number) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  const Bits bits = std::bit_cast<Bits>(number);
  return bits & kSign ? ~bits : bits ^ kSign;
}

template <class Float, class Bits>
constexpr Float FromOrderedBits(Bits ordered) {
  constexpr Bits kSign = Bits{1} << (sizeof(Bits) * 8 - 1);
  return std::bit_cast<Float>(ordered & kSign ? ordered ^ kSign : ~ordered);
}

}  // namespace talea::tuple_format
