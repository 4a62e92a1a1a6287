#include "talea/tuple.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <sstream>
#include <type_traits>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::FromHex;
using ::testing::HasSubstr;
using testing::PackedHex;

constexpr std::int64_t kInt64Min = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kInt64Max = std::numeric_limits<std::int64_t>::max();
constexpr std::uint64_t kUint64Max = std::numeric_limits<std::uint64_t>::max();

BigInteger Decimal(std::string_view digits) { return *BigInteger::FromDecimal(digits); }

TEST(Element, IsNullUnlessGivenAValue) {
  EXPECT_TRUE(Element().is_null());
  EXPECT_EQ(Element(), Element(nullptr));
  EXPECT_EQ(Element(), Element(Null{}));
}

TEST(Element, KnowsItsType) {
  EXPECT_EQ(Element(nullptr).type(), ElementType::null);
  EXPECT_EQ(Element(Bytes("a")).type(), ElementType::bytes);
  EXPECT_EQ(Element("a").type(), ElementType::text);
  EXPECT_EQ(Element(Tuple{}).type(), ElementType::nested);
  EXPECT_EQ(Element(7).type(), ElementType::integer);
  EXPECT_EQ(Element(kUint64Max).type(), ElementType::integer);
  EXPECT_EQ(Element(1.5f).type(), ElementType::float32);
  EXPECT_EQ(Element(1.5).type(), ElementType::float64);
  EXPECT_EQ(Element(true).type(), ElementType::boolean);
  EXPECT_EQ(Element(Uuid{}).type(), ElementType::uuid);
}

// Each of these would otherwise be a number, a truth value or the wrong kind of
// string without a word.
TEST(Element, IsNotMadeOfWhatCouldMeanTwoThings) {
  static_assert(!std::is_convertible_v<std::string, Element>);
  static_assert(!std::is_convertible_v<std::string_view, Element>);
  static_assert(!std::is_convertible_v<char, Element>);
  static_assert(!std::is_convertible_v<char32_t, Element>);
  static_assert(!std::is_convertible_v<long double, Element>);
  static_assert(!std::is_convertible_v<const int*, Element>);
  static_assert(std::is_convertible_v<const char*, Element>);
  static_assert(std::is_convertible_v<std::uint8_t, Element>);
}

TEST(Element, OfTheSameNumberIsEqualWhateverTheIntegerType) {
  EXPECT_EQ(Element(5), Element(std::uint8_t{5}));
  EXPECT_EQ(Element(5), Element(std::uint64_t{5}));
  EXPECT_EQ(Element(5), Element(BigInteger(5)));
  EXPECT_EQ(Element(kUint64Max), Element(Decimal("18446744073709551615")));
  EXPECT_NE(Element(-1), Element(kUint64Max));
}

TEST(Element, GivesItsValueBack) {
  EXPECT_EQ(Element(kInt64Min).AsInt(), kInt64Min);
  EXPECT_EQ(Element(kUint64Max).AsUint(), kUint64Max);
  EXPECT_EQ(Element(7).AsUint(), 7u);
  EXPECT_EQ(Element(7).AsBigInteger(), BigInteger(7));
  EXPECT_EQ(Element(1.5f).AsFloat(), 1.5f);
  EXPECT_EQ(Element(1.5).AsDouble(), 1.5);
  EXPECT_EQ(Element(true).AsBool(), true);
  EXPECT_EQ(Element(Uuid{{1, 2}}).AsUuid(), (Uuid{{1, 2}}));
  const Tuple tuple{"text", Bytes("bytes"), Tuple{1, 2}};
  EXPECT_EQ(tuple[0].AsText(), "text");
  EXPECT_EQ(tuple[1].AsBytes(), "bytes");
  EXPECT_EQ(**tuple[2].AsNested(), (Tuple{1, 2}));
}

