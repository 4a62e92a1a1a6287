// ChainStore against plain maps: in memory, on RocksDB, under both simulation profiles, and on a
// cluster whose transactions are so small that most blocks have to be staged.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>

#include "chain/store_model_for_test.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/model_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

TEST(ChainStoreModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<StoreSystem>({.profile = SimulationProfile::RocksDb()}));
}

TEST(ChainStoreModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<StoreSystem>({.profile = SimulationProfile::FoundationDb()}));
}

// Work in the caller's transaction cannot be staged, so here there is none.
class StagingSystem : public StoreSystem {
 public:
  using StoreSystem::StoreSystem;

  static Operation Generate(Random& random) {
    Operation operation = StoreSystem::Generate(random);
    operation.in_transaction = false;
    if (operation.kind == Kind::overlap) operation.kind = Kind::block;
    if (operation.kind == Kind::step_back) operation.kind = Kind::roll_back;
    operation.sizes = {.bytes = 200, .outputs = random.Chance(0.3) ? 6u : 24u};
    return operation;
  }
};

SimulationProfile WithSmallTransactions(SimulationProfile profile) {
  profile.limits.transaction_bytes = 4096;
  profile.limits.value_bytes = 1000;
  return profile;
}

// Many a commit happens later, when its rows have been moved by another one.
TEST(ChainStoreModel, AgreesWhereBlocksAreStaged) {
  SimulationProfile profile = WithSmallTransactions(SimulationProfile::FoundationDb());
  profile.faults.unknown_later = 0.1;
  EXPECT_TRUE(AgreesWithModel<StagingSystem>({.profile = profile, .steps = 1000}));
}

TEST(ChainStoreModel, AgreesWhereBlocksAreStagedAndThePowerIsCut) {
  EXPECT_TRUE(AgreesWithModel<StagingSystem>(
      {.profile = WithSmallTransactions(SimulationProfile::RocksDb()), .steps = 1000}));
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
      SCOPED_TRACE(fmt::format("seed {} (TALEA_SEED), step {}", TestSeed(), step));
      ASSERT_NO_FATAL_FAILURE(Step(operation));
      if (step % 20 == 19) {
        ASSERT_NO_FATAL_FAILURE(Look());
      }
      if (random.Chance(0.005)) Reopen();
    }
    Look();
  }

  // That the work is what it is meant to be.
  void ExpectSomeOfEverything() {
    using Kind = StoreSystem::Kind;
    for (const Kind kind : {Kind::block, Kind::batch, Kind::roll_back, Kind::step_back}) {
      EXPECT_GT(done_[kind], 50) << static_cast<int>(kind);
    }
    for (const Kind kind : {Kind::block, Kind::batch, Kind::roll_back})
      EXPECT_GT(refused_[kind], 5) << static_cast<int>(kind);
    EXPECT_GT(done_[Kind::overlap], 50);
    EXPECT_GT(done_[Kind::prune], 20);
    EXPECT_GT(model_.number(), 3 * 64u);  // old steps are forgotten now and then
  }

 private:
  void Step(const StoreSystem::Operation& operation) {
    LedgerModel next = model_;
    const Status expected = StoreSystem::ApplyToModel(next, operation);
    SCOPED_TRACE(StoreSystem::Describe(operation));
    const Status found = system_->Apply(operation);
    ++(expected ? done_ : refused_)[operation.plan.kind];
    if (!expected) {
      ASSERT_ERROR(found, expected.error().code());
      return;
    }
    ASSERT_OK(found);
    model_ = std::move(next);
  }
  void Look() {
    const LedgerModel found = ASSERT_VALUE(system_->Observe());
    ASSERT_TRUE(found == model_) << StoreSystem::Difference(model_, found);
  }
  void Reopen() {
    system_.reset();
    engine_ = open_(std::move(engine_));
    system_ = std::make_unique<StoreSystem>(*engine_);
  }

  const Open open_;
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<StoreSystem> system_;
  LedgerModel model_;
  std::map<StoreSystem::Kind, int> done_;
  std::map<StoreSystem::Kind, int> refused_;
};

int Steps() { return LongTests() ? 20'000 : 2000; }

TEST(ChainStoreModel, AgreesInMemory) {
  EngineRun run([](std::unique_ptr<Engine> before) {
    return before ? std::move(before) : OpenEngineForTest();
  });
  run.Run(Steps());
  run.ExpectSomeOfEverything();
}

TEST(ChainStoreModel, AgreesOnRocksDb) {
  std::string folder = std::filesystem::temp_directory_path() / "talea-chain-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  EngineRun([&](std::unique_ptr<Engine> before) -> std::unique_ptr<Engine> {
    before.reset();
    return OpenRocksDbEngine({.folder = folder, .keyspaces = KeyspacesForTest()}).value();
  }).Run(Steps());
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace talea::chain
