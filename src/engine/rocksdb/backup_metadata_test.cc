#include "engine/rocksdb/backup_metadata.h"

#include <gtest/gtest.h>

#include "engine/rocksdb/format_file.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

const BackupMetadata& Example() {
  static const BackupMetadata example{"a-b", EncodeFormatFile({{200, AccessPattern::scan, "log"}})};
  return example;
}

std::string Hex(ByteView bytes) {
  std::string digits;
  for (const char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    digits += kDigits[static_cast<unsigned char>(byte) >> 4];
    digits += kDigits[byte & 15];
  }
  return digits;
}

TEST(BackupMetadata, HasTheBytesOfItsDocument) {
  const std::string bytes = EncodeBackupMetadata(Example());
  EXPECT_EQ(Hex(bytes),
            "54414c454142414b"
            "01000000"
            "03612d62"
            "1b"
            "54414c454152444201000000"
            "01"
            "c801036c6f67"
            "b5f5b8013b25772b"
            "a7cd6fdd79f103f3");
  EXPECT_EQ(ASSERT_VALUE(DecodeBackupMetadata(bytes)), Example());
}

TEST(BackupMetadata, IsCorruptWhereverAByteDiffersOrIsMissing) {
  const std::string bytes = EncodeBackupMetadata(Example());
  for (std::size_t place = 0; place < bytes.size(); ++place) {
    std::string flipped = bytes;
    flipped[place] = static_cast<char>(flipped[place] ^ 1);
    EXPECT_FALSE(DecodeBackupMetadata(flipped)) << place;
    EXPECT_FALSE(DecodeBackupMetadata(ByteView(bytes).substr(0, place))) << place;
  }
  EXPECT_ERROR(DecodeBackupMetadata(bytes + "x"), ErrorCode::corruption);
}

TEST(BackupMetadata, OfANewerFormatIsUnsupported) {
  std::string bytes = EncodeBackupMetadata(Example());
  bytes[8] = 2;
  EXPECT_ERROR(DecodeBackupMetadata(bytes), ErrorCode::unsupported);
}

TEST(BackupMetadata, OfAnEarlierTaleaIsTheFormatFileAlone) {
  const BackupMetadata earlier{"", Example().format_file};
  EXPECT_EQ(ASSERT_VALUE(DecodeBackupMetadata(earlier.format_file)), earlier);
}

}  // namespace
}  // namespace talea
