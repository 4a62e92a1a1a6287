#include "engine/undo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr std::size_t kHeaderBytes = 13;
constexpr std::size_t kOnePart = 1 << 20;

WriteBatch Example() {
  WriteBatch restore;
  restore.Put(kRows, "key", "old");
  restore.Erase(kRows, "new");
  return restore;
}

std::vector<std::string> HexOf(const std::vector<std::string>& parts) {
  std::vector<std::string> text;
  for (const std::string& part : parts) text.push_back(Hex(part));
  return text;
}

// The examples of docs/formats.md.
TEST(UndoFormat, OfOnePart) {
  EXPECT_THAT(HexOf(EncodeUndo(Example(), kOnePart)),
              ElementsAre("01 01 00 00 00 9a 81 1e 54 fb 27 33 23 "
                          "01 80 03 6b 65 79 03 6f 6c 64 02 80 03 6e 65 77"));
}

TEST(UndoFormat, OfTwoParts) {
  EXPECT_THAT(HexOf(EncodeUndo(Example(), 16)),
              ElementsAre("01 02 00 00 00 9a 81 1e 54 fb 27 33 23 01 80 03",
                          "6b 65 79 03 6f 6c 64 02 80 03 6e 65 77"));
}

TEST(UndoFormat, OfNothing) {
  EXPECT_THAT(HexOf(EncodeUndo({}, kOnePart)),
              ElementsAre("01 01 00 00 00 c2 94 d3 38 05 80 06 2d"));
}

TEST(UndoFormat, OfAKeyEndsWithThePartInBigEndian) {
  EXPECT_EQ(Hex(UndoKey("block", 0)), "62 6c 6f 63 6b 00 00 00 00");
  EXPECT_EQ(Hex(UndoKey("block", 0x01020304)), "62 6c 6f 63 6b 01 02 03 04");
  EXPECT_LT(UndoKey("block", 255), UndoKey("block", 256));
}

RC_GTEST_PROP(Undo, IsDecodedAsItWasHoweverItIsDivided, ()) {
  WriteBatch restore;
  for (const auto& [key, value] :
       *rc::gen::arbitrary<std::vector<std::pair<std::string, std::string>>>()) {
    restore.Put(kRows, key, value);
  }
  const auto most_bytes = *rc::gen::inRange<std::size_t>(kHeaderBytes, 60);
  const std::vector<std::string> parts = EncodeUndo(restore, most_bytes);
  RC_ASSERT(!parts.empty());
  for (const std::string& part : parts) {
    RC_ASSERT(part.size() <= most_bytes);
    RC_ASSERT(!part.empty());
  }
  const Result<std::uint32_t> count = CountUndoParts(parts.front());
  RC_ASSERT(count.has_value());
  RC_ASSERT(*count == parts.size());
  const Result<WriteBatch> decoded = DecodeUndo(parts);
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == restore);
}

TEST(Undo, RefusesEveryFlippedByte) {
  const std::vector<std::string> good = EncodeUndo(Example(), 16);
  for (std::size_t part = 0; part < good.size(); ++part) {
    for (std::size_t at = 0; at < good[part].size(); ++at) {
      for (const int bit : {0, 3, 7}) {
        std::vector<std::string> damaged = good;
        damaged[part][at] = static_cast<char>(damaged[part][at] ^ (1 << bit));
        const Result<WriteBatch> decoded = DecodeUndo(damaged);
        const bool in_format = part == 0 && at == 0;
        EXPECT_ERROR(decoded, in_format ? ErrorCode::unsupported : ErrorCode::corruption)
            << part << ", " << at;
      }
    }
  }
}

TEST(Undo, RefusesEveryTruncation) {
  const std::string good = EncodeUndo(Example(), kOnePart)[0];
  for (std::size_t size = 0; size < good.size(); ++size) {
    EXPECT_ERROR(DecodeUndo({good.substr(0, size)}), ErrorCode::corruption) << size;
  }
  EXPECT_ERROR(DecodeUndo({good + "x"}), ErrorCode::corruption);
}

TEST(Undo, RefusesPartsThatAreMissingSwappedOrTooMany) {
  const std::vector<std::string> good = EncodeUndo(Example(), 14);
  ASSERT_EQ(good.size(), 3u);
  EXPECT_ERROR(DecodeUndo({}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0]}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0], good[1]}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0], good[2], good[1]}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0], good[1], good[1]}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0], good[1], good[2], good[2]}), ErrorCode::corruption);
  EXPECT_ERROR(DecodeUndo({good[0], good[1], good[2], ""}), ErrorCode::corruption);
  EXPECT_OK(DecodeUndo(good));
}

TEST(Undo, OfANewerFormatIsUnsupported) {
  std::string record = EncodeUndo(Example(), kOnePart)[0];
  record[0] = 2;
  const Result<WriteBatch> decoded = DecodeUndo({record});
  ASSERT_ERROR(decoded, ErrorCode::unsupported);
  EXPECT_THAT(decoded.error().message(),
              testing::AllOf(HasSubstr("format 1"), HasSubstr("found 2")));
  EXPECT_ERROR(CountUndoParts(record), ErrorCode::unsupported);
  EXPECT_ERROR(CountUndoParts(record.substr(0, 1)), ErrorCode::unsupported);
}

TEST(Undo, CountsNoPartsWhereTheHeaderIsDamaged) {
  const std::string record = EncodeUndo(Example(), kOnePart)[0];
  for (std::size_t size = 0; size < kHeaderBytes; ++size) {
    EXPECT_ERROR(CountUndoParts(record.substr(0, size)), ErrorCode::corruption) << size;
  }
  std::string none = record;
  none[1] = 0;  // of 0 parts
  EXPECT_ERROR(CountUndoParts(none), ErrorCode::corruption);
}

}  // namespace
}  // namespace talea
