#include "chain/export_format.h"

#include <gtest/gtest.h>
#include <xxhash.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

TEST(ExportFormat, HeaderAndFooterHaveTheBytesOfTheDocumentation) {
  EXPECT_EQ(Hex(EncodeExportHeader()),
            "54 41 4c 45 41 43 48 4e 01 00 00 00 e5 2c 16 84 54 6d b3 2d");
  const ExportFooter footer{.rows = 2,
                            .last_checksum = 0x0123456789abcdef,
                            .state_hash = "00112233445566778899aabbccddeeff"};
  EXPECT_EQ(Hex(Encode(footer)),
            "54 41 4c 45 41 45 4e 44 02 00 00 00 00 00 00 00 ef cd ab 89 67 45 23 01 "
            "00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff 66 f5 8e 08 95 d3 e2 46");
  EXPECT_EQ(ASSERT_VALUE(DecodeExportFooter(Encode(footer))), footer);
}

TEST(ExportFormat, FrameHasTheBytesOfTheDocumentation) {
  FrameBuilder frame(StatePart::cursor);
  frame.Append({kCursorKey, EncodePoint(ChainPoint::AtSlot(5))});
  std::uint64_t checksum = StoredChecksum(EncodeExportHeader());
  EXPECT_EQ(Hex(frame.Finish(checksum)),
            "08 01 00 00 00 0f 00 00 00 01 00 0c 01 00 00 00 05 00 00 00 00 00 00 00 "
            "32 38 3d ff 03 47 80 51");
}

TEST(ExportFormat, ANewerFormatIsUnsupportedAndAnotherHeaderIsDamaged) {
  EXPECT_OK(DecodeExportHeader(EncodeExportHeader()));
  EXPECT_ERROR(DecodeExportHeader("SQLite format 3\0abcd"), ErrorCode::corruption);
  std::string flipped = EncodeExportHeader();
  flipped[8] = 2;  // without the checksum of it
  EXPECT_ERROR(DecodeExportHeader(flipped), ErrorCode::corruption);
  std::string newer = flipped.substr(0, 12);
  AppendFixed64(newer, XXH3_64bits(newer.data(), newer.size()));
  EXPECT_ERROR(DecodeExportHeader(newer), ErrorCode::unsupported);
}

TEST(ExportFormat, AFrameThatNoWriterWritesIsRefused) {
  const auto head = [](std::uint8_t part, std::uint32_t rows, std::uint32_t bytes) {
    std::string encoded(1, static_cast<char>(part));
    AppendFixed32(encoded, rows);
    AppendFixed32(encoded, bytes);
    return DecodeFrameHead(encoded);
  };
  EXPECT_OK(head(1, 2, kFrameRowBytes));
  EXPECT_OK(head(8, 1, kLargestRowBytes));
  EXPECT_ERROR(head(0, 1, 10), ErrorCode::corruption);
  EXPECT_ERROR(head(9, 1, 10), ErrorCode::corruption);
  EXPECT_ERROR(head(1, 0, 10), ErrorCode::corruption);
  EXPECT_ERROR(head(1, 2, kFrameRowBytes + 1), ErrorCode::corruption);
  EXPECT_ERROR(head(1, 1, kLargestRowBytes + 1), ErrorCode::corruption);
}

TEST(ExportFormat, AFrameHasRoomUpToItsLimitAndForOneRowInAnyCase) {
  FrameBuilder frame(StatePart::outputs);
  const std::string key(36, 'k');
  EXPECT_TRUE(frame.HasRoomFor({key, std::string(kFrameRowBytes, 'v')}));
  frame.Append({key, std::string(1000, 'v')});
  const std::size_t used = 1 + 36 + 2 + 1000;
  const std::size_t left = kFrameRowBytes - used - 1 - 36 - 3;
  EXPECT_TRUE(frame.HasRoomFor({key, std::string(left, 'v')}));
  EXPECT_FALSE(frame.HasRoomFor({key, std::string(left + 1, 'v')}));
}

}  // namespace
}  // namespace talea::chain
