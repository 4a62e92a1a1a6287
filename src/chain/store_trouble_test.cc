// What went wrong once.
#include <gtest/gtest.h>

#include "chain/random_ledger_for_test.h"
#include "coordination/engines_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

ChainPoint At(std::uint64_t slot) { return ChainPoint::Of(slot, HashOf(slot)); }

Result<Applied> ApplyEmpty(ChainStore& store, const Cursor& parent, const ChainPoint& point) {
  return store.Apply({.parent = parent, .point = point});
}

// Somebody who follows a chain with the writer alone goes back by it too: what blocks did is undone
// by deltas, and the cursor set to an earlier point. The blocks that came after that point were
// then taken for being in already, as their points were still known, and passed over.
TEST(ChainStoreTrouble, ABlockFitsAgainOnceAWriterHasMovedTheCursorBack) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(ApplyEmpty(store, {}, At(1)));
  ASSERT_OK(ApplyEmpty(store, At(1), At(2)));
  ASSERT_OK(ApplyEmpty(store, At(2), At(3)));
  ChainWriter writer = store.StartWriter();
  writer.SetCursor(At(1));
  ASSERT_OK(writer.Commit());
  EXPECT_FALSE(ASSERT_VALUE(ApplyEmpty(store, At(1), At(2))).already);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(2));
  EXPECT_TRUE(ASSERT_VALUE(ApplyEmpty(store, At(1), At(2))).already);
}

// A batch without a cursor leads to the point where the ledger is already. Undoing it brings back
// the row by which the step before it was found, even if that one has been forgotten meanwhile. A
// rolling back to that point then took back what it could, and failed half-way.
TEST(ChainStoreTrouble, AForgottenStepThatAnUndoBringsBackIsNotGoneBackTo) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(ApplyEmpty(store, {}, At(1)));
  ASSERT_OK(ApplyEmpty(store, At(1), At(2)));
  ChainWriter writer = store.StartWriter();
  writer.AddToCounter("pools", HashOf(2), 1);
  ASSERT_OK(writer.Commit());
  EXPECT_EQ(ASSERT_VALUE(store.Prune(1)), 2u);
  ASSERT_OK(InOne(*engine, [&](Transaction& transaction) { return store.StepBack(transaction); }));
  ASSERT_OK(ApplyEmpty(store, At(2), At(3)));
  ASSERT_OK(ApplyEmpty(store, At(3), At(4)));
  EXPECT_EQ(ASSERT_VALUE(store.Prune(1)), 1u);
  EXPECT_ERROR(store.RollBack(At(2)), ErrorCode::not_found);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(4));
  EXPECT_ERROR(store.OpenAt(At(2)), ErrorCode::not_found);
}

// Only a cursor tells whether a batch was made whose outcome is unknown. Without one the answer is
// outcome_unknown; but it came after two seconds of looking a hundred times.
TEST(ChainStoreTrouble, AnOutcomeThatCannotBeFoundOutIsNotLookedForAgainAndAgain) {
  EngineUnderTest engine({.name = "cluster", .profile = SimulationProfile::FoundationDb()},
                         {.unknown_applied = 1});
  ChainStore store(*engine);
  ChainWriter writer = store.StartWriter();
  writer.AddToCounter("pools", HashOf(2), 1);
  engine.simulation()->InjectFaults(true);
  const std::uint64_t before = engine.simulation()->round_trips();
  EXPECT_ERROR(writer.Commit(), ErrorCode::outcome_unknown);
  EXPECT_LT(engine.simulation()->round_trips() - before, 20u);
  engine.simulation()->InjectFaults(false);
  const ChainView view = ASSERT_VALUE(store.Open());
  EXPECT_EQ(ASSERT_VALUE(view.GetCounter("pools", HashOf(2))), 1);
}

}  // namespace
}  // namespace talea::chain
