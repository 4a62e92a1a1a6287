#include "chain/codec.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/standing.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

using testing::HasSubstr;

constexpr std::uint64_t kMostCoin = 9'223'372'036'854'775'807u;

Bytes32 SomeHash() {
  return Bytes32::Parse("aa83acbf5904c0edfe4d79b3689d3d00fcfc553cf360fd2229b98d464c28e9de").value();
}
ChainPoint SomePoint() { return ChainPoint::Of(4492800, SomeHash()); }

Output Noted(std::uint64_t coin, std::vector<Tag> tags) {
  return {.reference = {}, .cbor = {}, .coin = coin, .tags = std::move(tags)};
}

// Whoever changes this test changes the format on disk; that of points is others', too.
TEST(ChainRows, HaveTheseBytes) {
  EXPECT_EQ(Hex(EncodePoint(ChainPoint::Origin())), "00 00 00 00");
  EXPECT_EQ(Hex(EncodePoint(ChainPoint::AtSlot(4492800))), "01 00 00 00 00 8e 44 00 00 00 00 00");
  EXPECT_EQ(Hex(EncodePoint(SomePoint())),
            "02 00 00 00 00 8e 44 00 00 00 00 00 40 00 00 00 00 00 00 00 "  //
            "61 61 38 33 61 63 62 66 35 39 30 34 63 30 65 64 "              //
            "66 65 34 64 37 39 62 33 36 38 39 64 33 64 30 30 "              //
            "66 63 66 63 35 35 33 63 66 33 36 30 66 64 32 32 "              //
            "32 39 62 39 38 64 34 36 34 63 32 38 65 39 64 65");
  EXPECT_EQ(Hex(EncodeCursor(std::nullopt)), "");
  EXPECT_EQ(Hex(EncodeCursor(ChainPoint::Origin())), "00 00 00 00");
  EXPECT_EQ(Hex(EncodeOutput({.reference = {}, .era = 6, .cbor = "\xa1"})), "00 06 a1");
  EXPECT_EQ(Hex(EncodeNotes(Noted(258, {{TagKind::asset, "A"}, {TagKind::payment, "bc"}}))),
            "00 00 00 00 00 00 01 02 01 00 02 62 63 04 00 01 41");
  EXPECT_EQ(Hex(EncodeNotes(Noted(0, {{TagKind::address, ""}}))),
            "00 00 00 00 00 00 00 00 00 00 00");
  EXPECT_EQ(Hex(EncodeCoin(258)), "00 00 00 00 00 00 01 02");
  EXPECT_EQ(Hex(EncodeStep(258)), "00 00 00 00 00 00 01 02");
  EXPECT_EQ(Hex(Encode(StepRow{std::nullopt, ChainPoint::Origin()})), "00 04 00 00 00 00");
  const Uuid batch = Uuid::Parse("00112233-4455-6677-8899-aabbccddeeff").value();
  EXPECT_EQ(Hex(Encode(StagingHeader{true, batch})),
            "01 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff");
  EXPECT_EQ(Hex(Encode(StagingHeader{false, {}})).substr(0, 5), "00 00");
  EXPECT_EQ(Hex(Encode(StagedChange{})), "02");
  EXPECT_EQ(Hex(Encode(StagedChange{-2})), "04 fe ff ff ff ff ff ff ff");
}

TEST(ChainRows, OfPointsAreReadAsTheyWereWritten) {
  for (const Cursor& cursor : {Cursor(), Cursor(ChainPoint::Origin()),
                               Cursor(ChainPoint::AtSlot(0)), Cursor(ChainPoint::AtSlot(~0ull)),
                               Cursor(SomePoint()), Cursor(ChainPoint::Of(~0ull, {}))}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeCursor(EncodeCursor(cursor))), cursor) << Describe(cursor);
    if (!cursor) continue;
    EXPECT_EQ(ASSERT_VALUE(DecodePoint(EncodePoint(*cursor))), *cursor);
  }
  EXPECT_ERROR(DecodePoint(""), ErrorCode::corruption) << "only a cursor may be nothing";
}

