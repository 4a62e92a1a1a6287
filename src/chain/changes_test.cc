// What a ChainStore tells those who follow it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/staging_for_test.h"
#include "chain/standing.h"
#include "chain/test_chain_for_test.h"
#include "engine/hooked_engine_for_test.h"
#include "engine/undo.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

ChainPoint Point(std::uint64_t slot, std::uint64_t branch = 0) {
  return ChainPoint::Of(slot, HashOf(slot + 100 * branch));
}

OutputReference Reference(std::uint64_t transaction) { return {HashOf(transaction), 0}; }

Output MakeOutput(std::uint64_t transaction, std::string_view cbor = "cbor") {
  return {.reference = Reference(transaction), .era = 6, .cbor = cbor, .coin = 1};
}

OutputValue StoredOutput(std::string_view cbor = "cbor") {
  return OutputValue::FromStored(EncodeOutput(MakeOutput(0, cbor))).value();
}

Result<std::vector<ChainChange>> ReadAll(ChangeFeed& feed) {
  std::vector<ChainChange> changes;
  while (std::optional<ChainChange> change = TALEA_TRY(feed.Next())) {
    changes.push_back(std::move(*change));
  }
  return changes;
}

Result<std::vector<ChainChange>> ChangesSince(const ChainStore& store, const Cursor& since) {
  ChangeFeed feed = TALEA_TRY(store.Changes(since));
  return ReadAll(feed);
}

class ChainChangesTest : public testing::Test {
 protected:
  void Apply(const Block& block) { ASSERT_OK(store_.Apply(block)); }
  // An empty one on top of the newest.
  void ApplyEmpty(const ChainPoint& point) {
    Apply({.parent = store_.Open().value().cursor(), .point = point});
  }
  std::vector<ChainChange> Since(const Cursor& point) {
    return ChangesSince(store_, point).value();
  }
  // From where to where each step since this point led.
  std::vector<std::pair<Cursor, Cursor>> StepsSince(const Cursor& point) {
    std::vector<std::pair<Cursor, Cursor>> steps;
    for (const ChainChange& change : Since(point)) steps.emplace_back(change.parent, change.point);
    return steps;
  }

  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  ChainStore store_{*engine_};
};

TEST_F(ChainChangesTest, OfALedgerWithoutStepsAreNone) { EXPECT_THAT(Since({}), IsEmpty()); }

TEST_F(ChainChangesTest, TellAllThatABlockDid) {
  Apply({.parent = {},
         .point = Point(1),
         .produced = {MakeOutput(1, "one"), MakeOutput(2)},
         .entities = {{"pools", HashOf(1), "old"}, {"pools", HashOf(2), "gone"}},
         .values = {{"owners", HashOf(1), "ada"}}});
  Apply({.parent = Point(1),
         .point = Point(2),
         .produced = {MakeOutput(3)},
         .consumed = {Reference(1)},
         .entities = {{"pools", HashOf(1), "new"}, {"pools", HashOf(2), std::nullopt}},
         .values = {{"owners", HashOf(1), "ada", true}, {"owners", HashOf(1), "bob"}},
         .counters = {{"blocks", HashOf(7), 3}, {"blocks", HashOf(7), -1}}});
  const ChainChange expected{
      .parent = Point(1),
      .point = Point(2),
      .outputs = {{Reference(3), std::nullopt, StoredOutput()},
                  {Reference(1), StoredOutput("one"), std::nullopt}},
      .entities = {{"pools", HashOf(2), "gone", std::nullopt}, {"pools", HashOf(1), "old", "new"}},
      .values = {{"owners", HashOf(1), "ada", true}, {"owners", HashOf(1), "bob", false}},
      .counters = {{"blocks", HashOf(7), 2}}};
  EXPECT_THAT(Since(Point(1)), ElementsAre(expected));
}

TEST_F(ChainChangesTest, LeaveOutWhatABlockMadeAndSpent) {
  Apply({.parent = {},
         .point = Point(1),
         .produced = {MakeOutput(2), MakeOutput(3)},
         .consumed = {Reference(2)}});
  const std::vector<ChainChange> changes = Since({});
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_THAT(changes[0].outputs,
              ElementsAre(OutputChange{Reference(3), std::nullopt, StoredOutput()}));
}

