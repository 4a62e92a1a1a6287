#include "chain/import_mark.h"

#include <gtest/gtest.h>

#include "chain/codec.h"
#include "chain/keys.h"
#include "coordination/coordination_for_test.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

ImportMark SomeMark() {
  ImportMark mark{.source = {.bytes = 68, .checksum = 0x0123456789abcdef},
                  .position = {.offset = 20, .checksum = 0xfedcba9876543210, .rows = 3}};
  for (std::uint8_t place = 0; place < 16; ++place) mark.run.bytes[place] = place;
  return mark;
}

TEST(ImportMark, HasTheBytesOfTheDocumentation) {
  EXPECT_EQ(Hex(Encode(SomeMark())),
            "01 01 00 01 02 03 04 05 06 07 08 09 0a 0b 0c 0d 0e 0f 44 00 00 00 00 00 00 00 "
            "ef cd ab 89 67 45 23 01 14 00 00 00 00 00 00 00 10 32 54 76 98 ba dc fe "
            "03 00 00 00 00 00 00 00");
  EXPECT_EQ(ASSERT_VALUE(DecodeImportMark(Encode(SomeMark()))), SomeMark());
}

TEST(ImportMark, AnythingElseIsRefused) {
  const std::string good = Encode(SomeMark());
  EXPECT_ERROR(DecodeImportMark(""), ErrorCode::corruption);
  EXPECT_ERROR(DecodeImportMark(good + "x"), ErrorCode::corruption);
  EXPECT_ERROR(DecodeImportMark(good.substr(1)), ErrorCode::corruption);
  std::string other = good;
  other[1] = 3;
  EXPECT_ERROR(DecodeImportMark(other), ErrorCode::corruption);
  other[0] = 2;
  EXPECT_ERROR(DecodeImportMark(other), ErrorCode::unsupported);
}

TEST(ImportMark, IsFoundAgainByAnImportOfTheSameFile) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  const ImportMark mark = ASSERT_VALUE(BeginImport(*engine, SomeMark()));
  EXPECT_NE(mark.run, SomeMark().run);  // each has its own
  EXPECT_EQ(ASSERT_VALUE(BeginImport(*engine, SomeMark())), mark);
  ImportMark other = SomeMark();
  ++other.source.checksum;
  EXPECT_ERROR(BeginImport(*engine, other), ErrorCode::precondition_failed);
  other = {.kind = ImportMark::Kind::ingest};
  EXPECT_ERROR(BeginImport(*engine, other), ErrorCode::precondition_failed);
}

TEST(ImportMark, OfAnImportThatWasAbandonedIsNotFinished) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  const ImportMark mark = ASSERT_VALUE(BeginImport(*engine, SomeMark()));
  EXPECT_TRUE(ASSERT_VALUE(AbandonAnyImport(*engine)));
  WriteBatch last;
  last.Put(kStateCursorKeyspace, kCursorKey, "x");
  EXPECT_ERROR(FinishImport(*engine, mark, last), ErrorCode::precondition_failed);
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine)), StoredRows());
}

TEST(ImportMark, IsSetWhereABatchWasOnlyBeingStaged) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  CommitRequest request;  // what a process that died has left
  request.batch.Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{.in = false}));
  request.batch.Put(kChainStagingKeyspace, "row", "");
  ASSERT_OK(engine->Commit(std::move(request)));
  EXPECT_OK(BeginImport(*engine, SomeMark()));
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine)).size(), 1u);
}

}  // namespace
}  // namespace talea::chain