TEST(Element, OfAnotherTypeSaysWhatWasExpectedAndWhatWasFound) {
  const Result<std::int64_t> number = Element("seven").AsInt();
  ASSERT_FALSE(number);
  EXPECT_EQ(number.error(),
            Error(ErrorCode::invalid_argument,
                  "tuple element: expected a signed integer of 64 bits, found text \"seven\""));
  EXPECT_FALSE(Element(kUint64Max).AsInt());
  EXPECT_FALSE(Element(-1).AsUint());
  EXPECT_FALSE(Element(1.5).AsFloat());
  EXPECT_FALSE(Element(1.5f).AsDouble());
  EXPECT_FALSE(Element(1).AsBool());
  EXPECT_FALSE(Element(nullptr).AsUuid());
  EXPECT_FALSE(Element(nullptr).AsBigInteger());
  const Element text("text");
  const Element bytes(Bytes("bytes"));
  EXPECT_FALSE(text.AsBytes());
  EXPECT_FALSE(text.AsNested());
  EXPECT_FALSE(bytes.AsText());
}

TEST(Element, SortsByTypeAndThenByValue) {
  const float float_nan = std::numeric_limits<float>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const Tuple sorted{nullptr,
                     Bytes(""),
                     Bytes(FromHex("00")),
                     Bytes("a"),
                     Bytes(FromHex("ff")),
                     "",
                     Text(FromHex("00")),
                     "a",
                     "\U0010ffff",
                     Tuple{},
                     Tuple{nullptr},
                     Tuple{nullptr, nullptr},
                     Tuple{Bytes("")},
                     Decimal("-18446744073709551617"),
                     Decimal("-18446744073709551616"),
                     Decimal("-18446744073709551615"),
                     Decimal("-9223372036854775809"),
                     kInt64Min,
                     -256,
                     -255,
                     -1,
                     0,
                     1,
                     255,
                     256,
                     kInt64Max,
                     Decimal("9223372036854775808"),
                     kUint64Max,
                     Decimal("18446744073709551616"),
                     -float_nan,
                     -1.0f,
                     -0.0f,
                     0.0f,
                     1.0f,
                     float_nan,
                     -nan,
                     -infinity,
                     -1.0,
                     -0.0,
                     0.0,
                     1.0,
                     infinity,
                     nan,
                     false,
                     true,
                     Uuid{},
                     Uuid{{1}}};
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    for (std::size_t j = 0; j < sorted.size(); ++j) {
      EXPECT_EQ(sorted[i] <=> sorted[j], i <=> j) << sorted[i] << " and " << sorted[j];
      EXPECT_EQ(sorted[i] == sorted[j], i == j) << sorted[i] << " and " << sorted[j];
      EXPECT_EQ(*Pack({sorted[i]}) <=> *Pack({sorted[j]}), i <=> j)
          << sorted[i] << " and " << sorted[j];
    }
  }
}

TEST(Tuple, IsPrintedForPeople) {
  EXPECT_EQ(ToString({"user", 42, nullptr, Bytes(FromHex("00ff"))}),
            "(\"user\", 42, null, 0x00ff)");
  EXPECT_EQ(ToString({}), "()");
  EXPECT_EQ(ToString({Tuple{}, Tuple{nullptr}, true, false}), "((), (null), true, false)");
  EXPECT_EQ(ToString({"F\u00d4O", Text(FromHex("22 5c 00 0a 7f"))}),
            R"(("FÔO", "\"\\\x00\x0a\x7f"))");
  EXPECT_EQ(ToString({Text(FromHex("61 80"))}), R"(("a\x80"))");
  EXPECT_EQ(ToString({Text(FromHex("80 22 5c"))}), R"(("\x80\x22\x5c"))");
  EXPECT_EQ(ToString({1.0f, -0.0, 1e300, 0.1f, 0.1}), "(1.0f, -0.0, 1e+300, 0.1f, 0.1)");
  EXPECT_EQ(ToString({Decimal("-18446744073709551616")}), "(-18446744073709551616)");
  EXPECT_EQ(ToString({Uuid{}}), "(00000000-0000-0000-0000-000000000000)");
  std::ostringstream out;
  out << Tuple{1, "a"} << Element(2) << ElementType::uuid;
  EXPECT_EQ(out.str(), "(1, \"a\")2uuid");
}

TEST(Tuple, PacksTheLargestInt64AsEightBytes) {
  EXPECT_EQ(PackedHex({kInt64Max}), "1c7fffffffffffffff");
}

