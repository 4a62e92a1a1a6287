#include "talea/big_integer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>
#include <sstream>

namespace talea {
namespace {

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kUint64Max = std::numeric_limits<std::uint64_t>::max();

BigInteger Decimal(std::string_view digits) { return *BigInteger::FromDecimal(digits); }

TEST(BigInteger, IsZeroUnlessGivenANumber) {
  EXPECT_TRUE(BigInteger().zero());
  EXPECT_EQ(BigInteger(), BigInteger(0));
  EXPECT_EQ(BigInteger().magnitude(), "");
}

TEST(BigInteger, DropsLeadingZeroBytes) {
  const BigInteger number = *BigInteger::FromMagnitude(false, std::string("\0\0\x01\0", 4));
  EXPECT_EQ(number, BigInteger(256));
  EXPECT_EQ(number.magnitude(), std::string("\x01\0", 2));
}

TEST(BigInteger, HasNoNegativeZero) {
  EXPECT_EQ(BigInteger::FromMagnitude(true, std::string(3, '\0')), BigInteger(0));
  EXPECT_EQ(BigInteger::FromDecimal("-0"), BigInteger(0));
  EXPECT_FALSE(Decimal("-000").negative());
}

TEST(BigInteger, HoldsTheEdgesOfTheBuiltInTypes) {
  EXPECT_EQ(BigInteger(kInt64Min).ToString(), "-9223372036854775808");
  EXPECT_EQ(BigInteger(kInt64Max).ToString(), "9223372036854775807");
  EXPECT_EQ(BigInteger(kUint64Max).ToString(), "18446744073709551615");
  EXPECT_EQ(BigInteger(std::int8_t{-128}).ToString(), "-128");
  EXPECT_EQ(BigInteger(std::uint8_t{255}).ToString(), "255");
}

TEST(BigInteger, ConvertsToABuiltInTypeOnlyWhereItFits) {
  EXPECT_EQ(BigInteger(kInt64Min).ToInt64(), kInt64Min);
  EXPECT_EQ(BigInteger(kInt64Max).ToInt64(), kInt64Max);
  EXPECT_EQ(Decimal("9223372036854775808").ToInt64(), std::nullopt);
  EXPECT_EQ(Decimal("-9223372036854775809").ToInt64(), std::nullopt);
  EXPECT_EQ(BigInteger(kUint64Max).ToUint64(), kUint64Max);
  EXPECT_EQ(BigInteger(0).ToUint64(), 0u);
  EXPECT_EQ(BigInteger(-1).ToUint64(), std::nullopt);
  EXPECT_EQ(Decimal("18446744073709551616").ToUint64(), std::nullopt);
  EXPECT_EQ(Decimal("-18446744073709551616").ToInt64(), std::nullopt);
}

TEST(BigInteger, TakesA255ByteMagnitudeAndNoLonger) {
  const BigInteger largest = *BigInteger::FromMagnitude(false, std::string(255, '\xff'));
  EXPECT_EQ(largest.ToString().size(), 615u);
  EXPECT_EQ(Decimal(largest.ToString()), largest);
  const Result<BigInteger> larger =
      BigInteger::FromMagnitude(true, '\x01' + std::string(255, '\0'));
  ASSERT_FALSE(larger);
  EXPECT_EQ(larger.error(),
            Error(ErrorCode::invalid_argument,
                  "big integer: expected a magnitude of at most 255 bytes, found 256"));
  EXPECT_TRUE(BigInteger::FromMagnitude(false, '\0' + std::string(255, '\x01')));
}

TEST(BigInteger, ReadsDecimalDigitsOnly) {
  EXPECT_EQ(Decimal("-00042"), BigInteger(-42));
  for (const std::string_view text : {"", "-", "+1", "1 ", " 1", "1.0", "0x1", "--1", "1-"}) {
    EXPECT_EQ(BigInteger::FromDecimal(text).error().code(), ErrorCode::invalid_argument) << text;
  }
  EXPECT_EQ(BigInteger::FromDecimal("1 ").error().message(),
            "big integer: expected decimal digits, found \"1 \"");
  EXPECT_TRUE(BigInteger::FromDecimal(std::string(10'000, '0')));
  EXPECT_FALSE(BigInteger::FromDecimal('1' + std::string(615, '0')));
  EXPECT_FALSE(BigInteger::FromDecimal(std::string(615, '9')));  // 256 bytes
}

TEST(BigInteger, SortsByValue) {
  const BigInteger sorted[] = {Decimal("-18446744073709551616"),
                               Decimal("-65536"),
                               Decimal("-256"),
                               Decimal("-255"),
                               Decimal("-1"),
                               Decimal("0"),
                               Decimal("1"),
                               Decimal("255"),
                               Decimal("256"),
                               Decimal("65535"),
                               Decimal("18446744073709551616")};
  for (std::size_t i = 0; i < std::size(sorted); ++i) {
    for (std::size_t j = 0; j < std::size(sorted); ++j) {
      EXPECT_EQ(sorted[i] <=> sorted[j], i <=> j) << sorted[i] << " and " << sorted[j];
    }
  }
}

RC_GTEST_PROP(BigInteger, AgreesWithTheBuiltInTypes, (std::int64_t left, std::int64_t right)) {
  RC_ASSERT((BigInteger(left) <=> BigInteger(right)) == (left <=> right));
  RC_ASSERT(BigInteger(left).ToString() == std::to_string(left));
  RC_ASSERT(BigInteger(left).ToInt64() == left);
  RC_ASSERT(Decimal(std::to_string(left)) == BigInteger(left));
}

RC_GTEST_PROP(BigInteger, PrintsWhatItReads, (bool negative, const std::string& bytes)) {
  const BigInteger number = *BigInteger::FromMagnitude(negative, bytes.substr(0, 255));
  RC_ASSERT(Decimal(number.ToString()) == number);
}

}  // namespace
}  // namespace talea
