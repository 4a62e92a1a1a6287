// Whole numbers beyond 64 bits: a sign and up to 255 bytes of magnitude, as tuples can hold.
#pragma once

#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

// The built-in types that hold a whole number. Truth values and characters are not
// among them, so that a bool or a 'c' never turns into a number by accident.
template <class T>
concept WholeNumber =
    std::integral<T> && sizeof(T) <= sizeof(std::uint64_t) && !std::same_as<T, bool> &&
    !std::same_as<T, char> && !std::same_as<T, wchar_t> && !std::same_as<T, char8_t> &&
    !std::same_as<T, char16_t> && !std::same_as<T, char32_t>;

// The size of a whole number, without its sign: it fits even for the least std::int64_t.
template <WholeNumber Number>
constexpr std::uint64_t MagnitudeOf(Number number) {
  const auto bits = static_cast<std::uint64_t>(number);
  return number < 0 ? 0 - bits : bits;
}

// A whole number of any size that a tuple can hold: |n| < 256^255. It is for
// carrying, comparing and printing; it does no arithmetic.
//
// Each number has one form (no leading zero bytes, no negative zero), so equality is by value.
class BigInteger {
 public:
  static constexpr std::size_t kMaxBytes = 255;

  BigInteger() = default;  // zero

  template <WholeNumber Number>
  BigInteger(Number number) : BigInteger(number < 0, MagnitudeOf(number)) {}

  // From a magnitude in bytes, the most significant first; leading zero bytes are
  // dropped. Fails where more than kMaxBytes are left.
  static Result<BigInteger> FromMagnitude(bool negative, ByteView magnitude);

  // From decimal digits, after an optional '-'. Fails on anything else, and beyond kMaxBytes.
  static Result<BigInteger> FromDecimal(std::string_view text);

  bool negative() const { return negative_; }
  bool zero() const { return magnitude_.empty(); }

  // The most significant byte first, without leading zero bytes; empty for zero.
  ByteView magnitude() const { return magnitude_; }

  // The same number, where the type can hold it.
  std::optional<std::int64_t> ToInt64() const;
  std::optional<std::uint64_t> ToUint64() const;

  // In decimal.
  std::string ToString() const;

  friend bool operator==(const BigInteger&, const BigInteger&) = default;
  friend std::strong_ordering operator<=>(const BigInteger& left, const BigInteger& right);
  friend std::ostream& operator<<(std::ostream& out, const BigInteger& number);

 private:
  BigInteger(bool negative, std::uint64_t magnitude);

  // The magnitude where it has at most 8 bytes.
  std::optional<std::uint64_t> SmallMagnitude() const;

  bool negative_ = false;
  std::string magnitude_;
};

}  // namespace talea
