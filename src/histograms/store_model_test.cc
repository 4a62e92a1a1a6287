// IndexStore against plain maps: in memory, on RocksDB, and under both simulation profiles.
#include <gtest/gtest.h>

#include <memory>

#include "coordination/engine_model_run_testing.h"
#include "histograms/store_model_for_test.h"
#include "talea/testing/model_test.h"

namespace talea::histograms {
namespace {

TEST(IndexStoreModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(
      AgreesWithModel<StoreSystem>({.profile = SimulationProfile::RocksDb(), .steps = 2000}));
}

TEST(IndexStoreModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(
      AgreesWithModel<StoreSystem>({.profile = SimulationProfile::FoundationDb(), .steps = 2000}));
}

using StoreRun = EngineModelRun<StoreSystem>;

StoreRun InMemory(Coverage& met) {
  return StoreRun({.name = "memory"},
                  [&met](Engine& engine) { return std::make_unique<StoreSystem>(engine, &met); });
}

TEST(IndexStoreModel, AgreesInMemory) {
  Coverage met;
  InMemory(met).Run(StepsOnAnEngine());
  EXPECT_GT(met.most_entries, 100u);
  EXPECT_GT(met.most_buckets, 20u);
  EXPECT_GT(met.dividing, 0);
  EXPECT_GT(met.changing, 0);
  EXPECT_GT(met.exact, 100);
  EXPECT_GT(met.inexact, 100);
}

// Makes the index "pairs", of many entries and small buckets.
void Fill(StoreRun& run, std::size_t entries) {
  Random random(TestSeed());
  ASSERT_NO_FATAL_FAILURE(run.Step({.kind = StoreSystem::Kind::create,
                                    .index = "pairs",
                                    .options = {.elements = 2, .peek_cap = 4}}));
  for (std::size_t done = 0; done < entries; done += 250) {
    IndexWrite write{.kind = IndexWrite::Kind::add, .index = "pairs"};
    for (int count = 0; count < 250; ++count)
      write.entries.push_back({RandomValue(random, 2), RandomDocument(random, 5000)});
    ASSERT_NO_FATAL_FAILURE(run.Step({.writes = {write}}));
  }
  run.Look();
}

// So large that sums of counters are kept in memory.
TEST(IndexStoreModel, AgreesOnLargeIndexes) {
  Coverage met;
  StoreRun run = InMemory(met);
  ASSERT_NO_FATAL_FAILURE(Fill(run, 4000));
  run.Run(StepsOnAnEngine() / 10);
  EXPECT_GT(met.most_buckets, 300u);
}

TEST(IndexStoreModel, AgreesOnRocksDb) {
  StoreRun({.name = "rocksdb", .on_disk = true}).Run(StepsOnAnEngine());
}

}  // namespace
}  // namespace talea::histograms
