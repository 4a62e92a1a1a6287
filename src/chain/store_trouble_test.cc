// What went wrong once.
#include <gtest/gtest.h>

#include "chain/random_ledger_for_test.h"
#include "coordination/engines_for_test.h"
#include "engine/forwarding_engine.h"
#include "engine/hooked_engine_for_test.h"
#include "talea/chain_transfer.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

ChainPoint At(std::uint64_t slot) { return ChainPoint::Of(slot, HashOf(slot)); }

Result<Applied> ApplyEmpty(ChainStore& store, const Cursor& parent, const ChainPoint& point) {
  return store.Apply({.parent = parent, .point = point});
}

// Does something, once, when a commit turns out to be too large.
HookedEngine::Hook OnceTooLarge(std::function<void()> work) {
  return [work = std::move(work), done = false](Engine& engine, CommitRequest request) mutable {
    Result<Version> version = engine.Commit(std::move(request));
    const bool too_large = !version && version.error().code() == ErrorCode::too_large;
    if (too_large && !std::exchange(done, true)) work();
    return version;
  };
}

// Dies once a commit has moved the cursor, so that what was staged is in, and stays there.
HookedEngine::Hook DyingOnceTheCursorMoves() {
  return [dead = false](Engine& engine, CommitRequest request) mutable -> Result<Version> {
    if (dead) return Fail(ErrorCode::closed, "dead");
    bool moves = false;
    for (const WriteBatch::Operation& write : request.batch)
      moves |= write.keyspace == kStateCursorKeyspace.id;
    Result<Version> version = engine.Commit(std::move(request));
    dead = version && moves;
    return version;
  };
}

EngineForTest SmallCluster() {
  EngineForTest engine{.name = "cluster", .profile = SimulationProfile::FoundationDb()};
  engine.profile->limits.transaction_bytes = 200'000;
  return engine;
}