TEST(ChainRows, OfPointsThatAreCutOrLongerAreRefused) {
  for (const ChainPoint& point :
       {ChainPoint::Origin(), ChainPoint::AtSlot(1), ChainPoint::Of(1, SomeHash())}) {
    const std::string good = EncodePoint(point);
    for (std::size_t size = 0; size < good.size(); ++size) {
      EXPECT_ERROR(DecodePoint(good.substr(0, size)), ErrorCode::corruption) << size;
    }
    const Result<ChainPoint> longer = DecodePoint(good + '\0');
    ASSERT_ERROR(longer, ErrorCode::corruption);
    EXPECT_THAT(longer.error().message(),
                HasSubstr("expected " + std::to_string(good.size()) + " bytes, found " +
                          std::to_string(good.size() + 1)));
  }
}

TEST(ChainRows, OfPointsThatNobodyWritesAreRefused) {
  const std::string good = EncodePoint(SomePoint());
  const auto refused = [&](std::size_t at, char byte, std::string_view why) {
    std::string bad = good;
    bad[at] = byte;
    const Result<ChainPoint> found = DecodePoint(bad);
    ASSERT_ERROR(found, ErrorCode::corruption) << at;
    EXPECT_THAT(found.error().message(), HasSubstr(why));
  };
  refused(0, 3, "a variant from 0 to 2 in 4 bytes, found 3");
  refused(3, 1, "a variant from 0 to 2");
  refused(12, 63, "64 as the length of a hash, found 63");
  refused(19, 1, "64 as the length of a hash");
  refused(20, 'A', "64 lower-case hexadecimal digits");
  refused(20, 'g', "64 lower-case hexadecimal digits");
  refused(83, '\0', "64 lower-case hexadecimal digits");
}

TEST(ChainRows, OfNotesHaveSortedTagsEachOnce) {
  const std::string ff(1, '\xff');
  const Output output = Noted(kMostCoin, {{TagKind::asset, "b"},
                                          {TagKind::asset, ""},
                                          {TagKind::address, ff},
                                          {TagKind::asset, "b"},
                                          {TagKind::address, "z"},
                                          {TagKind::asset, "ba"}});
  EXPECT_EQ(ASSERT_VALUE(DecodeNotes(EncodeNotes(output))),
            (OutputNotes{.coin = kMostCoin,
                         .tags = {{TagKind::address, "z"},
                                  {TagKind::address, ff},
                                  {TagKind::asset, ""},
                                  {TagKind::asset, "b"},
                                  {TagKind::asset, "ba"}}}));
}

TEST(ChainRows, OfNotesMayHoldTheLongestTag) {
  const std::string longest(4096, 'x');
  const OutputNotes notes =
      ASSERT_VALUE(DecodeNotes(EncodeNotes(Noted(0, {{TagKind::policy, longest}}))));
  EXPECT_EQ(notes, (OutputNotes{.coin = 0, .tags = {{TagKind::policy, longest}}}));
}

TEST(ChainRows, OfNotesAreNotStoredWhereThereIsNothingToNote) {
  EXPECT_EQ(EncodeNotes(Noted(0, {})), "");
  EXPECT_ERROR(DecodeNotes(""), ErrorCode::corruption);
  EXPECT_ERROR(DecodeNotes(EncodeCoin(0)), ErrorCode::corruption);
  EXPECT_EQ(ASSERT_VALUE(DecodeNotes(EncodeCoin(1))).coin, 1u);
}

TEST(ChainRows, OfNotesThatAreCutAreRefusedOrEndAtATag) {
  const std::string good =
      EncodeNotes(Noted(7, {{TagKind::address, "abc"}, {TagKind::asset, "de"}}));
  ASSERT_EQ(good.size(), 8u + 6 + 5);
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_EQ(DecodeNotes(good.substr(0, size)).has_value(), size == 8 || size == 14) << size;
  }
}

