// Verifying a whole database that holds a ledger.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/keys.h"
#include "coordination/coordination_for_test.h"
#include "engine/hooked_engine_for_test.h"
#include "talea/chain.h"
#include "talea/database.h"
#include "talea/tenants.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"
#include "talea/verify.h"

namespace talea {
namespace {

using testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

// Takes small transactions, and small values, so that undo records have several parts.
SimulationProfile SmallTransactions() {
  SimulationProfile profile = SimulationProfile::RocksDb();
  profile.limits.transaction_bytes = 16 << 10;
  profile.limits.value_bytes = 4 << 10;
  return profile;
}

std::vector<std::string> ProblemsOf(Engine& engine) {
  const VerifyReport report = VerifyDatabase(engine).value();
  EXPECT_TRUE(report.finished);
  std::vector<std::string> problems;
  for (const KeyspaceReport& keyspace : report.keyspaces) {
    problems.insert(problems.end(), keyspace.problems.begin(), keyspace.problems.end());
  }
  return problems;
}

Bytes32 Numbered(std::uint32_t number) {
  Bytes32 bytes;
  for (int place = 0; place < 4; ++place) {
    bytes.bytes[place] = static_cast<std::uint8_t>(number >> (8 * place));
  }
  return bytes;
}

// What it says of every output of the ledger it consumes, and makes as many others.
Block BlockOf(std::uint32_t number, std::uint32_t outputs) {
  static const std::string cbor(300, 'x');
  Block block{.parent = {}, .point = ChainPoint::AtSlot(number)};
  if (number > 1) block.parent = ChainPoint::AtSlot(number - 1);
  for (std::uint32_t index = 0; index < outputs; ++index) {
    block.produced.push_back({.reference = {Numbered(number), index},
                              .era = 6,
                              .cbor = cbor,
                              .coin = index,
                              .tags = {{TagKind::address, "all"}, {TagKind::asset, "gold"}}});
    if (number > 1) block.consumed.push_back({Numbered(number - 1), index});
    block.entities.push_back({"accounts", Numbered(number * outputs + index), cbor});
    block.values.push_back({"stakes", Numbered(index), cbor});
    block.counters.push_back({"datums", Numbered(index), 1});
  }
  return block;
}

TEST(VerifyLedger, FindsOneWellWithBlocksThatCameAndWentBack) {
  const std::shared_ptr<Engine> engine = OpenEngineForTest();
  const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Over(engine, {}));
  ChainStore store(database->engine());
  for (std::uint32_t number = 1; number <= 5; ++number) {
    ASSERT_OK(store.Apply(BlockOf(number, 20)));
  }
  EXPECT_THAT(ProblemsOf(*engine), IsEmpty());
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(ChainPoint::AtSlot(3))), 2u);
  EXPECT_THAT(ProblemsOf(*engine), IsEmpty());
}

// Between any two of its commits part of it is staged, in, or moved to its place.
TEST(VerifyLedger, FindsOneWellWhileALargeBlockIsStagedAndMoved) {
  Simulation simulation =
      ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), SmallTransactions(), TestSeed()));
  simulation.InjectFaults(false);
  const std::shared_ptr<Engine> engine = ASSERT_VALUE(simulation.Open());
  const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Over(engine, {}));
  ASSERT_OK(ChainStore(database->engine()).Apply(BlockOf(1, 60)));
  std::size_t staged = 0;
  HookedEngine observed(database->engine(), BeforeCommits([&] {
                          const auto view = ChainStore(*engine).Open().value();
                          staged += view.Statistics().value().staged;
                          ASSERT_THAT(ProblemsOf(*engine), IsEmpty());
                        }));
  ChainStore store(observed);
  ASSERT_OK(store.Apply(BlockOf(2, 60)));
  ASSERT_OK(store.Settle());
  EXPECT_GT(staged, 2u) << "it was looked at while its rows were moved";
  EXPECT_THAT(ProblemsOf(*engine), IsEmpty());
}

TEST(VerifyLedger, NamesTheTenantWhoseLedgerIsDamaged) {
  const std::shared_ptr<Engine> host = OpenEngineForTest();
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  for (const char* name : {"ada", "bob"}) {
    const std::shared_ptr<Engine> engine = ASSERT_VALUE(tenants.Open(name));
    const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Over(engine, {}));
    ASSERT_OK(ChainStore(database->engine()).Apply(BlockOf(1, 3)));
  }
  EXPECT_THAT(ProblemsOf(*host), IsEmpty());
  const std::shared_ptr<Engine> bob = ASSERT_VALUE(tenants.Open("bob"));
  WriteBatch damage;
  damage.Add(kChainCountsKeyspace, chain::CountKey(ChainCount::outputs), 1);
  ASSERT_OK(bob->Commit({.batch = std::move(damage)}));
  EXPECT_THAT(ProblemsOf(*host),
              ElementsAre("tenant \"bob\", ledger: expected a count of 3 outputs, as many as there "
                          "are, found 4"));
}

}  // namespace
}  // namespace talea
