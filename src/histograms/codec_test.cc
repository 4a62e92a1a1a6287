#include "histograms/codec.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/coding.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::histograms {
namespace {

IndexState SomeIndex() {
  return {.name = "by-age",
          .elements = 2,
          .peek_cap = 1024,
          .change = 3,
          .building = true,
          .next_histogram = 300,
          .histograms = {{.id = 1, .kind = Histogram::Fixed(2), .building = false, .layout = 0},
                         {.id = 299, .kind = Histogram::Learned(), .building = true, .layout = 5}}};
}

std::vector<BucketRow> SomeBuckets() {
  return {{},
          {.upper = "m"},
          {.upper = std::string("\0m", 2), .uncounted = true},
          {.upper = std::nullopt, .uncounted = true},
          {.upper = "m", .whole = Span{"", "m"}},
          {.upper = "f", .ending = true, .whole = Span{"a", std::nullopt}},
          {.upper = "f", .uncounted = true, .ending = true, .whole = Span{"a", "z"}},
          {.upper = std::nullopt, .ending = true, .whole = Span{"", std::nullopt}}};
}

// Whoever changes this test changes the format on disk.
TEST(HistogramRows, HaveTheseBytes) {
  EXPECT_EQ(Hex(EncodeIndexId(258)), "16 01 02");
  EXPECT_EQ(Hex(EncodeIndexState(SomeIndex())),
            "01 01 02 80 08 03 06 62 79 2d 61 67 65 ac 02 02 "  //
            "01 02 00 00 "                                      //
            "ab 02 00 01 05");
  EXPECT_EQ(Hex(EncodeBucketRow({})), "01 00");
  EXPECT_EQ(Hex(EncodeBucketRow({.upper = "m", .uncounted = true})), "01 05 01 6d");
  EXPECT_EQ(Hex(EncodeBucketRow({.upper = "m", .ending = true, .whole = Span{"a", "z"}})),
            "01 1e 01 6d 01 61 01 7a");
  EXPECT_EQ(Hex(EncodeBucketRow({.upper = std::nullopt, .whole = Span{"a", std::nullopt}})),
            "01 08 01 61");
}

TEST(HistogramRows, AreReadAsTheyWereWritten) {
  for (const IndexId index : {IndexId{0}, IndexId{300}, ~IndexId{0}}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeIndexId(EncodeIndexId(index))), index);
  }
  EXPECT_EQ(ASSERT_VALUE(DecodeIndexState(EncodeIndexState(SomeIndex()))), SomeIndex());
  for (const BucketRow& row : SomeBuckets()) {
    EXPECT_EQ(ASSERT_VALUE(DecodeBucketRow(EncodeBucketRow(row))), row);
  }
}

TEST(HistogramRows, MayHoldTheLeastAndTheMostOfEachField) {
  IndexState least{.name = "n",
                   .elements = 1,
                   .peek_cap = 4,
                   .change = 0,
                   .building = false,
                   .next_histogram = 1,
                   .histograms = {{}}};
  EXPECT_EQ(ASSERT_VALUE(DecodeIndexState(EncodeIndexState(least))), least);
  IndexState most{.name = std::string(255, 'n'),
                  .elements = 16,
                  .peek_cap = 65'536,
                  .change = ~std::uint64_t{0},
                  .building = true,
                  .next_histogram = ~HistogramId{0},
                  .histograms = {}};
  for (HistogramId id = 1; id <= 16; ++id) {
    most.histograms.push_back({~id, Histogram::Fixed(8), true, ~std::uint64_t{0}});
  }
  EXPECT_EQ(ASSERT_VALUE(DecodeIndexState(EncodeIndexState(most))), most);
}

// That bytes are refused when they are cut anywhere, or have one more.
template <class Decode>
void ExpectNothingElse(const std::string& bytes, Decode decode) {
  ASSERT_OK(decode(bytes));
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    EXPECT_ERROR(decode(bytes.substr(0, size)), ErrorCode::corruption)
        << Hex(bytes) << ": " << size;
  }
  for (const char byte : {'\0', '\x01', '\xff'}) {
    EXPECT_ERROR(decode(bytes + byte), ErrorCode::corruption) << Hex(bytes);
  }
}

TEST(HistogramRows, AreRefusedWhereTheyAreNotWhole) {
  ExpectNothingElse(EncodeIndexId(300), DecodeIndexId);
  ExpectNothingElse(EncodeIndexState(SomeIndex()), DecodeIndexState);
  for (const BucketRow& row : SomeBuckets()) {
    ExpectNothingElse(EncodeBucketRow(row), DecodeBucketRow);
  }
}

TEST(HistogramRows, OfALaterFormatAreNotGuessedAt) {
  for (const char format : {'\x02', '\x7f'}) {
    EXPECT_ERROR(DecodeIndexState(std::string(1, format) + "anything"), ErrorCode::unsupported);
    EXPECT_ERROR(DecodeBucketRow(std::string(1, format)), ErrorCode::unsupported);
  }
  EXPECT_ERROR(DecodeIndexState(std::string(1, '\0')), ErrorCode::corruption);
}

void ExpectMessage(const Status& status, std::string_view message) {
  ASSERT_ERROR(status, ErrorCode::corruption);
  EXPECT_EQ(status.error().message(), message);
}

template <class T>
Status StatusOf(const Result<T>& result) {
  return result ? Status() : Status(std::unexpected(result.error()));
}

