#include "engine/rocksdb/insert_hint.h"

#include "engine/rocksdb/testing.h"
#include "talea/testing/random.h"

namespace talea {
namespace {

class InsertHintTest : public RocksDbTest {
 protected:
  using Rows = std::map<std::string, std::string>;

  static Rows Scan(Engine& engine) {
    Rows rows;
    const std::unique_ptr<Snapshot> snapshot = engine.OpenSnapshot().value();
    Scanner scanner(*snapshot, kTestPoints, KeyRange::All());
    while (const std::optional<Row> row = scanner.Next().value()) {
      rows.emplace(row->key, row->value);
    }
    return rows;
  }
};

TEST_F(InsertHintTest, IsThereWhileALargeBatchWithoutErasuresIsWritten) {
  const auto hinted = [](const rocksdb::WriteBatch& batch) {
    const HintedWrite write(batch);
    return InsertHint()->InDomain("key");
  };
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(batch.Put("key", "value").ok());
  EXPECT_FALSE(hinted(batch));
  for (int row = 0; row < 100; ++row) ASSERT_TRUE(batch.Put("key", "value").ok());
  EXPECT_TRUE(hinted(batch));
  EXPECT_FALSE(InsertHint()->InDomain("key"));
  EXPECT_EQ(InsertHint()->Transform("key").size(), 0u);
  ASSERT_TRUE(batch.DeleteRange("a", "b").ok());
  EXPECT_FALSE(hinted(batch));
}

// The first version gave RocksDB hints for every write. It keeps those of a memory table's rows and
// of its range erasures under one name, so the first erasure after a Put crashed or was lost.
TEST_F(InsertHintTest, SortedBatchesAndRangeErasuresTakeTurns) {
  Random random(TestSeed());
  const auto key = [&] { return std::to_string(random.Below(1000)); };
  Rows model;
  for (int life = 0; life < 3; ++life) {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    EXPECT_EQ(Scan(*engine), model);
    for (int commit = 0; commit < 200; ++commit) {
      CommitRequest request;
      if (random.Chance(0.3)) {
        std::string low = key(), high = key();
        if (high < low) std::swap(low, high);
        request.batch.EraseRange(kTestPoints, ASSERT_VALUE(KeyRange::Make(low, high)));
        model.erase(model.lower_bound(low), model.lower_bound(high));
      }
      for (int row = 0; row < 100; ++row) {
        const std::string put = key();
        request.batch.Put(kTestPoints, put, std::to_string(commit));
        model[put] = std::to_string(commit);
      }
      ASSERT_OK(engine->Commit(std::move(request)));
    }
    EXPECT_EQ(Scan(*engine), model);
  }
}

}  // namespace
}  // namespace talea
