// The engine's limits: what is within them works, what is beyond is refused whole.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkLimitTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// Beyond this a test of a limit would only be one of the memory at hand.
constexpr std::size_t kMostBytes = 32 << 20;

// What one commit is not charged for, generously.
constexpr std::size_t kRoom = 4096;

void ExpectTooLarge(Engine& engine, const WriteBatch& culprit, std::size_t expected,
                    std::size_t found) {
  Write(engine, Writes().Put(kPoints, "kept", "before"));
  const Model before = State(engine);
  WriteBatch batch = Writes().Put(kPoints, "kept", "changed");
  batch.Append(culprit);
  const Result<Version> result = engine.Commit(Blind(batch));
  ASSERT_ERROR(result, ErrorCode::too_large);
  EXPECT_NE(result.error().message().find(std::to_string(expected)), std::string::npos)
      << result.error();
  EXPECT_NE(result.error().message().find(std::to_string(found)), std::string::npos)
      << result.error();
  EXPECT_EQ(Difference(before, State(engine)), "");
}

TEST_P(EngineContract, TheLimitsAreOfUse) {
  const Limits& limits = engine().limits();
  EXPECT_GE(limits.key_bytes, 1024U);
  EXPECT_GE(limits.value_bytes, 64U << 10);
  EXPECT_GE(limits.transaction_bytes, 1U << 20);
  EXPECT_GE(limits.transaction_bytes, limits.write.Of(limits.key_bytes, limits.value_bytes));
}

TEST_P(EngineContract, TheEngineTellsItsKeyspaces) {
  const std::span<const Keyspace> keyspaces = engine().keyspaces().all();
  EXPECT_TRUE(std::ranges::equal(keyspaces, kKeyspaces));
}

TEST_P(EngineContract, AKeyOfTheLargestSizeCanBeWrittenReadPassedAndErased) {
  const std::string key(engine().limits().key_bytes, 'k');
  for (const Keyspace& keyspace : {kPoints, kScans}) {
    Write(engine(),
          Writes().Put(keyspace, "a", "").Put(keyspace, key, "value").Put(keyspace, "z", ""));
    EXPECT_EQ(Read(engine(), keyspace, key), "value");
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    for (const bool reverse : {false, true}) {
      const PageOptions one_row{.reverse = reverse, .row_limit = 1};
      EXPECT_EQ(ReadPages(*snapshot, keyspace, KeyRange::All(), one_row).size(), 3U);
    }
    Write(engine(), Writes().EraseRange(keyspace, KeyRange::Single(key)));
    EXPECT_EQ(Read(engine(), keyspace, key), std::nullopt);
    EXPECT_EQ(ReadPages(*Now(engine()), keyspace, KeyRange::All()).size(), 2U);
  }
}

TEST_P(EngineContract, ARangeMayBeginRightAfterAKeyOfTheLargestSize) {
  const std::string key(engine().limits().key_bytes, 'k');
  Write(engine(), Writes().Put(kScans, key, "value").Put(kScans, "z", ""));
  const KeyRange beyond = KeyRange::From(KeySuccessor(key));
  EXPECT_FALSE(Conflicts(engine(), WriteBatch(), Reads().Range(kScans, beyond),
                         Writes().Put(kScans, key, "value")));
  Write(engine(), Writes().EraseRange(kScans, beyond));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{key, "value"}}));
}

TEST_P(EngineContract, AKeyOfTheLargestSizeConflictsLikeAnyOther) {
  const std::string key(engine().limits().key_bytes, 'k');
  const WriteBatch put = Writes().Put(kPoints, key, "value");
  EXPECT_TRUE(Conflicts(engine(), WriteBatch(), Reads().Key(kPoints, key), put));
  EXPECT_TRUE(
      Conflicts(engine(), WriteBatch(), Reads().Range(kPoints, KeyRange::Single(key)), put));
}

TEST_P(EngineContract, ALargeValueIsReadBack) {
  const std::size_t bytes = std::min<std::size_t>(engine().limits().value_bytes, 4 << 20);
  std::string value;
  for (std::uint32_t step = 1; value.size() < bytes; ++step)
    value += std::to_string(step * 2654435761U);
  value.resize(bytes);
  Write(engine(), Writes().Put(kPoints, "large", value).Put(kScans, "large", value));
  EXPECT_TRUE(Read(engine(), kPoints, "large") == value);
  EXPECT_TRUE(ReadPages(*Now(engine()), kScans, KeyRange::All()) == (RowList{{"large", value}}));
}

TEST_P(EngineContract, AKeyBeyondTheLimitIsRefused) {
  const std::size_t limit = engine().limits().key_bytes;
  const std::string key(limit + 1, 'k');
  ExpectTooLarge(engine(), Writes().Put(kPoints, key, "value"), limit, limit + 1);
  ExpectTooLarge(engine(), Writes().Erase(kPoints, key), limit, limit + 1);
  ExpectTooLarge(engine(), Writes().Add(kCounters, key, 1), limit, limit + 1);
  ExpectTooLarge(engine(), Writes().PutCounter(kCounters, key, 1), limit, limit + 1);
}

TEST_P(EngineContract, AValueBeyondTheLimitIsRefused) {
  const std::size_t limit = engine().limits().value_bytes;
  if (limit > kMostBytes) GTEST_SKIP() << "takes values of " << limit << " bytes";
  Write(engine(), Writes().Put(kPoints, "largest", std::string(limit, 'v')));
  EXPECT_EQ(Read(engine(), kPoints, "largest")->size(), limit);
  Write(engine(), Writes().Erase(kPoints, "largest"));
  ExpectTooLarge(engine(), Writes().Put(kPoints, "key", std::string(limit + 1, 'v')), limit,
                 limit + 1);
}

TEST_P(EngineContract, ACommitBeyondTheLimitIsRefusedAndOneJustBelowIsNot) {
  const Limits& limits = engine().limits();
  if (limits.transaction_bytes > kMostBytes) {
    GTEST_SKIP() << "takes commits of " << limits.transaction_bytes << " bytes";
  }
  const std::string value(std::min<std::size_t>(limits.value_bytes, 64 << 10), 'v');
  WriteBatch batch;
  for (int row = 0; limits.Size(batch, {}) + value.size() + kRoom < limits.transaction_bytes;
       ++row) {
    batch.Put(kPoints, "row " + std::to_string(row), value);
  }
  Write(engine(), batch);
  batch.Put(kPoints, "row too many", value);
  batch.Put(kPoints, "another row too many", value);
  const WriteBatch counted = [&] {
    WriteBatch all = Writes().Put(kPoints, "kept", "changed");
    all.Append(batch);
    return all;
  }();
  ExpectTooLarge(engine(), batch, limits.transaction_bytes, limits.Size(counted, {}));
}

}  // namespace
}  // namespace talea
