#include "cardano/cbor_cursor.h"

#include <gtest/gtest.h>

#include <string>

#include "cardano/cbor_for_test.h"

namespace talea::cardano {
namespace {

using namespace std::string_literals;

const CborWriter kCbor;
const CborWriter kOpen(CborLengths::indefinite);

class CborCursorTest : public testing::Test {
 protected:
  CborCursor Over(ByteView bytes) { return {bytes, joined_}; }

  // The error of passing over the one item that these bytes are to hold.
  std::string SkipError(ByteView bytes) {
    CborCursor cursor = Over(bytes);
    const auto skipped = cursor.Skip();
    return skipped ? "none" : skipped.error().message();
  }

  SteadyBytes joined_;
};

TEST_F(CborCursorTest, TakesWhatIsThereAndSaysHowFarItCame) {
  const std::string bytes = kCbor.Unsigned(300) + kCbor.Bytes("abc") + kCbor.Null();
  CborCursor cursor = Over(bytes);
  EXPECT_EQ(cursor.Unsigned("a number").value(), 300);
  EXPECT_EQ(cursor.offset(), 3);
  EXPECT_EQ(cursor.Bytes("a string").value(), "abc");
  EXPECT_EQ(cursor.Peek(), CborKind::null);
  EXPECT_TRUE(cursor.Null("nothing"));
  EXPECT_EQ(cursor.Since(3), kCbor.Bytes("abc") + kCbor.Null());
  EXPECT_TRUE(cursor.CheckEnd("the test"));
}

TEST_F(CborCursorTest, JoinsStringsThatAreInChunks) {
  const std::string bytes = kOpen.Bytes("abcde") + "\x5f\xff"s;
  CborCursor cursor = Over(bytes);
  EXPECT_EQ(cursor.Bytes("a string").value(), "abcde");
  EXPECT_EQ(cursor.Bytes("a string", 0).value(), "");
  EXPECT_TRUE(cursor.CheckEnd("the test"));
}

TEST_F(CborCursorTest, GoesThroughArraysAndMapsWithAndWithoutALength) {
  for (const CborWriter& writer : {kCbor, kOpen}) {
    const std::string array = writer.Array({"\x01", "\x02"});
    CborCursor cursor = Over(array);
    CborItems items = cursor.Array("an array").value();
    std::uint64_t sum = 0;
    while (cursor.More(items).value()) sum += cursor.Unsigned("a number").value();
    EXPECT_EQ(sum, 3);
    EXPECT_TRUE(cursor.CheckEnd("the array"));

    const std::string map = writer.Map({{"\x01", "\x02"}});
    CborCursor second = Over(map);
    CborItems pairs = second.Map("a map").value();
    EXPECT_TRUE(second.More(pairs).value());
    EXPECT_EQ(second.Unsigned("a key").value(), 1);
    EXPECT_EQ(second.Unsigned("a value").value(), 2);
    EXPECT_FALSE(second.More(pairs).value());
    EXPECT_TRUE(second.CheckEnd("the map"));
  }
}

TEST_F(CborCursorTest, TakesRecordsOfExactlySoManyFields) {
  const std::string three = kCbor.Array({"\x01", "\x02", "\x03"});
  EXPECT_EQ(Over(three).Record("the pair", 2).error().message(),
            "byte 0: expected the pair, an array of 2, found an array of 3");
  const std::string open = kOpen.Array({"\x01", "\x02", "\x03"});
  CborCursor cursor = Over(open);
  const CborItems record = cursor.Record("the pair", 2).value();
  EXPECT_TRUE(cursor.Unsigned("first") && cursor.Unsigned("second"));
  EXPECT_EQ(cursor.Close(record).error().message(), "byte 3: expected a stop, found the integer 3");
}

TEST_F(CborCursorTest, PassesOverTheOtherFieldsOfALongRecord) {
  for (const CborWriter& writer : {kCbor, kOpen}) {
    const std::string bytes = writer.Array({"\x01", "\x02", kCbor.Array({"\x03"})});
    CborCursor cursor = Over(bytes);
    const CborItems record = cursor.LongRecord("the record", 1).value();
    EXPECT_EQ(cursor.Unsigned("first").value(), 1);
    EXPECT_TRUE(cursor.Close(record));
    EXPECT_TRUE(cursor.CheckEnd("the record"));
  }
  EXPECT_EQ(Over("\x80").LongRecord("the record", 1).error().message(),
            "byte 0: expected the record, an array of at least 1, found an array of 0");
}

TEST_F(CborCursorTest, SkipsAnItemWithAllThatIsInIt) {
  for (const CborWriter& writer : {kCbor, kOpen}) {
    const std::string inner =
        writer.Map({{"\x01", writer.Array({"\x20", "\xf4", "\xf9\x3c\x00"s, kCbor.Text("text")})},
                    {writer.Bytes("bytes"), kCbor.Tagged(121, writer.Array({}))}});
    const std::string item = kCbor.Tagged(258, writer.Array({inner, "\x7f\x61z\xff", "\x02"}));
    const std::string bytes = item + "\x05";
    CborCursor cursor = Over(bytes);
    EXPECT_EQ(cursor.Skip().value(), item);
    EXPECT_EQ(cursor.Unsigned("behind it").value(), 5);
  }
}

TEST_F(CborCursorTest, RefusesToSkipWhatIsNoItem) {
  EXPECT_EQ(SkipError("\xff"), "byte 0: expected an item, found a stop");
  EXPECT_EQ(SkipError("\x82\x01\xff"), "byte 2: expected an item, found a stop");
  EXPECT_EQ(SkipError("\xbf\x01\xff"), "byte 2: expected an item, found a stop");
  EXPECT_EQ(SkipError("\x9f\xc1\xff"), "byte 2: expected an item, found a stop");
  EXPECT_EQ(SkipError("\x5f\x61z\xff"),
            "byte 1: expected a byte string or a stop, found a text of 1 bytes");
  EXPECT_EQ(SkipError("\x5f\x5f\xff\xff"),
            "byte 1: expected a byte string or a stop, found a byte string in chunks");
  EXPECT_EQ(SkipError("\x81\x1c"),
            "byte 1: expected an item, found the byte 0x1c, which begins no item that blocks have");
}

TEST_F(CborCursorTest, TellsWhatItExpectedWhatItFoundAndWhere) {
  const std::string bytes = kCbor.Unsigned(1) + kCbor.Bytes("abc");
  CborCursor cursor(bytes, joined_, 100);
  EXPECT_TRUE(cursor.Unsigned("a number"));
  EXPECT_EQ(cursor.Unsigned("the slot").error().message(),
            "byte 101: expected the slot, an unsigned integer, found a byte string of 3 bytes");
  EXPECT_EQ(cursor.Bytes("the hash", 32).error().message(),
            "byte 101: expected the hash of 32 bytes, found 3");
  EXPECT_EQ(Over("\xc1").Tag("the input", 24).error().message(),
            "byte 0: expected the input, tag 24, found tag 1");
  EXPECT_EQ(Over("\x01\x02").CheckEnd("the block").error().message(),
            "byte 0: expected the end of the block, found 2 more bytes");
  EXPECT_EQ(cursor.needed(), 0);
}

TEST_F(CborCursorTest, SaysHowManyBytesItWouldHaveTaken) {
  const auto needed = [&](ByteView bytes) {
    CborCursor cursor = Over(bytes);
    EXPECT_FALSE(cursor.Skip());
    return cursor.needed();
  };
  EXPECT_EQ(needed(""), 1);
  EXPECT_EQ(needed("\x82\x01\x58"), 4);
  EXPECT_EQ(needed("\x82\x01\x58\x20"), 36);
  EXPECT_EQ(needed("\x9a\xff\xff\xff\xff"), 5 + 0xffff'ffffULL);
  EXPECT_EQ(needed("\xba\xff\xff\xff\xff"), 5 + 2 * 0xffff'ffffULL);
  EXPECT_GT(needed("\x5b\xff\xff\xff\xff\xff\xff\xff\xff"), std::uint64_t{1} << 62);
  EXPECT_GT(needed("\xbb\xff\xff\xff\xff\xff\xff\xff\xff"), std::uint64_t{1} << 62);
}

TEST_F(CborCursorTest, BoundsHowDeepItemsMayBeNested) {
  std::string deep(65'536, '\x81');
  deep.push_back('\x01');
  EXPECT_EQ(Over(deep).Skip().value(), deep);
  EXPECT_EQ(SkipError("\x81" + deep), "byte 65537: expected at most 65536 levels of items");
}

TEST_F(CborCursorTest, CountsBytesOfWhatItGoesIntoFromTheSameStart) {
  const std::string bytes = kCbor.Unsigned(1) + kCbor.Bytes("\x01\xf6");
  CborCursor cursor = Over(bytes);
  EXPECT_TRUE(cursor.Unsigned("a number"));
  CborCursor inner = cursor.Over(cursor.Bytes("an item").value());
  EXPECT_TRUE(inner.Unsigned("a number"));
  EXPECT_EQ(inner.Unsigned("a number").error().message(),
            "byte 3: expected a number, an unsigned integer, found null");
}

}  // namespace
}  // namespace talea::cardano
