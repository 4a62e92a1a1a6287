#include "engine/rocksdb/counter.h"

#include <gmock/gmock.h>
#include <rocksdb/db.h>

#include "base/coding.h"
#include "engine/rocksdb/store.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

// Writes beside the engine, as a damaged disk or a foolish program would.
class CounterTest : public RocksDbTest {
 protected:
  template <class Action>
  void WithStore(Action action) {
    const KeyspaceSet keyspaces = ASSERT_VALUE(KeyspaceSet::Make(Options().keyspaces));
    const std::unique_ptr<Store> store =
        ASSERT_VALUE(Store::Open(*rocksdb::Env::Default(), Options(), keyspaces,
                                 std::make_shared<rocksdb::EventListener>()));
    action(store->db(), store->families()[keyspaces.Position(kTestCounters.id)]);
  }
  static Result<Version> Add(Engine& engine, ByteView key, std::int64_t delta) {
    CommitRequest request;
    request.batch.Add(kTestCounters, key, delta);
    return engine.Commit(std::move(request));
  }
};

TEST_F(CounterTest, AMalformedCounterIsReportedByEveryReadAndHarmsNothingElse) {
  WithStore([](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* counters) {
    ASSERT_TRUE(db.Put({}, counters, "bad", "seven b").ok());
  });
  for (int times = 0; times < 2; ++times) {  // the second time its merges went through a flush
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    ASSERT_OK(Add(*engine, "bad", 1));
    ASSERT_OK(Add(*engine, "good", 1));
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
    const auto read = snapshot->Get(kTestCounters, "bad");
    ASSERT_ERROR(read, ErrorCode::corruption);
    EXPECT_THAT(read.error().message(), testing::HasSubstr("seven b"));
    EXPECT_ERROR(snapshot->Range(kTestCounters, {}, {}), ErrorCode::corruption);
    const std::vector<KeyReference> both{{kTestCounters, "good"}, {kTestCounters, "bad"}};
    EXPECT_ERROR(snapshot->MultiGet(both), ErrorCode::corruption);
    EXPECT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, "good")), times + 1);
  }
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  CommitRequest heal;
  heal.batch.PutCounter(kTestCounters, "bad", 5);
  ASSERT_OK(engine->Commit(std::move(heal)));
  ASSERT_OK(Add(*engine, "bad", 1));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, "bad")), 6);
}

TEST_F(CounterTest, ASumOfZeroIsHiddenAndThenDropped) {
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    ASSERT_OK(Add(*engine, "zero", 5));
    ASSERT_OK(Add(*engine, "zero", -5));
    ASSERT_OK(Add(*engine, "one", 1));
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
    EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kTestCounters, "zero")), std::nullopt);
    EXPECT_EQ(ASSERT_VALUE(snapshot->Range(kTestCounters, {}, {})).size(), 1u);
  }
  WithStore([](rocksdb::DB& db, rocksdb::ColumnFamilyHandle* counters) {
    rocksdb::CompactRangeOptions all;
    all.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForce;
    // Once to sum up, once to see the sum.
    ASSERT_TRUE(db.CompactRange(all, counters, nullptr, nullptr).ok());
    ASSERT_TRUE(db.CompactRange(all, counters, nullptr, nullptr).ok());
    std::string value;
    EXPECT_TRUE(db.Get({}, counters, "zero", &value).IsNotFound());
    EXPECT_EQ(DecodeCounter((db.Get({}, counters, "one", &value), value)), 1);
  });
}

TEST_F(CounterTest, AKeyBeyondTheShortEndIsErasedWithAllOthers) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  const std::string far(100, '\xff');
  for (const std::string& begin : {std::string(), std::string("k"), far}) {
    ASSERT_OK(Put(*engine, far, "value"));
    ASSERT_OK(Put(*engine, "a", "value"));
    CommitRequest erase;
    erase.batch.EraseRange(kTestPoints, KeyRange::From(begin));
    ASSERT_OK(engine->Commit(std::move(erase)));
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, far)), std::nullopt);
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "a")).has_value(), !begin.empty());
  }
}

}  // namespace
}  // namespace talea
