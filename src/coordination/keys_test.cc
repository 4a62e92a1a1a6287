#include "coordination/keys.h"

#include <gtest/gtest.h>

#include "engine/hex_for_test.h"
#include "engine/undo.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

// Whoever changes this test changes the format on disk.
TEST(Keys, HaveTheseBytes) {
  const Uuid session = Uuid::Parse("00112233-4455-6677-8899-aabbccddeeff").value();
  const std::string id = "30 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff";
  EXPECT_EQ(Hex(SchemaKey()), "02 73 63 68 65 6d 61 00");
  EXPECT_EQ(Hex(SessionKey(session)), "15 02 " + id);
  EXPECT_EQ(Hex(SessionMarkKey(session)), "15 03 " + id);
  EXPECT_EQ(Hex(SessionSlotKey(session, 5)), "15 03 " + id + " 15 05");
  EXPECT_EQ(Hex(RequestKeyOf("k")), "15 04 01 6b 00");
  EXPECT_EQ(Hex(RequestExpiryKey(Timestamp(std::chrono::microseconds(258)), "k")),
            "15 05 16 01 02 01 6b 00");
  EXPECT_EQ(Hex(ProgressKey("s")), "15 06 02 73 00");
  EXPECT_EQ(Hex(LeaseKey("l")), "15 07 02 6c 00");
  EXPECT_EQ(Hex(LeaseExpiryKey("l")), "15 08 02 6c 00");
  EXPECT_EQ(Hex(CopyMarkKey()), "15 09");
  EXPECT_EQ(Hex(UndoRecordKey("s", "p")), "02 73 00 01 70 00");
}

TEST(Keys, TellThePositionOfEachRowOfAnUndoRecord) {
  const std::string zeros(2, '\0');
  for (const std::string& position : {std::string(), std::string("a"), zeros, "a" + zeros + "b"}) {
    for (const std::uint32_t part : {0u, 1u, 70'000u}) {
      const std::string row = UndoKey(UndoRecordKey("source", position), part);
      EXPECT_EQ(ASSERT_VALUE(UndoRecordPosition("source", row)), position);
      EXPECT_ERROR(UndoRecordPosition("other", row), ErrorCode::corruption);
      const UndoRowKey key = ASSERT_VALUE(ParseUndoRowKey(row));
      EXPECT_EQ(std::tie(key.source, key.position, key.part), std::tuple("source", position, part));
    }
  }
  for (const std::string& row : {std::string(), std::string("abc"), UndoKey("junk", 0)}) {
    EXPECT_ERROR(UndoRecordPosition("source", row), ErrorCode::corruption) << Quoted(row);
  }
}

// Positions that are the beginning of others, with the byte that packing escapes, are the hard
// ones.
TEST(Keys, DivideUndoRecordsByPosition) {
  const std::vector<std::string> positions{
      "", std::string("\0", 1), "a", std::string("a\0", 2), std::string("a\0b", 3), "a\xff", "b"};
  for (const std::string& bound : positions) {
    for (const std::string& position : positions) {
      for (const std::uint32_t part : {0u, 1u, 1'000'000u}) {
        const std::string row = UndoKey(UndoRecordKey("s", position), part);
        EXPECT_TRUE(UndoRecords("s").Contains(row));
        EXPECT_EQ(UndoRecordsUpTo("s", bound).Contains(row), position <= bound) << Quoted(row);
        EXPECT_EQ(UndoRecordsAfter("s", bound).Contains(row), position > bound) << Quoted(row);
        EXPECT_FALSE(UndoRecords(std::string_view("s\0", 2)).Contains(row));
      }
    }
  }
}

TEST(Keys, NamesAreOneTo255BytesOfUtf8) {
  EXPECT_OK(CheckName("lease", "n"));
  EXPECT_OK(CheckName("lease", std::string(255, 'n')));
  for (const std::string& name : {std::string(), std::string(256, 'n'), std::string("\xff")}) {
    EXPECT_ERROR(CheckName("lease", name), ErrorCode::invalid_argument) << Quoted(name);
  }
}

}  // namespace
}  // namespace talea