// Too large for one transaction of that.
TestBatch LargeBatchTo(const ChainPoint& point) {
  TestBatch batch{.deltas = {{}}, .cursor = point};
  for (std::uint64_t number = 0; number < 30; ++number) {
    batch.deltas[0].produced.push_back(
        {.reference = {HashOf(100 * point.slot + number), 0}, .cbor = std::string(10'000, 'x')});
  }
  return batch;
}

Status Commit(ChainStore& store, const TestBatch& batch) {
  ChainWriter writer = store.StartWriter();
  WriteTo(writer, batch);
  return writer.Commit();
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

// A batch that sets the cursor to where it is was taken for made, its outcome being unknown, when
// somebody else had made a step there. It was lost, and its caller told that it was not.
TEST(ChainStoreTrouble, ACursorThatDoesNotMoveDoesNotTellWhoMadeTheStep) {
  const auto engine = OpenEngineForTest();
  ChainStore other(*engine);
  ASSERT_OK(ApplyEmpty(other, {}, At(1)));
  bool lost = false;
  HookedEngine loses(*engine, [&](Engine& inner, CommitRequest request) -> Result<Version> {
    if (std::exchange(lost, true)) return inner.Commit(std::move(request));
    EXPECT_OK(Commit(other, {.counters = {{"pools", HashOf(1), 5}}}));
    return Fail(ErrorCode::outcome_unknown, "lost");
  });
  ChainStore store(loses);
  EXPECT_ERROR(Commit(store, {.counters = {{"pools", HashOf(2), 7}}, .cursor = At(1)}),
               ErrorCode::outcome_unknown);
  EXPECT_EQ(ASSERT_VALUE(other.Open()->GetCounter("pools", HashOf(2))), 0);
}

// Makes the first commit, lets others go on from there, and does not know whether it is in.
HookedEngine::Hook UnknownOnce(std::function<void()> go_on) {
  return [go_on = std::move(go_on), told = false](Engine& engine, CommitRequest request) mutable {
    Result<Version> version = engine.Commit(std::move(request));
    if (std::exchange(told, true)) return version;
    go_on();
    return Result<Version>(Fail(ErrorCode::outcome_unknown, "it is in"));
  };
}

// Without undo nothing but the cursor tells that a block is in. One whose outcome was unknown, and
// on top of which somebody else had gone on, was answered with precondition_failed: that nothing
// was changed.
TEST(ChainStoreTrouble, ABlockThatMayBeInIsNotSaidToBeRefused) {
  const auto engine = OpenEngineForTest();
  ChainStore other(*engine, {.undo_window = 0});
  HookedEngine unknown(*engine, UnknownOnce([&] { EXPECT_OK(ApplyEmpty(other, At(1), At(2))); }));
  ChainStore store(unknown, {.undo_window = 0});
  EXPECT_ERROR(ApplyEmpty(store, {}, At(1)), ErrorCode::outcome_unknown);
}

// The same of blocks that go into one commit.
TEST(ChainStoreTrouble, BlocksThatMayBeInAreNotSaidToBeRefused) {
  const auto engine = OpenEngineForTest();
  ChainStore other(*engine, {.undo_window = 0});
  HookedEngine unknown(*engine, UnknownOnce([&] { EXPECT_OK(ApplyEmpty(other, At(2), At(3))); }));
  ChainStore store(unknown, {.undo_window = 0});
  const std::vector<Block> blocks{{.parent = {}, .point = At(1)},
                                  {.parent = At(1), .point = At(2)}};
  EXPECT_ERROR(store.ApplyAll(blocks), ErrorCode::outcome_unknown);
}

// A block that leads to where its parent is was answered with `already`, and what it does passed
// over: with points that are slots alone, the first two blocks of an epoch of Byron.
TEST(ChainStoreTrouble, ABlockThatLeadsNowhereIsRefused) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  const ChainPoint slot = ChainPoint::AtSlot(21'600);
  ASSERT_OK(ApplyEmpty(store, {}, slot));
  EXPECT_ERROR(ApplyEmpty(store, slot, slot), ErrorCode::invalid_argument);
}

// A tag of a kind that there is not was stored; then its output could not be consumed any more.
TEST(ChainStoreTrouble, TagsOfUnknownKindsAreRefused) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  TestBatch batch{.deltas = {{}}};
  batch.deltas[0].produced = {{.reference = {HashOf(1), 0}, .tags = {{TagKind{5}, "a"}}}};
  EXPECT_ERROR(Commit(store, batch), ErrorCode::invalid_argument);
  EXPECT_TRUE(ASSERT_VALUE(ReadAllRows(*engine)).empty());
}

// Of two who apply the same large block at the same time, the later was told that its parent is not
// the cursor, rather than that the block is in already.
TEST(ChainStoreTrouble, ALargeBlockThatSomebodyElseHasAppliedMeanwhileIsInAlready) {
  EngineUnderTest engine(SmallCluster());
  const TestBatch batch = LargeBatchTo(At(1));
  ChainStore other(*engine);
  HookedEngine late(*engine, OnceTooLarge([&] { EXPECT_OK(other.Apply(BlockOf(batch, {}))); }));
  ChainStore store(late);
  EXPECT_TRUE(ASSERT_VALUE(store.Apply(BlockOf(batch, {}))).already);
}

// Of two large batches the later failed for good where the other one was in, and not yet moved to
// its place. Where it was in its place, that the ledger had moved on was looked at a hundred times,
// for two seconds, before it was tried anew.
TEST(ChainStoreTrouble, ALargeBatchComesAfterAnotherOneThatWasFaster) {
  for (const bool dies : {true, false}) {
    EngineUnderTest engine(SmallCluster());
    HookedEngine dying(*engine, DyingOnceTheCursorMoves());
    ChainStore other(dies ? static_cast<Engine&>(dying) : *engine);
    std::uint64_t round_trips = 0;
    HookedEngine late(*engine, OnceTooLarge([&] {
      EXPECT_OK(Commit(other, LargeBatchTo(At(1))));
      round_trips = engine.simulation()->round_trips();
    }));
    ChainStore store(late);
    EXPECT_OK(Commit(store, LargeBatchTo(At(2))));
    EXPECT_LT(engine.simulation()->round_trips() - round_trips, 150u);
    EXPECT_EQ(ASSERT_VALUE(store.Open()->CountOutputs()), 60u);
  }
}

// Where blocks were to go into one commit, and the outcome of what came before it was unknown, the
// moving of a staged batch, the answers of that commit were asked for, which there were none of.
TEST(ChainStoreTrouble, BlocksThatNeverCameToACommitTogetherAnswerEachForItself) {
  EngineUnderTest engine(SmallCluster());
  const TestBatch large = LargeBatchTo(At(1));
  HookedEngine dying(*engine, DyingOnceTheCursorMoves());
  ChainStore dies(dying);
  ASSERT_OK(dies.Apply(BlockOf(large, {})));
  int commits = 0;
  HookedEngine troubled(*engine, [&](Engine& inner, CommitRequest request) -> Result<Version> {
    switch (++commits) {
      case 1:
        return Fail(ErrorCode::outcome_unknown, "lost");
      case 2:
        return Fail(ErrorCode::closed, "for a moment");
      default:
        return inner.Commit(std::move(request));
    }
  });
  ChainStore store(troubled);
  const std::vector<Block> blocks{BlockOf(large, {}), {.parent = At(1), .point = At(2)}};
  EXPECT_EQ(ASSERT_VALUE(store.ApplyAll(blocks)),
            (std::vector<Applied>{{.already = true}, Applied{}}));
  EXPECT_GT(commits, 2);
}

// While a large step was being taken back, the steps since a point that it had led to, as an
// earlier one had, could not be counted: rows that the staged ones replace were looked at.
TEST(ChainStoreTrouble, StepsAreCountedWhileALargeOneIsTakenBack) {
  EngineUnderTest engine(SmallCluster());
  ChainStore store(*engine);
  const TestBatch large = LargeBatchTo(At(1));
  TestBatch consuming{.deltas = {{}}, .cursor = At(2)};
  for (const TestOutput& output : large.deltas[0].produced)
    consuming.deltas[0].consumed.push_back(output.reference);
  ASSERT_OK(store.Apply(BlockOf(large, {})));
  ASSERT_OK(ApplyEmpty(store, At(1), At(2)));
  ASSERT_OK(ApplyEmpty(store, At(2), At(3)));
  ASSERT_OK(Commit(store, consuming));
  HookedEngine dying(*engine, DyingOnceTheCursorMoves());
  ChainStore dies(dying);
  ASSERT_OK(dies.RollBackBy(1));
  ASSERT_TRUE(ASSERT_VALUE(store.Open()->Statistics()).staged);
  EXPECT_EQ(ASSERT_VALUE(store.CountStepsSince(At(2))), 1u);
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(At(2))), 1u);
}

// When the outcome of taking a step back was unknown, and it had been taken back, the next attempt
// took back another one, and both were counted as one.
TEST(ChainStoreTrouble, StepsThatMayHaveBeenTakenBackAreCountedOnce) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  for (std::uint64_t slot = 1; slot <= 5; ++slot)
    ASSERT_OK(ApplyEmpty(store, slot > 1 ? Cursor(At(slot - 1)) : Cursor(), At(slot)));
  HookedEngine unknown(*engine, UnknownOnce([] {}));
  const auto until_two = [](std::uint64_t done, std::uint64_t) { return done < 2; };
  EXPECT_EQ(ASSERT_VALUE(ChainStore(unknown).RollBackBy(4, until_two)), 2u);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(3));
}