TEST_F(ChainChangesTest, TellTheValueBeforeAndAfterEachOfManySteps) {
  const std::size_t blocks = 150;
  Cursor parent;
  for (std::size_t number = 0; number < blocks; ++number) {
    const std::string value = std::to_string(number);
    const ChainPoint point = Point(number + 1);
    Apply({.parent = parent, .point = point, .entities = {{"epochs", HashOf(0), value}}});
    parent = point;
  }
  const std::vector<ChainChange> changes = Since({});
  ASSERT_THAT(changes, SizeIs(blocks));
  std::optional<std::string> before;
  for (std::size_t number = 0; number < blocks; ++number) {
    const std::string after = std::to_string(number);
    ASSERT_THAT(changes[number].entities,
                ElementsAre(EntityChange{"epochs", HashOf(0), before, after}));
    before = after;
  }
}

TEST_F(ChainChangesTest, LeadFromEveryOlderStateToTheNewest) {
  const TestChain chain(30);
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) Apply(chain.block(number));
  for (std::size_t height = 0; height < chain.states.size(); ++height) {
    LedgerState state = chain.states[height];
    std::size_t reached = height;
    for (const ChainChange& change : Since(state.cursor)) {
      ASSERT_TRUE(Replay(state, change)) << "from " << height << ", step " << reached + 1;
      const LedgerState& expected = chain.states[++reached];
      ASSERT_EQ(state.cursor, expected.cursor);
      ASSERT_EQ(state.entities, expected.entities);
      ASSERT_EQ(state.values, expected.values);
      ASSERT_EQ(state.counters, expected.counters);
      ASSERT_EQ(state.outputs.size(), expected.outputs.size());
      for (const auto& [reference, output] : expected.outputs) {
        ASSERT_TRUE(state.outputs.contains(reference));
        ASSERT_EQ(state.outputs.at(reference).cbor, output.cbor);
      }
    }
    EXPECT_EQ(reached, chain.blocks.size());
  }
}

TEST_F(ChainChangesTest, AreThoseOfTheBranchThatTheLedgerIsOn) {
  for (std::uint64_t slot = 1; slot <= 3; ++slot) ApplyEmpty(Point(slot));
  ASSERT_OK(store_.RollBack(Point(1)));
  ApplyEmpty(Point(2, 1));
  EXPECT_THAT(StepsSince(Point(1)), ElementsAre(std::pair(Cursor(Point(1)), Cursor(Point(2, 1)))));

  const Result<ChangeFeed> lost = store_.Changes(Point(2));
  ASSERT_ERROR(lost, ErrorCode::not_found);
  EXPECT_THAT(lost.error().message(), HasSubstr("from none on"));
  EXPECT_THAT(lost.error().message(), HasSubstr("found " + Point(2).ToString()));
}

TEST_F(ChainChangesTest, ReachAsFarBackAsTheUndoWindow) {
  for (std::uint64_t slot = 1; slot <= 5; ++slot) ApplyEmpty(Point(slot));
  ASSERT_OK(store_.Prune(2));
  EXPECT_THAT(Since(Point(3)), SizeIs(2));
  const Result<ChangeFeed> forgotten = store_.Changes(Point(2));
  ASSERT_ERROR(forgotten, ErrorCode::not_found);
  EXPECT_THAT(forgotten.error().message(), HasSubstr("from " + Point(3).ToString() + " on"));
}

TEST_F(ChainChangesTest, TellStepsThatLeaveTheCursorWhereItIs) {
  ApplyEmpty(Point(1));
  ApplyEmpty(Point(2));
  for (const char* value : {"first", "second"}) {
    ChainWriter writer = store_.StartWriter();
    writer.WriteEntity("pools", HashOf(0), value);
    ASSERT_OK(writer.Commit());
  }
  const std::vector<ChainChange> changes = Since(Point(1));
  ASSERT_THAT(changes, SizeIs(3));
  EXPECT_EQ(changes[2].parent, Point(2));
  EXPECT_EQ(changes[2].point, Point(2));
  EXPECT_THAT(changes[2].entities,
              ElementsAre(EntityChange{"pools", HashOf(0), "first", "second"}));
  EXPECT_THAT(Since(Point(2)), IsEmpty());  // they belong to it
}

TEST_F(ChainChangesTest, SayNothingOfWhatOtherLayersWrote) {
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    TALEA_TRY(store_.Apply(transaction, {.parent = {}, .point = Point(1)}));
    transaction.Put(kRows, "row", "value");
    transaction.Add(kCounts, "count", 1);
    return {};
  }));
  EXPECT_THAT(Since({}), ElementsAre(ChainChange{.parent = {}, .point = Point(1)}));
}

