#include "cardano/record.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/hex_for_test.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"

namespace talea::cardano {
namespace {

using testing::HasSubstr;

Bytes32 HashOf(std::uint8_t byte) {
  Bytes32 hash;
  hash.bytes.fill(byte);
  return hash;
}

std::string Repeated(const std::string& byte) {
  std::string text = byte;
  for (int i = 1; i < 32; ++i) text += " " + byte;
  return text;
}

template <class Record>
std::string Encoded(const Record& record) {
  std::string bytes = "what was there before";
  Encode(record, bytes);
  return bytes;
}

CardanoBlockRecord SomeBlock() {
  return {.era = CardanoEra::babbage,
          .number = 258,
          .slot = 72'316'896,
          .bytes = 19'875,
          .parent = HashOf(0x0a),
          .transactions = {HashOf(0x0b), HashOf(0x0c)}};
}

CardanoTransactionRecord SomeTransaction() {
  return {.block = HashOf(0x0d),
          .slot = 72'316'896,
          .index = 1,
          .valid = false,
          .fee = 300'000,
          .consumed = {{HashOf(0x0e), 0}, {HashOf(0x0f), 4'294'967'295}},
          .first_output = 3,
          .outputs = 1};
}

// Whoever changes this test changes the format on disk.
TEST(CardanoRecords, HaveTheseBytes) {
  EXPECT_EQ(Hex(Encoded(SomeBlock())), "87 01 06 19 01 02 1a 04 4f 77 e0 19 4d a3 58 20 " +
                                           Repeated("0a") + " 82 58 20 " + Repeated("0b") +
                                           " 58 20 " + Repeated("0c"));
  EXPECT_EQ(Hex(Encoded(CardanoBlockRecord{
                .era = CardanoEra::byron_boundary, .parent = {}, .transactions = {}})),
            "87 01 00 00 00 00 f6 80");
  EXPECT_EQ(Hex(Encoded(SomeTransaction())),
            "89 01 58 20 " + Repeated("0d") + " 1a 04 4f 77 e0 01 00 1a 00 04 93 e0 82 82 58 20 " +
                Repeated("0e") + " 00 82 58 20 " + Repeated("0f") + " 1a ff ff ff ff 03 01");
}

TEST(CardanoRecords, AreReadAsTheyWereWritten) {
  EXPECT_EQ(ASSERT_VALUE(DecodeBlockRecord(Encoded(SomeBlock()))), SomeBlock());
  const CardanoBlockRecord first{
      .era = CardanoEra::byron_boundary, .parent = {}, .transactions = {}};
  EXPECT_EQ(ASSERT_VALUE(DecodeBlockRecord(Encoded(first))), first);
  EXPECT_EQ(ASSERT_VALUE(DecodeTransactionRecord(Encoded(SomeTransaction()))), SomeTransaction());
  CardanoTransactionRecord greatest = SomeTransaction();
  greatest.slot = greatest.index = greatest.fee = ~0ull;
  EXPECT_EQ(ASSERT_VALUE(DecodeTransactionRecord(Encoded(greatest))), greatest);
}

TEST(CardanoRecords, ThatAreCutOrLongerAreRefused) {
  const std::string block = Encoded(SomeBlock());
  const std::string transaction = Encoded(SomeTransaction());
  for (std::size_t size = 0; size < block.size(); ++size) {
    EXPECT_ERROR(DecodeBlockRecord(block.substr(0, size)), ErrorCode::corruption) << size;
  }
  for (std::size_t size = 0; size < transaction.size(); ++size) {
    EXPECT_ERROR(DecodeTransactionRecord(transaction.substr(0, size)), ErrorCode::corruption);
  }
  EXPECT_ERROR(DecodeBlockRecord(block + '\0'), ErrorCode::corruption);
  EXPECT_ERROR(DecodeTransactionRecord(transaction + '\0'), ErrorCode::corruption);
  EXPECT_ERROR(DecodeBlockRecord(transaction), ErrorCode::corruption);
  EXPECT_ERROR(DecodeTransactionRecord(block), ErrorCode::corruption);
}

TEST(CardanoRecords, ThatNobodyWritesAreRefusedAtTheirByte) {
  const std::pair<std::string, std::string> wrong[] = {
      {"88 01 00 00 00 00 f6 80 00", "byte 0: expected an array of 7"},
      {"87 01 08 00 00 00 f6 80", "byte 2: expected the era of at most 7, found 8"},
      {"87 01 00 00 00 00 f7 80", "byte 6: expected the parent"},
      {"87 01 00 00 00 00 f6 9b 7f ff ff ff ff ff ff ff", "byte 7: expected the transactions"},
      {"87 01 00 18 00 00 00 f6 80", "expected its one form, of 8 bytes, found another, of 9"},
      {"87 01 00 00 00 00 f6 9f ff", "expected its one form, of 8 bytes, found another, of 9"},
      {"9f 01 00 00 00 00 f6 80 ff", "byte 0: expected an array of 7"}};
  for (const auto& [bytes, why] : wrong) {
    const auto decoded = DecodeBlockRecord(FromHex(bytes));
    ASSERT_ERROR(decoded, ErrorCode::corruption);
    EXPECT_THAT(decoded.error().message(), HasSubstr(why)) << bytes;
  }
  std::string index = Encoded(SomeTransaction());
  index.back() = '\x1b';  // the number of outputs takes eight bytes more, and is too large
  EXPECT_ERROR(DecodeTransactionRecord(index + std::string("\0\0\0\1\0\0\0\0", 8)),
               ErrorCode::corruption);
}

// `talea chain show transaction` makes room for as many outputs as a record of a few bytes says,
// which could be 4,294,967,295, and take 36 bytes for each.
TEST(CardanoRecords, OfMoreOutputsThanABlockHoldsAreRefused) {
  CardanoTransactionRecord record = SomeTransaction();
  record.first_output = record.outputs = 1 << 22;
  EXPECT_EQ(ASSERT_VALUE(DecodeTransactionRecord(Encoded(record))), record);
  for (const auto field :
       {&CardanoTransactionRecord::first_output, &CardanoTransactionRecord::outputs}) {
    CardanoTransactionRecord wrong = SomeTransaction();
    wrong.*field = (1 << 22) + 1;
    EXPECT_ERROR(DecodeTransactionRecord(Encoded(wrong)), ErrorCode::corruption);
    wrong.*field = ~std::uint32_t{0};
    EXPECT_ERROR(DecodeTransactionRecord(Encoded(wrong)), ErrorCode::corruption);
  }
}

TEST(CardanoRecords, OfAnotherVersionAreUnsupported) {
  for (const char* bytes : {"87 02 00 00 00 00 f6 80", "81 02", "82 00 00"}) {
    const auto decoded = DecodeBlockRecord(FromHex(bytes));
    ASSERT_ERROR(decoded, ErrorCode::unsupported);
    EXPECT_THAT(decoded.error().message(), HasSubstr("expected version 1, found"));
  }
}

TEST(CardanoRecords, WithAByteChangedAreReadInTheirOneFormOrRefused) {
  Random random(TestSeed());
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes = Encoded(SomeTransaction());
    bytes[random.Below(bytes.size())] = static_cast<char>(random.Next());
    const auto decoded = DecodeTransactionRecord(bytes);
    if (decoded) {
      EXPECT_EQ(Encoded(*decoded), bytes);
    }
  }
}

}  // namespace
}  // namespace talea::cardano
