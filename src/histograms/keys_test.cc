#include "histograms/keys.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"
#include "talea/tuple.h"

namespace talea::histograms {
namespace {

// Boundaries that are the beginning of others, with the byte that packing escapes, are the hard
// ones.
const std::vector<std::string>& Boundaries() {
  static const std::vector<std::string> boundaries{"",
                                                   std::string("\0", 1),
                                                   std::string("\0\xff", 2),
                                                   "\x02",
                                                   "a",
                                                   std::string("a\0", 2),
                                                   std::string("a\0b", 3),
                                                   "a\x14",
                                                   "b",
                                                   std::string("b\xff", 2),
                                                   "\xff",
                                                   "\xff\xff"};
  return boundaries;
}

// Whoever changes this test changes the format on disk.
TEST(HistogramKeys, HaveTheseBytes) {
  const BucketId bucket{std::string("\x02z\0", 3), 3};
  EXPECT_EQ(Hex(NameKey("age")), "14 02 61 67 65 00");
  EXPECT_EQ(Hex(IndexKey(258)), "15 01 16 01 02");
  EXPECT_EQ(Hex(EntryPrefix(1)), "15 08 15 01");
  EXPECT_EQ(Hex(BucketKey(1, 2, bucket)), "15 03 15 01 15 02 01 02 7a 00 ff 00 15 03");
  EXPECT_EQ(Hex(IndexChangeKey(1, 0)), "15 04 15 01 14");
  EXPECT_EQ(Hex(BucketEndKey(1, 2, bucket)), "15 05 15 01 15 02 01 02 7a 00 ff 00 15 03");
  EXPECT_EQ(Hex(LastIndexKey()), "15 06");
  EXPECT_EQ(Hex(BuildKey(1)), "15 07 15 01");
  EXPECT_EQ(Hex(CounterKey(1, 2, bucket.lower, 3)), "15 01 15 02 01 02 7a 00 ff 00 15 03");
}

TEST(HistogramKeys, TellWhatTheyWereMadeOf) {
  EXPECT_EQ(ASSERT_VALUE(NameOfKey(NameKey("h\u00f6he"))), "h\u00f6he");
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{300}, ~std::uint64_t{0}}) {
    EXPECT_EQ(ASSERT_VALUE(IndexOfKey(IndexKey(number))), number);
    EXPECT_EQ(ASSERT_VALUE(IndexOfBuildKey(BuildKey(number))), number);
    for (const std::string& boundary : Boundaries()) {
      const BucketId bucket{boundary, number};
      const std::string key = BucketKey(number, 7, bucket);
      EXPECT_EQ(ASSERT_VALUE(PartsOfBucketKey(key)), (BucketKeyParts{number, 7, bucket}));
      EXPECT_EQ(ASSERT_VALUE(BucketOfKey(key)), bucket);
      EXPECT_EQ(ASSERT_VALUE(PartsOfCounterKey(CounterKey(7, number, boundary, number))),
                (CounterKeyParts{7, number, boundary, number}));
      const std::string entry = EntryPrefix(number) + boundary;
      EXPECT_EQ(ASSERT_VALUE(PartsOfEntryKey(entry)), (EntryKeyParts{number, boundary}));
    }
  }
}

template <class Parse>
void ExpectRefused(const std::string& key, Parse parse) {
  const auto result = parse(key);
  ASSERT_FALSE(result) << Quoted(key);
  EXPECT_EQ(result.error().code(), ErrorCode::corruption) << Quoted(key);
  EXPECT_NE(result.error().message().find(Quoted(key)), std::string::npos) << result.error();
}

// That a key is refused when it is cut anywhere, has one more byte, or is of another kind.
template <class Parse>
void ExpectNothingElse(const std::string& key, const std::string& another, Parse parse) {
  ASSERT_OK(parse(key));
  for (std::size_t size = 0; size < key.size(); ++size) ExpectRefused(key.substr(0, size), parse);
  for (const char byte : {'\0', '\x15', '\xff'}) ExpectRefused(key + byte, parse);
  ExpectRefused(another, parse);
}

TEST(HistogramKeys, AreRefusedWhereTheyAreNotWhole) {
  const std::string bucket = BucketKey(300, 2, {"abc", 3});
  const std::string end = BucketEndKey(300, 2, {"abc", 3});
  const std::string counter = CounterKey(300, 2, "abc", 3);
  ExpectNothingElse(NameKey("age"), IndexKey(1), NameOfKey);
  ExpectNothingElse(IndexKey(300), BuildKey(300), IndexOfKey);
  ExpectNothingElse(BuildKey(300), IndexKey(300), IndexOfBuildKey);
  ExpectNothingElse(bucket, end, PartsOfBucketKey);
  ExpectNothingElse(bucket, end, BucketOfKey);
  ExpectNothingElse(counter, bucket, PartsOfCounterKey);
  const std::string entry = EntryPrefix(300);
  for (std::size_t size = 0; size < entry.size(); ++size) {
    ExpectRefused(entry.substr(0, size), PartsOfEntryKey);
  }
  ExpectRefused(bucket, PartsOfEntryKey);
}