TEST_F(ChainChangesTest, StayThoseOfTheirMomentWhenTheLedgerMovesOn) {
  Apply({.parent = {}, .point = Point(1), .entities = {{"pools", HashOf(0), "old"}}});
  ChangeFeed feed = ASSERT_VALUE(store_.Changes({}));
  Apply({.parent = Point(1), .point = Point(2), .entities = {{"pools", HashOf(0), "new"}}});
  ASSERT_OK(store_.RollBack({}));
  const std::vector<ChainChange> changes = ASSERT_VALUE(ReadAll(feed));
  ASSERT_THAT(changes, SizeIs(1));
  EXPECT_THAT(changes[0].entities,
              ElementsAre(EntityChange{"pools", HashOf(0), std::nullopt, "old"}));
}

TEST_F(ChainChangesTest, FailWhereARecordIsDamaged) {
  ApplyEmpty(Point(1));
  ApplyEmpty(Point(2));
  const std::string key = UndoKey(StepUndoKey(2), 0);
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    std::string part = TALEA_TRY(transaction.Get(kUndoKeyspace, key))
    .value();
    part.back() ^= 1;
    transaction.Put(kUndoKeyspace, key, part);
    return {};
  }));
  EXPECT_ERROR(store_.Changes(Point(1)), ErrorCode::corruption);
}

// A record is checksummed, but may have been written by somebody else.
TEST_F(ChainChangesTest, FailWhereARecordDoesWhatNoStepUndoes) {
  ApplyEmpty(Point(1));
  WriteBatch restore;
  restore.EraseRange(kStateEntitiesKeyspace, KeyRange::All());
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    transaction.Put(kUndoKeyspace, UndoKey(StepUndoKey(1), 0), EncodeUndo(restore, 1000)[0]);
    return {};
  }));
  const Result<ChangeFeed> feed = store_.Changes({});
  ASSERT_ERROR(feed, ErrorCode::corruption);
  EXPECT_THAT(feed.error().message(), HasSubstr("undo record of step 1"));
}

TEST(ChainChanges, TellAStagedStepFromTheMomentThatItIsIn) {
  SimulationProfile profile = SimulationProfile::FoundationDb();
  profile.limits.transaction_bytes = 100'000;
  Simulation simulation = MakeCalmSimulation(profile);
  const auto engine = simulation.Open().value();
  const std::string cbor(5'000, 'c');
  Block block{.parent = {}, .point = Point(1)};
  for (std::uint64_t number = 0; number < 60; ++number)
    block.produced.push_back(MakeOutput(number, cbor));

  std::vector<std::size_t> told;
  bool staged = false;
  HookedEngine looking(*engine, BeforeCommits([&] {
    const ChainStore store(*engine);
    const std::vector<ChainChange> changes = ChangesSince(store, {}).value();
    told.push_back(changes.empty() ? 0 : changes[0].outputs.size());
    staged |= store.Open().value().Statistics().value().staged;
  }));
  ASSERT_OK(ChainStore(looking).Apply(block));
  EXPECT_TRUE(staged);
  EXPECT_THAT(std::set(told.begin(), told.end()), ElementsAre(0u, 60u));
  EXPECT_TRUE(std::ranges::is_sorted(told));
}

TEST_F(ChainChangesTest, FindTheNewestPointThatBothHavePassed) {
  for (std::uint64_t slot = 1; slot <= 4; ++slot) ApplyEmpty(Point(slot));
  const auto find = [&](const std::vector<Cursor>& points) {
    return store_.FindIntersection(points).value();
  };
  EXPECT_EQ(find({}), std::nullopt);
  EXPECT_EQ(find({Point(9)}), std::nullopt);
  EXPECT_EQ(find({Point(9), Point(1), Point(3), Point(2, 1)}), Cursor(Point(3)));
  EXPECT_EQ(find({Point(4), Point(3)}), Cursor(Point(4)));
  EXPECT_EQ(find({Point(9), std::nullopt}), std::optional<Cursor>(std::in_place));  // its start

  ASSERT_OK(store_.RollBack(Point(2)));
  EXPECT_EQ(find({Point(3), Point(1)}), Cursor(Point(1)));
  ASSERT_OK(store_.Prune(0));
  EXPECT_EQ(find({Point(1), std::nullopt}), std::nullopt);
  EXPECT_EQ(find({Point(1), Point(2)}), Cursor(Point(2)));
}

}  // namespace
}  // namespace talea::chain
