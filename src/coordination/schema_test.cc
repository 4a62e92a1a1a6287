#include "coordination/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "engine/hex_for_test.h"
#include "talea/memory_engine.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"
#include "talea/transaction.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using ::testing::HasSubstr;

const std::vector<Keyspace> kKeyspaces = KeyspacesForTest();

class SchemaTest : public ::testing::Test {
 protected:
  void Put(const Keyspace& keyspace, ByteView key, ByteView value) {
    WriteBatch batch;
    batch.Put(keyspace, key, value);
    ASSERT_OK(engine_->Commit({.batch = batch}));
  }
  void PutSchema(const Tuple& tuple) { Put(kTaleaKeyspace, SchemaKey(), Pack(tuple).value()); }
  std::optional<std::string> Get(ByteView key) {
    return engine_->OpenSnapshot().value()->Get(kTaleaKeyspace, key).value();
  }

  std::unique_ptr<Engine> engine_ = OpenMemoryEngine({.keyspaces = kKeyspaces}).value();
};

TEST_F(SchemaTest, IsWrittenToANewEngineAndFoundAgain) {
  EXPECT_EQ(ASSERT_VALUE(OpenSchema(*engine_, Layout::plain)), (Schema{1, Layout::plain}));
  EXPECT_EQ(ASSERT_VALUE(OpenSchema(*engine_, Layout::plain)), (Schema{1, Layout::plain}));
}

// Whoever changes this test changes the format on disk.
TEST_F(SchemaTest, HasTheseBytes) {
  EXPECT_EQ(Hex(SchemaKey()), "02 73 63 68 65 6d 61 00");
  ASSERT_OK(OpenSchema(*engine_, Layout::tenants));
  EXPECT_EQ(Hex(Get(SchemaKey()).value()), "15 01 15 02");
}

TEST_F(SchemaTest, RefusesTheOtherLayout) {
  ASSERT_OK(OpenSchema(*engine_, Layout::tenants));
  const Result<Schema> opened = OpenSchema(*engine_, Layout::plain);
  ASSERT_ERROR(opened, ErrorCode::precondition_failed);
  EXPECT_THAT(opened.error().message(),
              HasSubstr("expected the layout of one database, found tenants"));
}

TEST_F(SchemaTest, RefusesANewerVersionWhateverElseThatHolds) {
  PutSchema({7, 1, "something new"});
  const Result<Schema> opened = OpenSchema(*engine_, Layout::plain);
  ASSERT_ERROR(opened, ErrorCode::unsupported);
  EXPECT_THAT(opened.error().message(), HasSubstr("expected version 1 or less, found 7"));
}

TEST_F(SchemaTest, RefusesRowsOfTaleaWithoutASchema) {
  Put(kUndoKeyspace, "key", "value");
  const Result<Schema> opened = OpenSchema(*engine_, Layout::plain);
  ASSERT_ERROR(opened, ErrorCode::corruption);
  EXPECT_THAT(opened.error().message(),
              HasSubstr("expected keyspace \"undo\" to be empty then, found key \"key\""));
  EXPECT_EQ(Get(SchemaKey()), std::nullopt);
}

TEST_F(SchemaTest, LeavesTheRowsOfUsersAlone) {
  Put(kRows, "key", "value");
  EXPECT_OK(OpenSchema(*engine_, Layout::plain));
}

TEST_F(SchemaTest, RefusesBytesThatAreNoSchema) {
  for (const std::string& bytes : {std::string(), std::string("x"), Pack({0, 1}).value(),
                                   Pack({1, 3}).value(), Pack({1}).value()}) {
    Put(kTaleaKeyspace, SchemaKey(), bytes);
    EXPECT_ERROR(OpenSchema(*engine_, Layout::plain), ErrorCode::corruption) << Quoted(bytes);
  }
}

TEST_F(SchemaTest, RefusesTheTargetOfAnUnfinishedCopyAndSaysWhatToDo) {
  ASSERT_OK(OpenSchema(*engine_, Layout::plain));
  Put(kTaleaKeyspace, CopyMarkKey(), "");
  const Result<Schema> opened = OpenSchema(*engine_, Layout::plain);
  ASSERT_ERROR(opened, ErrorCode::precondition_failed);
  EXPECT_THAT(opened.error().message(),
              HasSubstr("copy again from the same source to go on, or erase it"));
}

TEST_F(SchemaTest, RefusesAnEngineWithoutTaleasKeyspaces) {
  engine_ = OpenMemoryEngine({.keyspaces = {kTaleaKeyspace, kRows}}).value();
  EXPECT_ERROR(OpenSchema(*engine_, Layout::plain), ErrorCode::invalid_argument);
}

TEST_F(SchemaTest, BringsAnOlderVersionUpToDateStepByStep) {
  PutSchema({2, 1});
  std::vector<int> taken;
  const auto step = [&](int number) {
    return
        [&taken, number](Engine&, Layout) -> Status { return taken.push_back(number), Status(); };
  };
  const std::vector<SchemaStep> steps{step(1), step(2), step(3)};
  EXPECT_EQ(ASSERT_VALUE(OpenSchema(*engine_, Layout::plain, steps)), (Schema{4, Layout::plain}));
  EXPECT_EQ(taken, (std::vector{2, 3}));
  EXPECT_EQ(Get(SchemaKey()), Pack({4, 1}).value());
  ASSERT_OK(OpenSchema(*engine_, Layout::plain, steps));
  EXPECT_EQ(taken, (std::vector{2, 3}));
}

TEST_F(SchemaTest, IsNewestAtOnceInANewEngine) {
  const std::vector<SchemaStep> steps{[](Engine&, Layout) -> Status {
    return Fail(ErrorCode::io_error, "there is nothing to upgrade");
  }};
  EXPECT_EQ(ASSERT_VALUE(OpenSchema(*engine_, Layout::plain, steps)), (Schema{2, Layout::plain}));
}

TEST_F(SchemaTest, GoesOnAtTheStepThatFailed) {
  PutSchema({1, 1});
  int runs = 0;
  const std::vector<SchemaStep> steps{[&](Engine&, Layout) -> Status { return ++runs, Status(); },
                                      [&](Engine&, Layout) -> Status {
                                        if (++runs == 2) return Fail(ErrorCode::io_error, "disk");
                                        return {};
                                      }};
  EXPECT_ERROR(OpenSchema(*engine_, Layout::plain, steps), ErrorCode::io_error);
  EXPECT_EQ(Get(SchemaKey()), Pack({2, 1}).value());
  EXPECT_OK(OpenSchema(*engine_, Layout::plain, steps));
  EXPECT_EQ(runs, 3);
}

TEST(SchemaOnACluster, IsOpenedWhateverGoesWrong) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.faults.crash = profile.faults.power_cut = 0;
    profile.faults.unknown_applied = profile.faults.unknown_later = 0.3;
    Simulation simulation = Simulation::Make(kKeyspaces, profile, seed).value();
    const std::unique_ptr<Engine> engine = simulation.Open().value();
    EXPECT_OK(OpenSchema(*engine, Layout::plain)) << seed;
  }
}

}  // namespace
}  // namespace talea