TEST(HistogramKeys, AreRefusedWithElementsThatNobodyWrites) {
  const auto packed = [](const Tuple& tuple) { return Pack(tuple).value(); };
  ExpectRefused(packed({0, Bytes("age")}), NameOfKey);
  ExpectRefused(packed({0, Text("")}), NameOfKey);
  ExpectRefused(packed({0, Text(std::string(256, 'n'))}), NameOfKey);
  ExpectRefused(packed({1, -1}), IndexOfKey);
  ExpectRefused(packed({-2, 1}), PartsOfEntryKey);
  ExpectRefused(packed({3, 1, 2, Text("a"), 4}), PartsOfBucketKey);
  ExpectRefused(packed({3, 1, 2, Bytes("a"), -4}), PartsOfBucketKey);
  ExpectRefused(packed({1, 2, Text("a"), 4}), PartsOfCounterKey);
  ExpectRefused(FromHex("15 01 1d 09 01 00 00 00 00 00 00 00 00 01 61 00 15 04"),
                PartsOfCounterKey);
}

TEST(HistogramKeys, HoldEachIndexApart) {
  const std::vector<std::uint64_t> numbers{0, 1, 2, 255, 256, 300, ~std::uint64_t{0}};
  for (const std::uint64_t one : numbers) {
    for (const std::uint64_t other : numbers) {
      const bool same = one == other;
      EXPECT_EQ(EntryKeys(one).Contains(EntryPrefix(other) + '\xfe'), same);
      EXPECT_EQ(BucketKeysOfIndex(one).Contains(BucketKey(other, 1, {})), same);
      EXPECT_EQ(BucketKeys(1, one).Contains(BucketKey(1, other, {"\xff", 9})), same);
      EXPECT_EQ(CounterKeysOfIndex(one).Contains(CounterKey(other, 1, "", 0)), same);
      EXPECT_EQ(CounterKeys(1, one).Contains(CounterKey(1, other, "\xff", 9)), same);
    }
    EXPECT_FALSE(NameKeys().Contains(IndexKey(one)));
  }
  EXPECT_TRUE(NameKeys().Contains(NameKey("\x7f")));
}

TEST(HistogramKeys, SortAsTheirBoundariesAndThenAsTheirGenerations) {
  std::string before_bucket;
  std::string before_counter;
  std::vector<std::string> boundaries = Boundaries();
  std::ranges::sort(boundaries);
  for (const std::string& boundary : boundaries) {
    for (const Generation generation : {0u, 1u, 255u, 256u, 70'000u}) {
      const std::string bucket = BucketKey(1, 2, {boundary, generation});
      const std::string counter = CounterKey(1, 2, boundary, generation);
      EXPECT_LT(before_bucket, bucket);
      EXPECT_LT(before_counter, counter);
      before_bucket = bucket;
      before_counter = counter;
    }
  }
}

TEST(HistogramKeys, LieWithinTheBoundsOfTheirBytes) {
  for (const std::string& bytes : Boundaries()) {
    for (const std::string& lower : Boundaries()) {
      const bool below = bytes < lower;
      for (const Generation generation : {Generation{0}, Generation{300}, ~Generation{0}}) {
        const std::string bucket = BucketKey(1, 2, {bytes, generation});
        const std::string counter = CounterKey(1, 2, bytes, generation);
        EXPECT_EQ(BucketKeysUpTo(1, 2, lower).Contains(bucket), bytes <= lower) << Quoted(bytes);
        EXPECT_EQ(BucketKeysWithin(1, 2, lower, std::nullopt).Contains(bucket), !below);
        EXPECT_EQ(BucketKeysWithin(1, 2, "", lower).Contains(bucket), below) << Quoted(bytes);
        EXPECT_EQ(CounterKeysWithin(1, 2, lower, std::nullopt).Contains(counter), !below);
        EXPECT_EQ(CounterKeysWithin(1, 2, "", lower).Contains(counter), below) << Quoted(bytes);
      }
      const std::string entry = EntryPrefix(1) + bytes;
      EXPECT_EQ(EntryKeysWithin(1, lower, std::nullopt).Contains(entry), !below);
      EXPECT_EQ(EntryKeysWithin(1, "", lower).Contains(entry), below) << Quoted(bytes);
    }
    EXPECT_FALSE(EntryKeysWithin(1, bytes, std::nullopt).Contains(EntryPrefix(2) + bytes));
    EXPECT_FALSE(BucketKeysWithin(1, 2, bytes, std::nullopt).Contains(BucketKey(1, 3, {})));
    EXPECT_FALSE(CounterKeysWithin(1, 2, bytes, std::nullopt).Contains(CounterKey(1, 3, "", 0)));
  }
}

TEST(HistogramKeys, AreNoneWithinBoundsThatAreInverted) {
  EXPECT_TRUE(EntryKeysWithin(1, "b", "a").empty());
  EXPECT_TRUE(BucketKeysWithin(1, 2, "b", "a").empty());
  EXPECT_TRUE(CounterKeysWithin(1, 2, "b", "a").empty());
}

TEST(ValueLength, EndsWhereTheDocumentBegins) {
  const std::string value = Pack({"London", 7, nullptr}).value();
  const std::string bytes = value + Pack({Text("ada")}).value();
  EXPECT_EQ(ASSERT_VALUE(ValueLength(bytes, 3)), value.size());
  EXPECT_EQ(ASSERT_VALUE(ValueLength(bytes, 0)), 0u);
  EXPECT_EQ(ASSERT_VALUE(ValueLength(bytes, 4)), bytes.size());
  EXPECT_ERROR(ValueLength(bytes, 5), ErrorCode::corruption);
  EXPECT_ERROR(ValueLength("\x02 no end", 1), ErrorCode::corruption);
}

}  // namespace
}  // namespace talea::histograms