TEST(ChainRows, OfNotesThatNobodyWritesAreRefused) {
  const std::string coin = EncodeCoin(7);
  const std::string tag = FromHex("01 00 01 61");
  const auto refused = [](const std::string& value, std::string_view why) {
    const Result<OutputNotes> found = DecodeNotes(value);
    ASSERT_ERROR(found, ErrorCode::corruption);
    EXPECT_THAT(found.error().message(), HasSubstr(why));
  };
  ASSERT_OK(DecodeNotes(coin + tag));
  refused(coin + tag + tag, "at byte 12: expected a tag with its kind and length, beyond the one");
  refused(coin + tag + FromHex("01 00 00"), "at byte 12");
  refused(coin + tag + FromHex("00 00 01 62"), "at byte 12");
  refused(coin + FromHex("05 00 01 61"), "at byte 8");
  refused(coin + FromHex("01 10 01") + std::string(4097, 'x'), "at byte 8");
  refused(EncodeCoin(kMostCoin + 1), "coin: expected 9223372036854775807 at most");
}

TEST(ChainRows, OfOneNumberAreEightBytes) {
  for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{258}, kMostCoin}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeCoin(EncodeCoin(number))), number);
    EXPECT_EQ(ASSERT_VALUE(DecodeStep(EncodeStep(number))), number);
  }
  EXPECT_EQ(ASSERT_VALUE(DecodeStep(EncodeStep(~0ull))), ~0ull);
  EXPECT_ERROR(DecodeCoin(EncodeCoin(~0ull)), ErrorCode::corruption);
  for (const std::size_t size : {0u, 7u, 9u}) {
    EXPECT_ERROR(DecodeCoin(std::string(size, '\0')), ErrorCode::corruption);
    EXPECT_ERROR(DecodeStep(std::string(size, '\0')), ErrorCode::corruption);
  }
}

TEST(ChainRows, OfStepsAreReadAsTheyWereWritten) {
  const std::vector<Cursor> cursors{Cursor(), ChainPoint::Origin(), ChainPoint::AtSlot(7),
                                    SomePoint()};
  for (const Cursor& before : cursors) {
    for (const Cursor& after : cursors) {
      const StepRow row{before, after};
      const std::string good = Encode(row);
      EXPECT_EQ(ASSERT_VALUE(DecodeStepRow(good)), row);
      EXPECT_ERROR(DecodeStepRow(good + '\0'), ErrorCode::corruption);
      for (std::size_t size = 0; size < good.size(); ++size) {
        EXPECT_ERROR(DecodeStepRow(good.substr(0, size)), ErrorCode::corruption) << size;
      }
    }
  }
}

TEST(ChainRows, OfAStagingHeaderAreReadAsTheyWereWritten) {
  const Uuid batch = Uuid::Parse("00112233-4455-6677-8899-aabbccddeeff").value();
  for (const StagingHeader& header : {StagingHeader{true, batch}, StagingHeader{false, {}}}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeStagingHeader(Encode(header))), header);
  }
  const std::string good = Encode(StagingHeader{true, batch});
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_ERROR(DecodeStagingHeader(good.substr(0, size)), ErrorCode::corruption);
  }
  EXPECT_ERROR(DecodeStagingHeader(good + "x"), ErrorCode::corruption);
  EXPECT_ERROR(DecodeStagingHeader('\2' + good.substr(1)), ErrorCode::corruption);
}

TEST(ChainRows, OfStagedChangesAreReadAsTheyWereWritten) {
  for (const StagedChange& change : {StagedChange{}, StagedChange{0}, StagedChange{INT64_MIN}}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeStagedChange(Encode(change))), change);
  }
  const std::string add = Encode(StagedChange{1});
  for (const std::string& bad : {std::string(), std::string("\1"), std::string("\2\0", 2),
                                 add.substr(0, 8), add + '\0', "\3" + add.substr(1)}) {
    EXPECT_ERROR(DecodeStagedChange(bad), ErrorCode::corruption) << Quoted(bad);
  }
}

}  // namespace
}  // namespace talea::chain
