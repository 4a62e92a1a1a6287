#include "talea/write_batch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <vector>

#include "base/coding.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using Kind = WriteBatch::Kind;
using namespace std::string_literals;
using testing::HasSubstr;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kBlobs{129, AccessPattern::point, "blobs"};
constexpr Keyspace kCounts{130, AccessPattern::counter, "counts"};

// An operation that owns its bytes.
struct Owned {
  Kind kind;
  std::uint8_t keyspace;
  std::string key;
  std::string value;
  bool open_end = false;
  std::int64_t delta = 0;

  friend bool operator==(const Owned&, const Owned&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Owned& write) {
    return out << int(write.kind) << " in " << int(write.keyspace) << " of " << Quoted(write.key)
               << ", " << Quoted(write.value) << (write.open_end ? " open " : " ") << write.delta;
  }
};

std::vector<Owned> OperationsOf(const WriteBatch& batch) {
  std::vector<Owned> operations;
  for (const WriteBatch::Operation& operation : batch) {
    operations.push_back({operation.kind, operation.keyspace, std::string(operation.key),
                          std::string(operation.value), operation.open_end, operation.delta});
  }
  return operations;
}

void Write(WriteBatch& batch, const Owned& operation) {
  const Keyspace& keyspace = operation.keyspace == kRows.id ? kRows : kCounts;
  switch (operation.kind) {
    case Kind::put:
      return batch.Put(keyspace, operation.key, operation.value);
    case Kind::erase:
      return batch.Erase(keyspace, operation.key);
    case Kind::add:
      return batch.Add(keyspace, operation.key, operation.delta);
    case Kind::erase_range:
      return batch.EraseRange(keyspace, operation.open_end
                                            ? KeyRange::From(operation.key)
                                            : *KeyRange::Make(operation.key, operation.value));
  }
}

// One that no batch refuses.
Owned AnyOperation() {
  const auto bytes = rc::gen::arbitrary<std::string>();
  std::string key = *bytes;
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return {Kind::put, kRows.id, key, *bytes};
    case 1:
      return {Kind::put, kCounts.id, key, EncodeCounter(*rc::gen::arbitrary<std::int64_t>())};
    case 2:
      return {Kind::erase, kRows.id, key, ""};
    case 3:
      return {Kind::add, kCounts.id, key, "", false, *rc::gen::arbitrary<std::int64_t>()};
    case 4:
      return {Kind::erase_range, kRows.id, key, "", true};
    default:
      return {Kind::erase_range, kRows.id, key, key + *bytes};
  }
}

std::vector<Owned> AnyOperations() {
  std::vector<Owned> operations(*rc::gen::inRange<std::size_t>(0, 12));
  for (Owned& operation : operations) operation = AnyOperation();
  return operations;
}

WriteBatch BatchOf(const std::vector<Owned>& operations) {
  WriteBatch batch;
  for (const Owned& operation : operations) Write(batch, operation);
  return batch;
}

// These are the examples of docs/formats.md.
TEST(WriteBatchFormat, OfPut) {
  WriteBatch batch;
  batch.Put(kRows, "key", "value");
  EXPECT_EQ(Hex(batch.encoded()), "01 80 03 6b 65 79 05 76 61 6c 75 65");
}

TEST(WriteBatchFormat, OfErase) {
  WriteBatch batch;
  batch.Erase(kRows, "key");
  EXPECT_EQ(Hex(batch.encoded()), "02 80 03 6b 65 79");
}

TEST(WriteBatchFormat, OfEraseRange) {
  WriteBatch batch;
  batch.EraseRange(kRows, *KeyRange::Make("a", "c"));
  EXPECT_EQ(Hex(batch.encoded()), "03 80 01 61 01 01 63");
}

TEST(WriteBatchFormat, OfEraseRangeToTheEnd) {
  WriteBatch batch;
  batch.EraseRange(kRows, KeyRange::From("a"));
  EXPECT_EQ(Hex(batch.encoded()), "03 80 01 61 00");
}

TEST(WriteBatchFormat, OfAdd) {
  WriteBatch batch;
  batch.Add(kCounts, "n", -2);
  EXPECT_EQ(Hex(batch.encoded()), "04 82 01 6e fe ff ff ff ff ff ff ff");
}

TEST(WriteBatchFormat, OfPutCounter) {
  WriteBatch batch;
  batch.PutCounter(kCounts, "n", 258);
  EXPECT_EQ(Hex(batch.encoded()), "01 82 01 6e 08 02 01 00 00 00 00 00 00");
}

TEST(WriteBatchFormat, OfALongValueHasItsLengthIn7BitsAByte) {
  WriteBatch batch;
  batch.Put(kRows, "", std::string(300, 'x'));
  EXPECT_EQ(Hex(batch.encoded().substr(0, 5)), "01 80 00 ac 02");
  EXPECT_EQ(batch.bytes(), 305u);
}

