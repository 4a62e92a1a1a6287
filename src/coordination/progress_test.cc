#include "talea/progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "coordination/progress_row.h"
#include "engine/hex_for_test.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using ::testing::HasSubstr;

class ProgressTest : public ::testing::Test {
 protected:
  Status Move(const Progress::Position& from, ByteView to) {
    return InOne(*engine_,
                 [&](Transaction& transaction) { return progress_.Move(transaction, from, to); });
  }
  Status MoveWithUndo(const Progress::Position& from, ByteView to) {
    return InOne(*engine_, [&](Transaction& transaction) -> Status {
      TALEA_TRY(progress_.MoveWithUndo(transaction, from, to));
      transaction.Put(kRows, "last", to);
      transaction.Add(kCounts, "moves", 1);
      return {};
    });
  }
  Result<Progress::Position> StepBack() {
    return InOne(*engine_,
                 [&](Transaction& transaction) { return progress_.StepBack(transaction); });
  }
  Status Prune(ByteView before) {
    return InOne(*engine_, [&](Transaction& transaction) {
      return progress_.PruneUndo(transaction, before);
    });
  }
  Progress::Position Position() { return progress_.Read(*engine_->OpenSnapshot().value()).value(); }
  StoredRows All() { return ReadAllRows(*engine_).value(); }

  std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  Progress progress_{"orders.log"};
};

TEST_F(ProgressTest, BeginsWithNoneAndMovesOn) {
  EXPECT_EQ(Position(), std::nullopt);
  ASSERT_OK(Move(std::nullopt, "1"));
  EXPECT_EQ(Position(), "1");
  ASSERT_OK(Move("1", "2"));
  EXPECT_EQ(Position(), "2");
}

TEST_F(ProgressTest, TellsAnEmptyPositionFromNone) {
  ASSERT_OK(Move(std::nullopt, ""));
  EXPECT_EQ(Position(), "");
  EXPECT_ERROR(Move(std::nullopt, "1"), ErrorCode::precondition_failed);
}

TEST_F(ProgressTest, RefusesToMoveFromWhereItIsNot) {
  ASSERT_OK(Move(std::nullopt, "1"));
  const Status moved = Move("0", "2");
  ASSERT_ERROR(moved, ErrorCode::precondition_failed);
  EXPECT_EQ(moved.error().message(),
            "progress of source \"orders.log\": expected position \"0\", found \"1\"");
  EXPECT_EQ(Position(), "1");
}

TEST_F(ProgressTest, NeverMovesBackOrStays) {
  ASSERT_OK(Move(std::nullopt, "2"));
  EXPECT_ERROR(Move("2", "2"), ErrorCode::invalid_argument);
  EXPECT_ERROR(Move("2", "1"), ErrorCode::invalid_argument);
}

TEST_F(ProgressTest, RefusesBadNamesAndPositionsThatAreTooLong) {
  Transaction transaction(*engine_);
  EXPECT_ERROR(progress_.Move(transaction, std::nullopt, std::string(1025, 'x')),
               ErrorCode::invalid_argument);
  for (const std::string& name : {std::string(), std::string(256, 'x'), std::string("\xff")}) {
    const Progress bad(name);
    EXPECT_ERROR(bad.Read(transaction), ErrorCode::invalid_argument);
    EXPECT_ERROR(bad.Move(transaction, std::nullopt, "1"), ErrorCode::invalid_argument);
    EXPECT_ERROR(bad.MoveWithUndo(transaction, std::nullopt, "1"), ErrorCode::invalid_argument);
    EXPECT_ERROR(bad.StepBack(transaction), ErrorCode::invalid_argument);
    EXPECT_ERROR(bad.PruneUndo(transaction, "1"), ErrorCode::invalid_argument);
  }
}

TEST_F(ProgressTest, KeepsSourcesApart) {
  const Progress other("orders.log2");
  ASSERT_OK(Move(std::nullopt, "1"));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(other.Read(*snapshot)), std::nullopt);
}

TEST_F(ProgressTest, OfTwoWhoMoveFromTheSamePositionOneConflicts) {
  Transaction first(*engine_);
  Transaction second(*engine_);
  ASSERT_OK(progress_.Move(first, std::nullopt, "1"));
  ASSERT_OK(progress_.Move(second, std::nullopt, "2"));
  ASSERT_OK(first.Commit());
  EXPECT_ERROR(second.Commit(), ErrorCode::conflict);
}

TEST_F(ProgressTest, StepsBackThroughEveryByteOfItsHistory) {
  std::vector<StoredRows> states{All()};
  Progress::Position position;
  for (const char* next : {"1", "2", "200", "21", "3"}) {
    ASSERT_OK(MoveWithUndo(position, next));
    position = next;
    states.push_back(All());
  }
  for (const Progress::Position& back :
       std::vector<Progress::Position>{"21", "200", "2", "1", std::nullopt}) {
    states.pop_back();
    EXPECT_EQ(ASSERT_VALUE(StepBack()), back);
    EXPECT_EQ(All(), states.back());
  }
  EXPECT_ERROR(StepBack(), ErrorCode::not_found);
}

