#include "talea/where.h"

#include <gtest/gtest.h>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::ToHex;

constexpr std::size_t kElements = 3;

// "[1505, 1505ff) [1506, end)", or the error's message.
std::string IntervalsOf(const Where& where, std::size_t elements = kElements) {
  const Result<std::vector<Where::Interval>> intervals = where.Intervals(elements);
  if (!intervals) return intervals.error().message();
  std::string text;
  for (const Where::Interval& interval : *intervals) {
    if (!text.empty()) text += ' ';
    text += '[' + ToHex(interval.lower) + ", " + (interval.upper ? ToHex(*interval.upper) : "end") +
            ')';
  }
  return text;
}

const std::string kEverything = "[, end)";
const std::string kNothing;

TEST(Where, EqualFindsAllThatBeginsWithTheValue) {
  EXPECT_EQ(IntervalsOf(Where::Equal({5})), "[1505, 1505ff)");
  EXPECT_EQ(IntervalsOf(Where::Equal({"de"})), "[02646500, 02646500ff)");
  EXPECT_EQ(IntervalsOf(Where::Equal({"de", 5})), "[026465001505, 026465001505ff)");
  EXPECT_EQ(IntervalsOf(Where::Equal({nullptr})), "[00, 00ff)");
}

TEST(Where, ComparisonsEndAtTheValueOrBehindIt) {
  EXPECT_EQ(IntervalsOf(Where::Below({5})), "[, 1505)");
  EXPECT_EQ(IntervalsOf(Where::AtMost({5})), "[, 1505ff)");
  EXPECT_EQ(IntervalsOf(Where::Above({5})), "[1505ff, end)");
  EXPECT_EQ(IntervalsOf(Where::AtLeast({5})), "[1505, end)");
}

TEST(Where, ARangeHoldsItsBeginAndNotItsEnd) {
  EXPECT_EQ(IntervalsOf(Where::Range({5}, {7})), "[1505, 1507)");
  EXPECT_EQ(IntervalsOf(Where::Range({"a"}, {"a", 1})), "[026100, 0261001501)");
}

TEST(Where, ARangeOfEqualEndsHoldsNothing) {
  EXPECT_EQ(IntervalsOf(Where::Range({5}, {5})), kNothing);
}