TEST(IndexRow, IsRefusedWithNumbersThatNoIndexHas) {
  const auto expect = [](auto change, std::string_view message) {
    IndexState state = SomeIndex();
    change(state);
    ExpectMessage(StatusOf(DecodeIndexState(EncodeIndexState(state))), message);
  };
  expect([](IndexState& state) { state.elements = 0; },
         "index row at byte 2: expected elements from 1 to 16, found 0");
  expect([](IndexState& state) { state.elements = 17; },
         "index row at byte 2: expected elements from 1 to 16, found 17");
  expect([](IndexState& state) { state.peek_cap = 3; },
         "index row at byte 3: expected a peek cap from 4 to 65536, found 3");
  expect([](IndexState& state) { state.peek_cap = 65'537; },
         "index row at byte 3: expected a peek cap from 4 to 65536, found 65537");
  expect([](IndexState& state) { state.name = ""; },
         "index row: expected a name of 1 to 255 bytes of UTF-8, found \"\"");
  expect([](IndexState& state) { state.name = "\xff"; },
         "index row: expected a name of 1 to 255 bytes of UTF-8, found \"\\xff\"");
  expect([](IndexState& state) { state.histograms[1].kind = Histogram::Fixed(9); },
         "index row at byte 22: expected fixed bytes from 0 to 8, found 9");
  expect([](IndexState& state) { state.next_histogram = 299; },
         "index row: expected histograms below 299, found 299");
  expect([](IndexState& state) { state.histograms[1].id = 1; },
         "index row: expected histograms with numbers of their own, found 1 twice");
}

TEST(IndexRow, IsRefusedWithFlagsOrCountsThatNobodyWrites) {
  const std::string good = EncodeIndexState(SomeIndex());
  const auto expect = [&](std::size_t place, char byte, std::string_view message) {
    std::string bad = good;
    bad[place] = byte;
    ExpectMessage(StatusOf(DecodeIndexState(bad)), message);
  };
  expect(1, 2, "index row at byte 1: expected flags from 0 to 1, found 2");
  expect(15, 0, "index row at byte 15: expected a number of histograms from 1 to 16, found 0");
  expect(15, 17, "index row at byte 15: expected a number of histograms from 1 to 16, found 17");
  expect(18, 2, "index row at byte 18: expected flags of a histogram from 0 to 1, found 2");
}

TEST(BucketRow, IsRefusedWhereItContradictsItself) {
  const auto expect = [](const std::string& hex, std::string_view message) {
    ExpectMessage(StatusOf(DecodeBucketRow(FromHex(hex))), message);
  };
  expect("01 20", "bucket row at byte 1: expected flags from 0 to 31, found 32");
  expect("01 10", "bucket row: expected no end of a group where there is no group, found flags 16");
  expect("01 02", "bucket row: expected the span of the whole group of one that ends, found none");
  expect("01 04 00", "bucket row: expected an upper boundary of at least one byte, found none");
  expect("01 04 05 6d",
         "bucket row at byte 2: expected an upper boundary behind its length, found \"\\x05m\"");
  expect("01 1c 01 6d 01 6d 01 6d",
         "bucket row: expected a group's upper boundary after \"m\", found \"m\"");
  expect("01 1c 01 6e 01 61 01 6d",
         "bucket row: expected an upper boundary within the group, which ends at \"m\", found "
         "\"n\"");
  expect("01 18 01 61 01 6d",
         "bucket row: expected an upper boundary within the group, which ends at \"m\", found "
         "none");
}

TEST(IndexNumber, IsOnePackedNumber) {
  for (const char* hex : {"", "15", "13 fe", "15 01 15 01", "02 61 00", "00"}) {
    EXPECT_ERROR(DecodeIndexId(FromHex(hex)), ErrorCode::corruption) << hex;
  }
}

TEST(BuildRow, HasTheseBytes) {
  const BuildRow row{200, KeyRange::Make("a", "b").value(), "f", "az"};
  EXPECT_EQ(Hex(EncodeBuildRow(row)), "15 c8 01 61 00 01 62 00 01 66 00 01 61 7a 00");
  EXPECT_EQ(DecodeBuildRow(EncodeBuildRow(row)), row);
  const BuildRow open{7, KeyRange::All(), "", ""};
  EXPECT_EQ(Hex(EncodeBuildRow(open)), "15 07 01 00 00 01 00 01 00");
  EXPECT_EQ(DecodeBuildRow(EncodeBuildRow(open)), open);
}

TEST(BuildRow, IsRefusedWhereItIsCutOrInverted) {
  const std::string bytes = EncodeBuildRow({200, KeyRange::Make("a", "b").value(), "f", "az"});
  for (std::size_t length = 0; length < bytes.size(); ++length) {
    EXPECT_ERROR(DecodeBuildRow(ByteView(bytes).substr(0, length)), ErrorCode::corruption);
  }
  EXPECT_ERROR(DecodeBuildRow(bytes + '\0'), ErrorCode::corruption);
  EXPECT_ERROR(DecodeBuildRow(Pack({200, Bytes("b"), Bytes("a"), Bytes(""), Bytes("")}).value()),
               ErrorCode::corruption);
  EXPECT_ERROR(DecodeBuildRow(Pack({256, Bytes("a"), Bytes("b"), Bytes(""), Bytes("")}).value()),
               ErrorCode::corruption);
}

}  // namespace
}  // namespace talea::histograms