TEST(WriteBatchFormat, OfNothingIsNothing) {
  EXPECT_EQ(WriteBatch().encoded(), "");
  const WriteBatch decoded = ASSERT_VALUE(WriteBatch::Decode(""));
  EXPECT_TRUE(decoded.empty());
  EXPECT_EQ(decoded, WriteBatch());
}

RC_GTEST_PROP(WriteBatch, GivesWhatWasPutIn, ()) {
  const std::vector<Owned> operations = AnyOperations();
  const WriteBatch batch = BatchOf(operations);
  RC_ASSERT(OperationsOf(batch) == operations);
  RC_ASSERT(batch.count() == operations.size());
  RC_ASSERT(batch.empty() == operations.empty());
  RC_ASSERT(batch.bytes() == batch.encoded().size());
  RC_ASSERT(batch.status().has_value());
}

RC_GTEST_PROP(WriteBatch, IsDecodedAsItWas, ()) {
  const WriteBatch batch = BatchOf(AnyOperations());
  const Result<WriteBatch> decoded = WriteBatch::Decode(batch.encoded());
  RC_ASSERT(decoded.has_value());
  RC_ASSERT(*decoded == batch);
  RC_ASSERT(decoded->count() == batch.count());
  RC_ASSERT(OperationsOf(*decoded) == OperationsOf(batch));
}

RC_GTEST_PROP(WriteBatch, CutShortWithinAnOperationIsRefusedWithItsPlace, ()) {
  const std::vector<Owned> operations = AnyOperations();
  const WriteBatch batch = BatchOf(operations);
  std::vector<std::size_t> starts;  // of each operation, and the end
  for (std::size_t count = 0; count <= operations.size(); ++count) {
    starts.push_back(
        BatchOf({operations.begin(), operations.begin() + static_cast<std::ptrdiff_t>(count)})
            .bytes());
  }
  for (std::size_t size = 0; size < batch.bytes(); ++size) {
    const Result<WriteBatch> decoded = WriteBatch::Decode(batch.encoded().substr(0, size));
    const auto next = std::ranges::upper_bound(starts, size);
    const std::size_t start = *std::prev(next);
    RC_ASSERT(decoded.has_value() == (start == size));
    if (decoded) {
      RC_ASSERT(decoded->count() == static_cast<std::size_t>(next - starts.begin()) - 1);
    } else {
      RC_ASSERT(decoded.error().code() == ErrorCode::corruption);
      RC_ASSERT(decoded.error().message().find("at byte " + std::to_string(start) + ",") !=
                std::string::npos);
    }
  }
}

TEST(WriteBatch, MalformedIsRefusedWithItsPlace) {
  const std::string good = FromHex("02 80 01 61");
  for (const std::string_view bad : {
           "00 80 01 61",                          // no such kind
           "05 80 01 61",                          //
           "ff 80 01 61",                          //
           "02 80 81 00 61",                       // a length not in its shortest form
           "02 80 ff ff ff ff ff ff ff ff ff 01",  // one that is longer than all memory
           "02 80 02 61",                          // one that is longer than the batch
           "01 80 01 61",                          // a put without a value
           "01 80 01 61 02 78",                    // a value cut short
           "04 82 01 6e 01 00 00 00 00 00 00",     // a delta of 7 bytes
           "03 80 01 61",                          // an erasure without an end
           "03 80 01 61 02",                       // an unknown kind of end
           "03 80 01 61 01",                       // an end cut short
           "03 80 01 62 01 01 61",                 // an inverted range
       }) {
    const Result<WriteBatch> alone = WriteBatch::Decode(FromHex(bad));
    ASSERT_ERROR(alone, ErrorCode::corruption) << bad;
    EXPECT_THAT(alone.error().message(), HasSubstr("at byte 0,")) << bad;
    const Result<WriteBatch> second = WriteBatch::Decode(good + FromHex(bad));
    ASSERT_ERROR(second, ErrorCode::corruption) << bad;
    EXPECT_THAT(second.error().message(), HasSubstr("at byte 4,")) << bad;
  }
}

RC_GTEST_PROP(WriteBatch, DecodedFromAnyBytesEncodesToTheSame, ()) {
  const auto byte = rc::gen::element<char>(0, 1, 2, 3, 4, 8, 'a', 'b', '\x80', '\xff');
  const auto bytes = *rc::gen::container<std::string>(byte);
  const Result<WriteBatch> decoded = WriteBatch::Decode(bytes);
  if (!decoded) return;
  RC_ASSERT(decoded->encoded() == bytes);
  RC_ASSERT(OperationsOf(*decoded).size() == decoded->count());
}

