#include "talea/big_integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <ostream>

namespace talea {
namespace {

// 256^255 has 615 digits, so no number that fits has more.
constexpr std::size_t kMaxDigits = 615;

constexpr std::uint64_t kInt64Max = std::numeric_limits<std::int64_t>::max();

Error TooLarge(std::size_t bytes) {
  return Error(ErrorCode::invalid_argument,
               fmt::format("big integer: expected a magnitude of at most {} bytes, found {}",
                           BigInteger::kMaxBytes, bytes));
}

ByteView WithoutLeadingZeros(ByteView magnitude) {
  magnitude.remove_prefix(std::min(magnitude.find_first_not_of('\0'), magnitude.size()));
  return magnitude;
}

// magnitude * 10 + digit, in place, on bytes with the least significant first.
void AppendDigit(std::string& reversed, unsigned digit) {
  unsigned carry = digit;
  for (char& byte : reversed) {
    carry += static_cast<unsigned char>(byte) * 10u;
    byte = static_cast<char>(carry);
    carry >>= 8;
  }
  if (carry != 0) reversed.push_back(static_cast<char>(carry));
}

// magnitude / 10, in place, on bytes with the most significant first. Returns the remainder.
unsigned RemoveDigit(std::string& magnitude) {
  unsigned remainder = 0;
  for (char& byte : magnitude) {
    remainder = remainder << 8 | static_cast<unsigned char>(byte);
    byte = static_cast<char>(remainder / 10);
    remainder %= 10;
  }
  if (magnitude.front() == '\0') magnitude.erase(0, 1);
  return remainder;
}

}  // namespace

BigInteger::BigInteger(bool negative, std::uint64_t magnitude) : negative_(negative) {
  for (; magnitude != 0; magnitude >>= 8) magnitude_.push_back(static_cast<char>(magnitude));
  std::ranges::reverse(magnitude_);
}

Result<BigInteger> BigInteger::FromMagnitude(bool negative, ByteView magnitude) {
  magnitude = WithoutLeadingZeros(magnitude);
  if (magnitude.size() > kMaxBytes) return std::unexpected(TooLarge(magnitude.size()));
  BigInteger number;
  number.negative_ = negative && !magnitude.empty();
  number.magnitude_ = magnitude;
  return number;
}

Result<BigInteger> BigInteger::FromDecimal(std::string_view text) {
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative ? 1 : 0);
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string_view::npos) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("big integer: expected decimal digits, found {}", Quoted(text)));
  }
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  if (digits.size() > kMaxDigits) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("big integer: expected at most {} digits, found {}", kMaxDigits,
                            digits.size()));
  }
  std::string magnitude;
  for (const char digit : digits) AppendDigit(magnitude, static_cast<unsigned>(digit - '0'));
  std::ranges::reverse(magnitude);
  return FromMagnitude(negative, magnitude);
}

std::optional<std::uint64_t> BigInteger::SmallMagnitude() const {
  if (magnitude_.size() > sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t magnitude = 0;
  for (const char byte : magnitude_) magnitude = magnitude << 8 | static_cast<unsigned char>(byte);
  return magnitude;
}

std::optional<std::int64_t> BigInteger::ToInt64() const {
  const std::optional<std::uint64_t> magnitude = SmallMagnitude();
  if (!magnitude || *magnitude > kInt64Max + (negative_ ? 1 : 0)) return std::nullopt;
  return static_cast<std::int64_t>(negative_ ? 0 - *magnitude : *magnitude);
}

std::optional<std::uint64_t> BigInteger::ToUint64() const {
  if (negative_) return std::nullopt;
  return SmallMagnitude();
}

std::string BigInteger::ToString() const {
  if (zero()) return "0";
  std::string text;
  std::string rest = magnitude_;
  while (!rest.empty()) text.push_back(static_cast<char>('0' + RemoveDigit(rest)));
  if (negative_) text.push_back('-');
  std::ranges::reverse(text);
  return text;
}

std::strong_ordering operator<=>(const BigInteger& left, const BigInteger& right) {
  if (left.negative_ != right.negative_) return right.negative_ <=> left.negative_;
  const BigInteger& smaller = left.negative_ ? right : left;
  const BigInteger& larger = left.negative_ ? left : right;
  const auto by_length = smaller.magnitude_.size() <=> larger.magnitude_.size();
  return by_length != 0 ? by_length : smaller.magnitude_ <=> larger.magnitude_;
}

std::ostream& operator<<(std::ostream& out, const BigInteger& number) {
  return out << number.ToString();
}

}  // namespace talea
