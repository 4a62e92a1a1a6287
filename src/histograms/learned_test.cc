#include "histograms/learned.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>

#include "keyspace/tuple_testing.h"

namespace talea::histograms {
namespace {

using talea::testing::FromHex;
using talea::testing::ToHex;

Span SpanOf(std::string_view lower, std::string_view upper) {
  return {FromHex(lower), FromHex(upper)};
}

TEST(FractionOf, IsZeroAtTheLowerEndAndOneAtTheUpper) {
  const Span span = SpanOf("1505", "1509");
  EXPECT_EQ(FractionOf(span, FromHex("1505")), 0);
  EXPECT_EQ(FractionOf(span, FromHex("1509")), 1);
  EXPECT_EQ(FractionOf(span, FromHex("14")), 0);
  EXPECT_EQ(FractionOf(span, FromHex("16")), 1);
  EXPECT_EQ(FractionOf(span, ""), 0);
}

TEST(FractionOf, GrowsEvenlyInBetween) {
  const Span span = SpanOf("1505", "1509");
  EXPECT_EQ(FractionOf(span, FromHex("1506")), 0.25);
  EXPECT_EQ(FractionOf(span, FromHex("1507")), 0.5);
  EXPECT_EQ(FractionOf(span, FromHex("150780")), 0.625);
}

TEST(FractionOf, LooksBeyondWhatTheEndsHaveInCommon) {
  const std::string common(100, 'u');
  const Span span = {common + '\x10', common + '\x20'};
  EXPECT_EQ(FractionOf(span, common + '\x14'), 0.25);
  EXPECT_EQ(FractionOf(span, common + "\x1f\xff"), 0xfff / 4096.0);
}

TEST(FractionOf, IsFineWhereTheFirstByteDiffersByOne) {
  const Span span = SpanOf("00ffffffffffff00", "0100000000000100");
  EXPECT_EQ(FractionOf(span, FromHex("00ffffffffffff80")), 0.25);
  EXPECT_EQ(FractionOf(span, FromHex("0100000000000000")), 0.5);
}

TEST(FractionOf, TakesTheLargestBytesForAnAbsentEnd) {
  const Span all = {"", std::nullopt};
  EXPECT_EQ(FractionOf(all, ""), 0);
  EXPECT_DOUBLE_EQ(FractionOf(all, FromHex("40")), 0.25);
  EXPECT_LE(FractionOf(all, std::string(20, '\xff')), 1);
  const Span last = {FromHex("ffff80"), std::nullopt};
  EXPECT_EQ(FractionOf(last, FromHex("ffff80")), 0);
  EXPECT_DOUBLE_EQ(FractionOf(last, FromHex("ffffc0")), 0.5);
  EXPECT_LT(FractionOf({FromHex("ffff"), std::nullopt}, FromHex("ffff01")), 0.01);
}

TEST(FractionOf, IsDefinedWhereTheEndsDifferInZerosOnly) {
  const Span span = SpanOf("15", "1500000000000000000000");
  EXPECT_EQ(FractionOf(span, FromHex("150000")), 0);
  EXPECT_EQ(FractionOf(span, *span.upper), 1);
}

constexpr Peeked kNotLooked = {};

Position At(std::string_view bound, std::int64_t count, const Peeked& in_front,
            const Peeked& behind) {
  return PositionWithin(SpanOf("1500", "1580"), FromHex(bound), count, in_front, behind);
}

TEST(PositionWithin, IsExactWhereTheFrontIsCounted) {
  EXPECT_EQ(At("1540", 1000, {7, true}, kNotLooked), (Position{7, 7, 7}));
  EXPECT_TRUE(At("1540", 1000, {7, true}, kNotLooked).exact());
  EXPECT_EQ(At("1540", 1000, {0, true}, kNotLooked), (Position{0, 0, 0}));
}

TEST(PositionWithin, IsExactWhereTheBackIsCounted) {
  EXPECT_EQ(At("1540", 1000, kNotLooked, {7, true}), (Position{993, 993, 993}));
  EXPECT_EQ(At("1540", 1000, {11, false}, {7, true}), (Position{993, 993, 993}));
  EXPECT_EQ(At("1540", 1000, kNotLooked, {0, true}), (Position{1000, 1000, 1000}));
}

TEST(PositionWithin, IsJudgedByTheBytesWhereNobodyLooked) {
  EXPECT_EQ(At("1520", 1000, kNotLooked, kNotLooked), (Position{250, 0, 1000}));
  EXPECT_EQ(At("1540", 1000, kNotLooked, kNotLooked), (Position{500, 0, 1000}));
  EXPECT_FALSE(At("1540", 1000, kNotLooked, kNotLooked).exact());
}

TEST(PositionWithin, LiesBehindAllThatWasCountedFromEitherEnd) {
  EXPECT_EQ(At("1520", 1000, {11, false}, {11, false}), (Position{250, 11, 989}));
  EXPECT_EQ(At("1501", 1000, {11, false}, {11, false}), (Position{11, 11, 989}));
  EXPECT_EQ(At("157f", 1000, {11, false}, {11, false}), (Position{989, 11, 989}));
  EXPECT_EQ(At("1501", 1000, {11, false}, kNotLooked), (Position{11, 11, 1000}));
  EXPECT_EQ(At("157f", 1000, kNotLooked, {11, false}), (Position{989, 0, 989}));
}

TEST(PositionWithin, IsZeroInABucketWithoutEntries) {
  EXPECT_EQ(At("1540", 0, kNotLooked, kNotLooked), (Position{0, 0, 0}));
}

TEST(PositionWithin, BelievesEntriesMoreThanADamagedCounter) {
  using Limits = std::numeric_limits<std::int64_t>;
  for (const std::int64_t count : {Limits::min(), std::int64_t{-1}, std::int64_t{3}}) {
    EXPECT_EQ(At("1540", count, {7, true}, kNotLooked), (Position{7, 7, 7}));
    EXPECT_EQ(At("1540", count, kNotLooked, {7, true}), (Position{0, 0, 0}));
    EXPECT_EQ(At("1540", count, {7, false}, {7, false}), (Position{7, 7, 7}));
    EXPECT_EQ(At("1540", count, {7, false}, {7, true}), (Position{7, 7, 7}));
  }
  EXPECT_EQ(At("1540", -1, kNotLooked, kNotLooked), (Position{0, 0, 0}));
  EXPECT_EQ(At("157f", Limits::max(), kNotLooked, kNotLooked).high,
            static_cast<std::uint64_t>(Limits::max()));
}

TEST(Separator, IsTheShortestThatDoes) {
  EXPECT_EQ(Separator("apple", "banana"), "b");
  EXPECT_EQ(Separator("user:00017", "user:00023"), "user:0002");
  EXPECT_EQ(Separator("", "a"), "a");
}

TEST(Separator, LeavesDocumentsOfTheFirstValueInFrontOfIt) {
  const std::string before = Pack({"a"}).value();
  const std::string after = Pack({Text(std::string_view("a\0b", 3))}).value();
  EXPECT_EQ(ToHex(Separator(before, after)), "026100ff");
}

}  // namespace
}  // namespace talea::histograms