TEST(WriteBatch, LeavesOutWhatItRefusesAndRemembersTheFirst) {
  WriteBatch batch;
  batch.Put(kRows, "a", "1");
  EXPECT_OK(batch.status());
  batch.Add(kRows, "first", 1);
  batch.Put(kCounts, "second", "seven..");
  batch.PutCounter(kBlobs, "third", 1);
  batch.Erase(kCounts, "b");
  ASSERT_ERROR(batch.status(), ErrorCode::invalid_argument);
  EXPECT_THAT(batch.status().error().message(),
              testing::AllOf(HasSubstr("\"first\""), HasSubstr("\"rows\"")));
  EXPECT_EQ(OperationsOf(batch), (std::vector<Owned>{{Kind::put, kRows.id, "a", "1"},
                                                     {Kind::erase, kCounts.id, "b", ""}}));
  EXPECT_EQ(batch.count(), 2u);
}

TEST(WriteBatch, RefusesWhatACounterKeyspaceDoesNotTake) {
  for (const std::size_t size : {0, 7, 9}) {
    WriteBatch batch;
    batch.Put(kCounts, "n", std::string(size, 'x'));
    ASSERT_ERROR(batch.status(), ErrorCode::invalid_argument);
    EXPECT_THAT(batch.status().error().message(),
                testing::AllOf(HasSubstr("\"counts\""), HasSubstr("\"n\""),
                               HasSubstr(std::to_string(size))));
    EXPECT_TRUE(batch.empty());
    EXPECT_EQ(batch.encoded(), "");
  }
  WriteBatch accepted;
  accepted.Put(kCounts, "n", "8 bytes.");
  accepted.Add(kCounts, "n", 1);
  accepted.Erase(kCounts, "n");
  accepted.EraseRange(kCounts, KeyRange::All());
  EXPECT_OK(accepted.status());
  EXPECT_EQ(accepted.count(), 4u);
}

TEST(WriteBatch, RefusesCountersElsewhere) {
  for (const Keyspace& keyspace : {kRows, kBlobs}) {
    WriteBatch added, put;
    added.Add(keyspace, "n", 1);
    put.PutCounter(keyspace, "n", 1);
    EXPECT_ERROR(added.status(), ErrorCode::invalid_argument);
    EXPECT_ERROR(put.status(), ErrorCode::invalid_argument);
    EXPECT_TRUE(added.empty() && put.empty());
  }
}

RC_GTEST_PROP(WriteBatch, AppendedComesAfter, ()) {
  const std::vector<Owned> first = AnyOperations();
  const std::vector<Owned> second = AnyOperations();
  WriteBatch batch = BatchOf(first);
  batch.Append(BatchOf(second));
  std::vector<Owned> both = first;
  both.insert(both.end(), second.begin(), second.end());
  RC_ASSERT(batch == BatchOf(both));
  RC_ASSERT(batch.count() == both.size());
}

TEST(WriteBatch, MayBeAppendedToItself) {
  WriteBatch batch;
  batch.Put(kRows, "a", std::string(100, 'x'));
  batch.Append(batch);
  EXPECT_EQ(batch.count(), 2u);
  EXPECT_EQ(OperationsOf(batch)[0], OperationsOf(batch)[1]);
}

TEST(WriteBatch, AppendedBringsItsRefusedWriteUnlessOneIsKnown) {
  WriteBatch good, bad, worse;
  good.Put(kRows, "a", "1");
  bad.Add(kRows, "bad", 1);
  worse.Add(kRows, "worse", 1);
  good.Append(bad);
  EXPECT_THAT(good.status().error().message(), HasSubstr("\"bad\""));
  good.Append(worse);
  EXPECT_THAT(good.status().error().message(), HasSubstr("\"bad\""));
  EXPECT_EQ(good.count(), 1u);
}

TEST(WriteBatch, ClearedIsAsNew) {
  WriteBatch batch;
  batch.Put(kRows, "a", "1");
  batch.Add(kRows, "refused", 1);
  batch.Clear();
  EXPECT_EQ(batch, WriteBatch());
  EXPECT_OK(batch.status());
  EXPECT_EQ(batch.count(), 0u);
  EXPECT_TRUE(batch.begin() == batch.end());
}

TEST(WriteBatch, WithARefusedWriteDiffersFromOneWithout) {
  WriteBatch batch;
  batch.Add(kRows, "refused", 1);
  EXPECT_NE(batch, WriteBatch());
}

TEST(WriteBatch, GivesTheRangesItErases) {
  WriteBatch batch;
  const std::vector<KeyRange> ranges = {KeyRange::All(), KeyRange::Prefix("a"),
                                        KeyRange::From("\xff"), *KeyRange::Make("b", "b")};
  for (const KeyRange& range : ranges) batch.EraseRange(kRows, range);
  std::vector<KeyRange> found;
  for (const WriteBatch::Operation& operation : batch) found.push_back(operation.Range());
  EXPECT_EQ(found, ranges);
}

}  // namespace
}  // namespace talea