TEST_F(ProgressTest, TakesBackASecondSourceThatMovedInTheSameCommit) {
  const Progress other("peer");
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    TALEA_TRY(progress_.MoveWithUndo(transaction, std::nullopt, "1"));
    return other.Move(transaction, std::nullopt, "a");
  }));
  ASSERT_OK(StepBack());
  EXPECT_EQ(All(), StoredRows());
}

TEST_F(ProgressTest, KeepsOneUndoRecordInATransaction) {
  Transaction transaction(*engine_);
  ASSERT_OK(progress_.MoveWithUndo(transaction, std::nullopt, "1"));
  EXPECT_ERROR(Progress("peer").MoveWithUndo(transaction, std::nullopt, "1"),
               ErrorCode::invalid_argument);
}

TEST_F(ProgressTest, DoesNotStepBackOverAMoveWithoutUndo) {
  ASSERT_OK(MoveWithUndo(std::nullopt, "1"));
  ASSERT_OK(Move("1", "2"));
  const Result<Progress::Position> stepped = StepBack();
  ASSERT_ERROR(stepped, ErrorCode::not_found);
  EXPECT_THAT(
      stepped.error().message(),
      HasSubstr("expected an undo record of the move to position \"2\", found one of the move "
                "to \"1\""));
  EXPECT_EQ(Position(), "2");
}

TEST_F(ProgressTest, PrunesUpToAndWithAPosition) {
  ASSERT_OK(MoveWithUndo(std::nullopt, "1"));
  ASSERT_OK(MoveWithUndo("1", "2"));
  ASSERT_OK(MoveWithUndo("2", "3"));
  ASSERT_OK(Prune("2"));
  EXPECT_EQ(ASSERT_VALUE(StepBack()), "2");
  EXPECT_ERROR(StepBack(), ErrorCode::not_found);
}

TEST_F(ProgressTest, RefusesToPruneWhereThePrunedWouldBeKept) {
  Transaction transaction(*engine_);
  ASSERT_OK(progress_.MoveWithUndo(transaction, std::nullopt, "1"));
  EXPECT_ERROR(progress_.PruneUndo(transaction, "0"), ErrorCode::invalid_argument);
}

TEST_F(ProgressTest, StepsBackOverARecordOfManyParts) {
  Simulation simulation =
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1)
          .value();
  engine_ = simulation.Open().value();
  const std::string large(90'000, 'x');
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    for (const char* key : {"a", "b", "c", "d"}) transaction.Put(kRows, key, large);
    return {};
  }));
  const StoredRows before = All();
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    TALEA_TRY(progress_.MoveWithUndo(transaction, std::nullopt, "1"));
    transaction.EraseRange(kRows, KeyRange::All());
    return {};
  }));
  ASSERT_OK(StepBack());
  EXPECT_EQ(All(), before);
}

TEST_F(ProgressTest, RefusesBytesThatAreNoProgress) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), Pack({Bytes("1")}).value(),
        Pack({Bytes("1"), nullptr, 1}).value(), Pack({Bytes("1"), Bytes("2")}).value()}) {
    WriteBatch batch;
    batch.Put(kTaleaKeyspace, ProgressKey("orders.log"), bytes);
    ASSERT_OK(engine_->Commit({.batch = batch}));
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
    EXPECT_ERROR(progress_.Read(*snapshot), ErrorCode::corruption) << Quoted(bytes);
  }
}

// Whoever changes this test changes the format on disk.
TEST_F(ProgressTest, HasTheseBytes) {
  EXPECT_EQ(Hex(Encode(ProgressRow{"p", std::nullopt})), "01 70 00 00");
  EXPECT_EQ(Hex(Encode(ProgressRow{"p", "b"})), "01 70 00 01 62 00");
}

TEST_F(ProgressTest, TakesTheRoundTripsThatAreDocumented) {
  Simulation simulation =
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1)
          .value();
  engine_ = simulation.Open().value();
  const auto round_trips = [&](auto call) {
    Transaction transaction(*engine_);
    EXPECT_OK(transaction.snapshot_version());
    const std::uint64_t before = simulation.round_trips();
    EXPECT_OK(call(transaction));
    const std::uint64_t taken = simulation.round_trips() - before;
    EXPECT_OK(transaction.Commit());
    EXPECT_LE(simulation.round_trips(), before + taken + 1);  // whatever the undo record needs
    return taken;
  };
  EXPECT_EQ(round_trips([&](Transaction& transaction) {
              return progress_.Move(transaction, std::nullopt, "1");
            }),
            1u);
  EXPECT_EQ(round_trips([&](Transaction& transaction) {
              return progress_.MoveWithUndo(transaction, "1", "2");
            }),
            1u);
  EXPECT_EQ(round_trips([&](Transaction& transaction) { return progress_.StepBack(transaction); }),
            3u);
  EXPECT_EQ(
      round_trips([&](Transaction& transaction) { return progress_.PruneUndo(transaction, "1"); }),
      0u);
}

}  // namespace
}  // namespace talea