// Steps that somebody else made meanwhile were taken back in the place of older ones: the ledger
// was then not where it had been so many steps ago.
TEST(ChainStoreTrouble, GoingBackBySomeStepsLeadsToWhereTheLedgerWas) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  for (std::uint64_t slot = 1; slot <= 5; ++slot)
    ASSERT_OK(ApplyEmpty(store, slot > 1 ? Cursor(At(slot - 1)) : Cursor(), At(slot)));
  bool applied = false;
  const auto meanwhile = [&](std::uint64_t done, std::uint64_t) {
    if (done == 1 && !std::exchange(applied, true)) {
      EXPECT_OK(ApplyEmpty(store, At(4), At(9)));
    }
    return true;
  };
  EXPECT_EQ(ASSERT_VALUE(store.RollBackBy(3, meanwhile)), 4u);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(2));
}

// Is closed by an ingest, of which nobody knows whether it is in.
class ClosedByIngest final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;
  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override {
    if (closed_) return Fail(ErrorCode::closed, "closed");
    return inner().OpenSnapshot();
  }
  Result<Version> Ingest(IngestRequest request) override {
    EXPECT_OK(inner().Ingest(std::move(request)));
    closed_ = true;
    return Fail(ErrorCode::outcome_unknown, "it is in");
  }

 private:
  bool closed_ = false;
};

// An engine that did not outlive its unknown outcome was asked for the mark; that it was closed was
// then the answer, which says that nothing was changed.
TEST(ChainStoreTrouble, ABulkIngestThatMayBeInIsNotSaidToHaveFailed) {
  class NoOutputs final : public OutputSource {
    Result<std::optional<Output>> Next() override { return std::nullopt; }
  };
  ClosedByIngest engine(OpenEngineForTest());
  ChainStore store(engine);
  NoOutputs none;
  EXPECT_ERROR(BulkIngest(store, none, At(1)), ErrorCode::outcome_unknown);
}

}  // namespace
}  // namespace talea::chain