TEST(Where, AnInvertedRangeIsRefusedWithBothEnds) {
  const Result<std::vector<Where::Interval>> inverted =
      Where::Range({"b", 1}, {"a"}).Intervals(kElements);
  ASSERT_FALSE(inverted.has_value());
  EXPECT_EQ(inverted.error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(inverted.error().message(),
            "range of values: expected an end at or after the begin (\"b\", 1), found (\"a\")");
  EXPECT_FALSE(Where::Range({"a", 1}, {"a"}).Intervals(kElements).has_value());
}

TEST(Where, LongValuesAreCutInMessages) {
  const Tuple begin = {Text("b" + std::string(9'000, 'x'))};
  const std::string message = IntervalsOf(Where::Range(begin, {"a"}));
  EXPECT_TRUE(message.ends_with("xxx..., found (\"a\")")) << message;
  EXPECT_LT(message.size(), 200u);
}

TEST(Where, StartsWithFindsTheRestOfTextAndBytes) {
  EXPECT_EQ(IntervalsOf(Where::StartsWith({"Lon"})), "[024c6f6e, 024c6f6f)");
  EXPECT_EQ(IntervalsOf(Where::StartsWith({"de", "a"})), "[026465000261, 026465000262)");
  EXPECT_EQ(IntervalsOf(Where::StartsWith({""})), "[02, 03)");
  EXPECT_EQ(IntervalsOf(Where::StartsWith({Bytes("\xff")})), "[01ff, 02)");
  EXPECT_EQ(IntervalsOf(Where::StartsWith({Bytes(ByteView("a\0", 2))})), "[016100ff, 016101)");
}

TEST(Where, OnlyTextAndBytesHaveABeginning) {
  EXPECT_EQ(IntervalsOf(Where::StartsWith({1})),
            "tuple element: expected text or bytes as the last one, found integer 1");
  EXPECT_EQ(IntervalsOf(Where::StartsWith({})),
            "tuple: expected text or bytes as the last element, found no element");
}

TEST(Where, InFindsEachValueOnceHoweverTheyAreGiven) {
  EXPECT_EQ(IntervalsOf(Where::In({{7}, {5}, {7}})), "[1505, 1505ff) [1507, 1507ff)");
  EXPECT_EQ(IntervalsOf(Where::In({{"a", 1}, {"a"}})), "[026100, 026100ff)");
}

TEST(Where, InOfNoValuesFindsNothing) {
  EXPECT_EQ(IntervalsOf(Where::In({})), kNothing);
  EXPECT_EQ(IntervalsOf(Where()), kNothing);
}

TEST(Where, EverythingBeginsWithTheEmptyTuple) {
  EXPECT_EQ(IntervalsOf(Where::All()), kEverything);
  EXPECT_EQ(IntervalsOf(Where::Equal({})), kEverything);
  EXPECT_EQ(IntervalsOf(Where::AtMost({})), kEverything);
  EXPECT_EQ(IntervalsOf(Where::AtLeast({})), kEverything);
  EXPECT_EQ(IntervalsOf(Where::In({{5}, {}})), kEverything);
  EXPECT_EQ(IntervalsOf(Where::Above({})), kNothing);
  EXPECT_EQ(IntervalsOf(Where::Below({})), kNothing);
}

TEST(Where, AndFindsWhatBothFind) {
  EXPECT_EQ(IntervalsOf(Where::AtLeast({5}) && Where::Below({7})), "[1505, 1507)");
  EXPECT_EQ(IntervalsOf(Where::Equal({5}) && Where::Equal({7})), kNothing);
  EXPECT_EQ(IntervalsOf(Where::Below({5}) && Where::AtLeast({5})), kNothing);
  EXPECT_EQ(IntervalsOf(Where::In({{1}, {5}, {9}}) && Where::Range({2}, {9})), "[1505, 1505ff)");
}

TEST(Where, OrFindsWhatEitherFinds) {
  EXPECT_EQ(IntervalsOf(Where::Equal({7}) || Where::Equal({5})), "[1505, 1505ff) [1507, 1507ff)");
  EXPECT_EQ(IntervalsOf(Where::Range({1}, {9}) || Where::Range({3}, {5})), "[1501, 1509)");
  EXPECT_EQ(IntervalsOf(Where::AtLeast({1}) || Where::Range({3}, {5})), "[1501, end)");
}

TEST(Where, IntervalsThatTouchAreOne) {
  EXPECT_EQ(IntervalsOf(Where::Equal({5}) || Where::Above({5})), "[1505, end)");
  EXPECT_EQ(IntervalsOf(Where::Range({5}, {7}) || Where::Range({7}, {9})), "[1505, 1509)");
  EXPECT_EQ(IntervalsOf(Where::Below({5}) || Where::AtLeast({5})), kEverything);
}

TEST(Where, NotFindsAllTheOthers) {
  EXPECT_EQ(IntervalsOf(!Where::Equal({5})), "[, 1505) [1505ff, end)");
  EXPECT_EQ(IntervalsOf(!Where::In({{5}, {7}})), "[, 1505) [1505ff, 1507) [1507ff, end)");
  EXPECT_EQ(IntervalsOf(!Where::All()), kNothing);
  EXPECT_EQ(IntervalsOf(!Where()), kEverything);
  EXPECT_EQ(IntervalsOf(!!Where::Range({5}, {7})), "[1505, 1507)");
}

TEST(Where, WhatIsWrongWithAConditionIsRememberedInAllThatIsMadeOfIt) {
  const Tuple wrong = {Text("\xff")};
  const std::string message = Pack(wrong).error().message();
  for (const Where& where :
       {Where::Equal(wrong), Where::In({{1}, wrong}), Where::Below(wrong), Where::AtMost(wrong),
        Where::Above(wrong), Where::AtLeast(wrong), Where::Range(wrong, {"a"}),
        Where::Range({"a"}, wrong), Where::StartsWith(wrong)}) {
    EXPECT_EQ(IntervalsOf(where), message);
    EXPECT_EQ(IntervalsOf(!where), message);
    EXPECT_EQ(IntervalsOf(where && Where()), message);
    EXPECT_EQ(IntervalsOf(Where::All() || where), message);
    EXPECT_EQ(where.Intervals(kElements).error().code(), ErrorCode::invalid_argument);
  }
}

TEST(Where, OfTwoErrorsTheFirstIsTold) {
  const Where number = Where::StartsWith({1});
  const Where empty = Where::StartsWith({});
  EXPECT_EQ(IntervalsOf(number || empty), IntervalsOf(number));
  EXPECT_EQ(IntervalsOf(empty && number), IntervalsOf(empty));
}

TEST(Where, ATupleOfMoreElementsThanTheIndexHasIsRefused) {
  const std::string message =
      "condition: expected values of at most 1 elements, as the index has, found one of 2";
  const Tuple long_tuple = {"a", "b"};
  for (const Where& where :
       {Where::Equal(long_tuple), Where::In({{"a"}, long_tuple}), Where::Below(long_tuple),
        Where::AtMost(long_tuple), Where::Above(long_tuple), Where::AtLeast(long_tuple),
        Where::Range({"a"}, long_tuple), Where::Range(long_tuple, {"c"}),
        Where::StartsWith(long_tuple)}) {
    EXPECT_EQ(IntervalsOf(where, 1), message);
    EXPECT_EQ(IntervalsOf(!where, 1), message);
    EXPECT_EQ(IntervalsOf(where && Where(), 1), message);
    EXPECT_EQ(IntervalsOf(Where::All() || where, 1), message);
    EXPECT_TRUE(where.Intervals(2).has_value());
  }
}

}  // namespace
}  // namespace talea
