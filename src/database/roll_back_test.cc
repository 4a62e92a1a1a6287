#include "database/roll_back.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/database_testing.h"
#include "engine/undo_rules.h"

namespace talea {
namespace {

using ::testing::HasSubstr;

class RollBackTest : public ScriptedDatabase {
 protected:
  void Move(const Progress::Position& from, const std::string& to, bool with_undo = true) {
    ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
      TALEA_TRY(with_undo ? progress_.MoveWithUndo(transaction, from, to)
                          : progress_.Move(transaction, from, to));
      transaction.Put(kRows, "last", to);
      transaction.Add(kCounts, "moves", 1);
      return {};
    }));
    states_[to] = Stored();
  }
  void Prune(const std::string& before) {
    ASSERT_OK(database_->Transact(
        [&](Transaction& transaction) { return progress_.PruneUndo(transaction, before); }));
  }
  // Everything but the rows of sessions.
  StoredRows Stored() {
    StoredRows rows = ReadAllRows(*engine_).value();
    std::erase_if(rows, [](const auto& row) {
      const ByteView key = row.first.second;
      return row.first.first == kTaleaKeyspace.id &&
             (key.starts_with(PackedPrefix(TaleaPrefix::session)) ||
              key.starts_with(PackedPrefix(TaleaPrefix::session_slot)));
    });
    return rows;
  }
  // Nothing may have changed.
  void ExpectRefused(const Progress::Position& position, ErrorCode code,
                     const std::string& message) {
    const StoredRows before = Stored();
    const Result<std::uint64_t> rolled = database_->RollBack(progress_, position);
    ASSERT_ERROR(rolled, code);
    EXPECT_THAT(rolled.error().message(), HasSubstr(message));
    EXPECT_EQ(Stored(), before);
  }

  const Progress progress_{"blocks"};
  std::map<std::string, StoredRows> states_;  // after the move to each position
};

TEST_F(RollBackTest, RestoresEveryByteOfAnyPosition) {
  const StoredRows empty = Stored();
  const auto move_all = [&] {
    Move(std::nullopt, "1");
    Move("1", "3");
    Move("3", "4");
  };
  move_all();
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "4")), 0u);
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "3")), 1u);
  EXPECT_EQ(Stored(), states_["3"]);
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, std::nullopt)), 2u);
  EXPECT_EQ(Stored(), empty);
  move_all();
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "1")), 2u);
  EXPECT_EQ(Stored(), states_["1"]);
}

// A rule may rely on what came later being undone, so it is not tried on an older record first.
TEST_F(RollBackTest, CallsTheRuleOfAKeyspaceForEachStepNewestFirst) {
  static constexpr Keyspace kRuled{202, AccessPattern::scan, "ruled"};
  static std::vector<std::string> undone;
  SetUndoRule({&kRuled}, [](Transaction& transaction, const WriteBatch& restore) -> Status {
    for (const WriteBatch::Operation& operation : restore) undone.emplace_back(operation.key);
    transaction.Apply(restore);
    return {};
  });
  const auto database = ASSERT_VALUE(Database::Open("memory:", {.keyspaces = {kRows, kRuled}}));
  Progress::Position from;
  for (const char* to : {"1", "2", "3"}) {
    ASSERT_OK(database->Transact([&](Transaction& transaction) -> Status {
      TALEA_TRY(progress_.MoveWithUndo(transaction, from, to));
      transaction.Put(kRuled, to, "");
      return {};
    }));
    from = to;
  }
  EXPECT_EQ(ASSERT_VALUE(database->RollBack(progress_, "1")), 2u);
  EXPECT_EQ(undone, (std::vector<std::string>{"3", "2"}));
}

TEST_F(RollBackTest, RefusesPositionsThatWereNeverReached) {
  ExpectRefused("1", ErrorCode::precondition_failed,
                "expected to roll back to position \"1\", found it at none");
  Move(std::nullopt, "2");
  Move("2", "4");
  ExpectRefused("5", ErrorCode::precondition_failed, "found it at \"4\"");
  ExpectRefused("3", ErrorCode::precondition_failed, "that the move to \"4\" came from \"2\"");
  ExpectRefused("1", ErrorCode::precondition_failed, "that the move to \"2\" came from none");
}

TEST_F(RollBackTest, RefusesPositionsBeforeAMoveWithoutUndo) {
  Move(std::nullopt, "1");
  Move("1", "2", false);
  Move("2", "3");
  ExpectRefused("1", ErrorCode::not_found, "that the move to \"2\" kept no undo record");
  ExpectRefused(std::nullopt, ErrorCode::not_found, "that the move to \"2\" kept no undo record");
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "2")), 1u);
  ExpectRefused("1", ErrorCode::not_found, "kept no undo record");
}

TEST_F(RollBackTest, RefusesPositionsWhoseRecordsWerePruned) {
  Move(std::nullopt, "1");
  Move("1", "2");
  Move("2", "3");
  Prune("2");
  ExpectRefused(std::nullopt, ErrorCode::not_found, "that the move to \"3\" came from \"2\"");
  ExpectRefused("1", ErrorCode::not_found, "that the move to \"3\" came from \"2\"");
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "2")), 1u);
  ExpectRefused("1", ErrorCode::not_found, "they were pruned");
}

TEST_F(RollBackTest, TakesEachStepOnceWhateverBecomesOfItsCommit) {
  for (const char* position : {"1", "2", "3", "4", "5"}) {
    Move(*position == '1' ? Progress::Position() : std::string(1, static_cast<char>(*position - 1)),
         position);
  }
  engine_->Expect({Fate::applied, Fate::lost, Fate::decided, Fate::held});
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "2")), 3u);
  EXPECT_EQ(Stored(), states_["2"]);
}

TEST_F(RollBackTest, CanBeCalledAgainAfterAnInterruption) {
  Move(std::nullopt, "1");
  Move("1", "2");
  Move("2", "3");
  engine_->Expect({Fate::decided, Fate::denied});
  EXPECT_ERROR(database_->RollBack(progress_, "1"), ErrorCode::io_error);
  EXPECT_EQ(Stored(), states_["2"]);
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress_, "1")), 1u);
  EXPECT_EQ(Stored(), states_["1"]);
}

// The rules were set by those who used a layer. Who only rolled back, in a process of its own,
// inverted counters of buckets that had been divided since, and the histogram was wrong for good.
TEST_F(RollBackTest, KnowsTheRulesOfTheLayersWithoutUsingThem) {
  EXPECT_NE(FindUndoRule(kHistogramsKeyspace.id), nullptr);
  EXPECT_NE(FindUndoRule(kHistogramCountersKeyspace.id), nullptr);
}

}  // namespace
}  // namespace talea
