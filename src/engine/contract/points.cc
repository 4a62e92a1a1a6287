// Single keys, and many at once.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkPointTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

std::string EveryByte() {
  std::string bytes;
  for (int byte = 0; byte < 256; ++byte) bytes.push_back(static_cast<char>(byte));
  return bytes;
}

TEST_P(EngineContract, AKeyThatWasNeverPutIsAbsent) {
  for (const Keyspace& keyspace : kKeyspaces) {
    EXPECT_EQ(Read(engine(), keyspace, "absent"), std::nullopt) << keyspace.name;
  }
}

TEST_P(EngineContract, APutIsReadUntilItIsReplacedOrErased) {
  for (const Keyspace& keyspace : {kPoints, kScans}) {
    Write(engine(), Writes().Put(keyspace, "key", "first"));
    EXPECT_EQ(Read(engine(), keyspace, "key"), "first");
    Write(engine(), Writes().Put(keyspace, "key", "second"));
    EXPECT_EQ(Read(engine(), keyspace, "key"), "second");
    Write(engine(), Writes().Erase(keyspace, "key"));
    EXPECT_EQ(Read(engine(), keyspace, "key"), std::nullopt);
    Write(engine(), Writes().Put(keyspace, "key", "third"));
    EXPECT_EQ(Read(engine(), keyspace, "key"), "third");
  }
}

TEST_P(EngineContract, ErasingAnAbsentKeyChangesNothing) {
  Write(engine(), Writes().Put(kPoints, "other", "value"));
  const Model before = State(engine());
  Write(engine(), Writes().Erase(kPoints, "absent").Erase(kCounters, "absent"));
  EXPECT_EQ(Difference(before, State(engine())), "");
}

TEST_P(EngineContract, EmptyKeysAndEmptyValuesAreLikeAnyOther) {
  for (const Keyspace& keyspace : {kPoints, kScans}) {
    EXPECT_EQ(Read(engine(), keyspace, ""), std::nullopt);
    Write(engine(), Writes().Put(keyspace, "", "value of the empty key").Put(keyspace, "key", ""));
    EXPECT_EQ(Read(engine(), keyspace, ""), "value of the empty key");
    EXPECT_EQ(Read(engine(), keyspace, "key"), "") << "an empty value is not an absent one";
    Write(engine(), Writes().Erase(keyspace, ""));
    EXPECT_EQ(Read(engine(), keyspace, ""), std::nullopt);
    EXPECT_EQ(Read(engine(), keyspace, "key"), "");
  }
  Write(engine(), Writes().Add(kCounters, "", 3));
  EXPECT_EQ(ReadCounter(engine(), kCounters, ""), 3);
}

TEST_P(EngineContract, KeysAndValuesMayHoldAnyBytes) {
  Model expected;
  WriteBatch batch;
  for (int byte = 0; byte < 256; ++byte) {
    const std::string key(2, static_cast<char>(byte));
    for (const std::string& variant : {key, key + '\0', '\0' + key, key.substr(1)}) {
      batch.Put(kPoints, variant, EveryByte());
      batch.Put(kScans, variant, key);
    }
  }
  expected.Apply(batch);
  Write(engine(), batch);
  Write(engine(), Writes().Put(kPoints, EveryByte(), "all"));
  expected.Put(kPoints, EveryByte(), "all");
  EXPECT_EQ(Difference(expected, State(engine())), "");
  EXPECT_EQ(Read(engine(), kPoints, EveryByte()), "all");
  EXPECT_EQ(Read(engine(), kPoints, std::string("\0", 1)), EveryByte());
}

TEST_P(EngineContract, KeysThatBeginAlikeAreDifferentKeys) {
  Write(engine(), Writes().Put(kPoints, "ab", "two").Put(kPoints, "abc", "three"));
  EXPECT_EQ(Read(engine(), kPoints, "a"), std::nullopt);
  EXPECT_EQ(Read(engine(), kPoints, "ab"), "two");
  EXPECT_EQ(Read(engine(), kPoints, "abc"), "three");
  EXPECT_EQ(Read(engine(), kPoints, "abcd"), std::nullopt);
}

