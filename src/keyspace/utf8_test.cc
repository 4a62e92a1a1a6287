#include "keyspace/utf8.h"

#include <gtest/gtest.h>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::FromHex;

std::string Encoded(std::uint32_t point) {
  const auto tail = [&](int shift) { return static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) return {static_cast<char>(point)};
  if (point < 0x800) return {static_cast<char>(0xc0 | point >> 6), tail(0)};
  if (point < 0x10000) return {static_cast<char>(0xe0 | point >> 12), tail(6), tail(0)};
  return {static_cast<char>(0xf0 | point >> 18), tail(12), tail(6), tail(0)};
}

TEST(Utf8, TakesEveryCodePointButTheSurrogates) {
  for (std::uint32_t point = 0; point < 0x120000; ++point) {
    const std::string text = Encoded(point);
    const bool valid = point <= 0x10ffff && (point < 0xd800 || point > 0xdfff);
    ASSERT_EQ(Utf8PrefixLength(text), valid ? text.size() : 0) << std::hex << point;
  }
}

// Every two bytes there are: nothing but two ASCII characters or one of two bytes.
TEST(Utf8, TakesNoOtherTwoBytes) {
  std::size_t valid = 0;
  for (int first = 0; first < 256; ++first) {
    for (int second = 0; second < 256; ++second) {
      const char bytes[] = {static_cast<char>(first), static_cast<char>(second)};
      if (Utf8PrefixLength(ByteView(bytes, 2)) == 2) ++valid;
    }
  }
  EXPECT_EQ(valid, 0x80u * 0x80u + (0x800u - 0x80u));
}

TEST(Utf8, RefusesOverlongForms) {
  for (const std::string_view hex : {"c0 80", "c1 bf", "e0 80 80", "e0 9f bf", "f0 80 80 80",
                                     "f0 8f bf bf", "f8 88 80 80 80", "fe", "ff"}) {
    EXPECT_EQ(Utf8PrefixLength(FromHex(hex)), 0u) << hex;
  }
}

TEST(Utf8, SaysWhereItStops) {
  EXPECT_EQ(Utf8PrefixLength(""), 0u);
  EXPECT_EQ(Utf8PrefixLength("0123456789abcdef\xff"), 16u);
  EXPECT_EQ(Utf8PrefixLength("01234567\u00e9\x80"), 10u);
  EXPECT_EQ(Utf8PrefixLength("a\xe2\x82"), 1u);   // cut before its last byte
  EXPECT_EQ(Utf8PrefixLength("a\xe2\x82x"), 1u);  // another character instead of it
  EXPECT_EQ(Utf8PrefixLength("a\xf0\x9f\x94x"), 1u);
}

}  // namespace
}  // namespace talea
