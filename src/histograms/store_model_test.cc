// IndexStore against plain maps: in memory, on RocksDB, and under both simulation profiles.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "histograms/store_model_for_test.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/model_test.h"
#include "talea/testing/result_matchers.h"

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

// On an engine where nothing goes wrong, which now and then is opened again.
class EngineRun {
 public:
  using Open = std::function<std::unique_ptr<Engine>(std::unique_ptr<Engine> before)>;

  explicit EngineRun(Open open) : open_(std::move(open)) { Reopen(); }

  void Run(int steps) {
    Random random(TestSeed());
    for (int step = 0; step < steps; ++step) {
      const StoreSystem::Operation operation = StoreSystem::Generate(random);
      SCOPED_TRACE(fmt::format("seed {} (TALEA_SEED), step {}: {}", TestSeed(), step,
                               StoreSystem::Describe(operation)));
      ASSERT_NO_FATAL_FAILURE(Step(operation));
      if (step % 20 == 19) {
        ASSERT_NO_FATAL_FAILURE(Look());
      }
      if (random.Chance(0.005)) Reopen();
    }
    Look();
  }

  // Makes the index "pairs", of many entries and small buckets.
  void Fill(std::size_t entries) {
    using Write = StoreSystem::Write;
    Random random(TestSeed());
    ASSERT_NO_FATAL_FAILURE(Step({.kind = StoreSystem::Kind::create,
                                  .index = "pairs",
                                  .options = {.elements = 2, .peek_cap = 4}}));
    for (std::size_t done = 0; done < entries; done += 250) {
      Write write{.kind = Write::Kind::add, .index = "pairs"};
      for (int count = 0; count < 250; ++count)
        write.entries.push_back({RandomValue(random, 2), RandomDocument(random, 5000)});
      ASSERT_NO_FATAL_FAILURE(Step({.writes = {write}}));
    }
    Look();
  }

  const Coverage& coverage() const { return system_->coverage(); }

 private:
  void Step(const StoreSystem::Operation& operation) {
    StoreModel next = model_;
    const Status expected = StoreSystem::ApplyToModel(next, operation);
    const Status found = system_->Apply(operation);
    if (!expected) {
      ASSERT_ERROR(found, expected.error().code());
      return;
    }
    if (operation.kind == StoreSystem::Kind::overlap && !found &&
        found.error().code() == ErrorCode::conflict) {
      ASSERT_FALSE(StoreSystem::IsHarmless(operation));
      model_ = StoreSystem::Between(model_, operation).at(0);
      return;
    }
    ASSERT_OK(found);
    model_ = std::move(next);
  }
  void Look() {
    const StoreModel found = ASSERT_VALUE(system_->Observe());
    ASSERT_TRUE(found == model_) << StoreSystem::Difference(model_, found);
  }
  void Reopen() {
    const Coverage met = system_ ? system_->coverage() : Coverage();
    system_.reset();
    engine_ = open_(std::move(engine_));
    system_ = std::make_unique<StoreSystem>(*engine_);
    system_->GoOnWith(met);
  }

  const Open open_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<StoreSystem> system_;
  StoreModel model_;
};

int Steps() { return LongTests() ? 20'000 : 2000; }

std::unique_ptr<Engine> KeepInMemory(std::unique_ptr<Engine> before) {
  return before ? std::move(before) : OpenEngineForTest();
}

TEST(IndexStoreModel, AgreesInMemory) {
  EngineRun run(KeepInMemory);
  run.Run(Steps());
  const Coverage& met = run.coverage();
  EXPECT_GT(met.most_entries, 100u);
  EXPECT_GT(met.most_buckets, 20u);
  EXPECT_GT(met.dividing, 0);
  EXPECT_GT(met.changing, 0);
  EXPECT_GT(met.exact, 100);
  EXPECT_GT(met.inexact, 100);
}

// So large that sums of counters are kept in memory.
TEST(IndexStoreModel, AgreesOnLargeIndexes) {
  EngineRun run(KeepInMemory);
  ASSERT_NO_FATAL_FAILURE(run.Fill(4000));
  run.Run(Steps() / 10);
  EXPECT_GT(run.coverage().most_buckets, 300u);
}

TEST(IndexStoreModel, AgreesOnRocksDb) {
  std::string folder = std::filesystem::temp_directory_path() / "talea-histograms-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EngineRun([&](std::unique_ptr<Engine> before) -> std::unique_ptr<Engine> {
    before.reset();
    return OpenRocksDbEngine({.folder = folder, .keyspaces = KeyspacesForTest()}).value();
  }).Run(Steps());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace talea::histograms
