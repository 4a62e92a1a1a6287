// ChainStore against plain maps: in memory, on RocksDB, under both simulation profiles, and on a
// cluster whose transactions are so small that most blocks have to be staged.
#include <gtest/gtest.h>

#include <map>

#include "chain/store_model_for_test.h"
#include "coordination/engine_model_run_testing.h"
#include "talea/testing/model_test.h"

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

TEST(ChainStoreModel, AgreesInMemory) {
  using Kind = StoreSystem::Kind;
  std::map<Kind, int> done, refused;
  EngineModelRun<StoreSystem> run({.name = "memory"});
  run.Run(StepsOnAnEngine(), [&](const StoreSystem::Operation& operation, bool taken) {
    ++(taken ? done : refused)[operation.plan.kind];
  });
  // The work is what it is meant to be.
  for (const Kind kind : {Kind::block, Kind::batch, Kind::roll_back, Kind::step_back})
    EXPECT_GT(done[kind], 50) << static_cast<int>(kind);
  for (const Kind kind : {Kind::block, Kind::batch, Kind::roll_back})
    EXPECT_GT(refused[kind], 5) << static_cast<int>(kind);
  EXPECT_GT(done[Kind::overlap], 50);
  EXPECT_GT(done[Kind::prune], 20);
  EXPECT_GT(run.model().number(), 3 * 64u);  // old steps are forgotten now and then
}

TEST(ChainStoreModel, AgreesOnRocksDb) {
  EngineModelRun<StoreSystem>({.name = "rocksdb", .on_disk = true}).Run(StepsOnAnEngine());
}

}  // namespace
}  // namespace talea::chain