TEST(Tuple, RefusesToPackTextThatIsNotUtf8) {
  const Result<std::string> packed = Pack({1, Text(FromHex("61 c0 80"))});
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error(), Error(ErrorCode::invalid_argument,
                                  "tuple text \"a\\xc0\\x80\": expected UTF-8, found byte 0xc0 at "
                                  "index 1"));
}

Tuple NestedTimes(std::size_t depth) {
  Tuple tuple;
  for (std::size_t i = 0; i < depth; ++i) tuple = Tuple{Element(tuple)};
  return tuple;
}

TEST(Tuple, PacksAndUnpacksTheDeepestNesting) {
  const Tuple tuple = NestedTimes(kMaxTupleDepth);
  EXPECT_EQ(Unpack(*Pack(tuple)), tuple);
}

TEST(Tuple, RefusesDeeperNesting) {
  const Result<std::string> packed = Pack(NestedTimes(kMaxTupleDepth + 1));
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().code(), ErrorCode::invalid_argument);
  EXPECT_THAT(packed.error().message(), HasSubstr("at most 32 tuples inside each other"));
  const Result<Tuple> unpacked = Unpack(std::string(100'000, '\x05'));
  ASSERT_FALSE(unpacked);
  EXPECT_EQ(
      unpacked.error(),
      Error(ErrorCode::corruption,
            "tuple at byte 32: expected at most 32 tuples inside each other, found one more"));
}

TEST(KeysInside, HoldsLongerTuplesButNotThePrefixItself) {
  const KeyRange range = *KeysInside({"user", 1});
  EXPECT_EQ(range.begin(), *Pack({"user", 1}) + FromHex("00"));
  EXPECT_EQ(range.end(), *Pack({"user", 1}) + FromHex("ff"));
  EXPECT_FALSE(range.Contains(*Pack({"user", 1})));
  EXPECT_TRUE(range.Contains(*Pack({"user", 1, nullptr})));
  EXPECT_TRUE(range.Contains(*Pack({"user", 1, Uuid{{0xff}}})));
  EXPECT_FALSE(range.Contains(*Pack({"user", 2})));
  EXPECT_EQ(KeysInsidePacked(*Pack({"user", 1})), range);
}

TEST(KeysInside, OfNoElementsHoldsEveryTupleButTheEmptyOne) {
  const KeyRange range = *KeysInside({});
  EXPECT_FALSE(range.Contains(""));
  EXPECT_TRUE(range.Contains(*Pack({nullptr})));
  EXPECT_TRUE(range.Contains(*Pack({Uuid{{0xff}}})));
}

TEST(KeysStartingWith, HoldsThePrefixItselfAndAllThatFollowsIt) {
  const KeyRange range = *KeysStartingWith({"user"});
  EXPECT_TRUE(range.Contains(*Pack({"user"})));
  EXPECT_TRUE(range.Contains(*Pack({"user", 1})));
  EXPECT_TRUE(range.Contains(*Pack({"user"}) + "\xff\xff"));
  EXPECT_FALSE(range.Contains(*Pack({"users"})));
}

TEST(KeysStartingWithPartOf, TakesTheLastElementAsABeginning) {
  const KeyRange range = *KeysStartingWithPartOf({"city", "San "});
  EXPECT_TRUE(range.Contains(*Pack({"city", "San Francisco", 1})));
  EXPECT_TRUE(range.Contains(*Pack({"city", "San "})));
  EXPECT_FALSE(range.Contains(*Pack({"city", "San"})));
  EXPECT_FALSE(range.Contains(*Pack({"city", "Sao Paulo"})));
  EXPECT_FALSE(range.Contains(*Pack({"city", Bytes("San Francisco")})));
}

TEST(KeysStartingWithPartOf, RefusesWhatHasNoBeginning) {
  EXPECT_EQ(KeysStartingWithPartOf({}).error().code(), ErrorCode::invalid_argument);
  EXPECT_EQ(KeysStartingWithPartOf({"city", 5}).error().message(),
            "tuple element: expected text or bytes as the last one, found integer 5");
}

}  // namespace
}  // namespace talea