TEST_P(EngineContract, KeyspacesAreApart) {
  Write(engine(), Writes().Put(kPoints, "key", "of points").Put(kScans, "key", "of scans"));
  Write(engine(), Writes().Add(kCounters, "key", 1).Add(kSums, "key", 2));
  EXPECT_EQ(Read(engine(), kPoints, "key"), "of points");
  EXPECT_EQ(Read(engine(), kScans, "key"), "of scans");
  EXPECT_EQ(ReadCounter(engine(), kCounters, "key"), 1);
  EXPECT_EQ(ReadCounter(engine(), kSums, "key"), 2);
  Write(engine(), Writes().EraseRange(kScans, KeyRange::All()).Erase(kCounters, "key"));
  EXPECT_EQ(Read(engine(), kPoints, "key"), "of points");
  EXPECT_EQ(Read(engine(), kScans, "key"), std::nullopt);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "key"), 0);
  EXPECT_EQ(ReadCounter(engine(), kSums, "key"), 2);
}

TEST_P(EngineContract, MultiGetAnswersInTheOrderAskedWithRepeatsAndAcrossKeyspaces) {
  Write(engine(), Writes().Put(kPoints, "a", "1").Put(kPoints, "b", "").Put(kScans, "a", "2"));
  Write(engine(), Writes().Add(kCounters, "a", 7).Add(kSums, "zero", 1));
  Write(engine(), Writes().Add(kSums, "zero", -1));
  const std::vector<KeyReference> keys = {
      {kScans, "a"},  {kPoints, "b"}, {kPoints, "absent"}, {kPoints, "a"}, {kCounters, "a"},
      {kPoints, "a"}, {kScans, "b"},  {kSums, "zero"},     {kScans, "a"},  {kPoints, ""}};
  const std::vector<std::optional<std::string>> expected = {
      "2", "",           std::nullopt, "1", CounterBytes(7),
      "1", std::nullopt, std::nullopt, "2", std::nullopt};
  EXPECT_EQ(Must(Now(engine())->MultiGet(keys)), expected);
}

TEST_P(EngineContract, MultiGetOfNothingIsNothing) {
  EXPECT_TRUE(Must(Now(engine())->MultiGet({})).empty());
}

TEST_P(EngineContract, MultiGetAnswersThousandsOfKeys) {
  constexpr int kCount = 3000;
  WriteBatch batch;
  for (int key = 0; key < kCount; key += 2)
    batch.Put(kPoints, std::to_string(key), "v" + std::to_string(key));
  Write(engine(), batch);
  std::vector<std::string> names;
  for (int key = kCount - 1; key >= 0; --key) names.push_back(std::to_string(key));
  std::vector<KeyReference> keys;
  for (const std::string& name : names) keys.emplace_back(kPoints, name);
  const std::vector<std::optional<std::string>> values = Must(Now(engine())->MultiGet(keys));
  ASSERT_EQ(values.size(), names.size());
  for (std::size_t position = 0; position < names.size(); ++position) {
    const bool present = std::stoi(names[position]) % 2 == 0;
    EXPECT_EQ(values[position], present ? std::optional("v" + names[position]) : std::nullopt);
  }
}

TEST_P(EngineContract, ReadsOfAForeignKeyspaceAreRefusedByName) {
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  const Result<std::optional<std::string>> get = snapshot->Get(kForeign, "key");
  ASSERT_ERROR(get, ErrorCode::invalid_argument);
  EXPECT_NE(get.error().message().find(kForeign.name), std::string::npos) << get.error();
  const std::vector<KeyReference> keys = {{kPoints, "key"}, {kForeign, "key"}};
  EXPECT_ERROR(snapshot->MultiGet(keys), ErrorCode::invalid_argument);
  EXPECT_ERROR(snapshot->Range(kForeign, KeyRange::All()), ErrorCode::invalid_argument);
}

TEST_P(EngineContract, PagedReaderReadsTheNewestStateEachTime) {
  PagedReader reader(engine());
  Write(engine(), Writes().Put(kPoints, "key", "1").Put(kScans, "a", "1"));
  EXPECT_EQ(Must(reader.Get(kPoints, "key")), "1");
  Write(engine(), Writes().Put(kPoints, "key", "2").Put(kScans, "b", "2"));
  EXPECT_EQ(Must(reader.Get(kPoints, "key")), "2");
  const std::vector<KeyReference> keys = {{kScans, "b"}, {kScans, "a"}};
  EXPECT_EQ(Must(reader.MultiGet(keys)), (std::vector<std::optional<std::string>>{"2", "1"}));
  EXPECT_EQ(ReadPages(reader, kScans, KeyRange::All()), (RowList{{"a", "1"}, {"b", "2"}}));
}

}  // namespace
}  // namespace talea
