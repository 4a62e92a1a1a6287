// Undo: taking back what a commit did.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkUndoTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

constexpr ByteView kUndo = "undo";

std::string UndoName(int number) { return std::string(kUndo) + std::to_string(number); }

void TransactWithUndo(Engine& engine, ByteView key, const std::function<void(Transaction&)>& body) {
  Transact(engine, [&](Transaction& transaction) {
    transaction.KeepUndo(kPoints, key);
    body(transaction);
  });
}

void Undo(Engine& engine, ByteView key) {
  Transact(engine, [&](Transaction& transaction) { Must(transaction.Undo(kPoints, key)); });
}

TEST_P(EngineContract, AnUndoRestoresWhatEachKindOfWriteChanged) {
  using Body = void (*)(Transaction&);
  constexpr Body kBodies[] = {
      [](Transaction& transaction) { transaction.Put(kScans, "b", "new"); },
      [](Transaction& transaction) { transaction.Put(kScans, "created", "new"); },
      [](Transaction& transaction) { transaction.Insert(kScans, "inserted", "new"); },
      [](Transaction& transaction) { transaction.Erase(kScans, "b"); },
      [](Transaction& transaction) { transaction.Erase(kScans, "absent"); },
      [](Transaction& transaction) { transaction.EraseRange(kScans, Between("a", "c")); },
      [](Transaction& transaction) { transaction.EraseRange(kScans, KeyRange::All()); },
      [](Transaction& transaction) { transaction.Add(kCounters, "n", 5); },
      [](Transaction& transaction) { transaction.Add(kCounters, "n", -10); },
      [](Transaction& transaction) { transaction.Add(kCounters, "created", 5); },
      [](Transaction& transaction) { transaction.PutCounter(kCounters, "n", 77); },
      [](Transaction& transaction) { transaction.Erase(kCounters, "n"); },
      [](Transaction& transaction) { transaction.EraseRange(kCounters, KeyRange::All()); },
      [](Transaction& transaction) {
        transaction.EraseRange(kScans, KeyRange::From("b"));
        transaction.Put(kScans, "b", "again");
        transaction.Add(kCounters, "n", 1);
        transaction.Erase(kCounters, "n");
        transaction.Add(kCounters, "n", 2);
      },
  };
  Write(engine(), Writes()
                      .Put(kScans, "a", "1")
                      .Put(kScans, "b", "")
                      .Put(kScans, "c", "3")
                      .Add(kCounters, "n", 10));
  const Model before = State(engine());
  for (std::size_t body = 0; body < std::size(kBodies); ++body) {
    TransactWithUndo(engine(), kUndo, kBodies[body]);
    EXPECT_FALSE(before == State(engine())) << "body " << body;
    Undo(engine(), kUndo);
    EXPECT_EQ(Difference(before, State(engine())), "") << "body " << body;
  }
}

TEST_P(EngineContract, ATransactionWithUndoDoesWhatItDoesWithout) {
  Write(engine(), Writes().Put(kScans, "a", "1").Put(kScans, "b", "2").Add(kCounters, "n", 10));
  TransactWithUndo(engine(), kUndo, [](Transaction& transaction) {
    EXPECT_EQ(Must(transaction.Get(kScans, "a")), "1");
    transaction.Put(kScans, "a", "new");
    transaction.EraseRange(kScans, KeyRange::From("b"));
    transaction.Add(kCounters, "n", 1);
    EXPECT_EQ(Must(transaction.GetCounter(kCounters, "n")), 11);
  });
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{"a", "new"}}));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 11);
}

TEST_P(EngineContract, AnUndoIsFoundOnceAndOnlyWhereThereIsOne) {
  Transaction first(engine());
  EXPECT_ERROR(first.Undo(kPoints, kUndo), ErrorCode::not_found);
  TransactWithUndo(engine(), kUndo,
                   [](Transaction& transaction) { transaction.Put(kScans, "a", "1"); });
  Transaction second(engine());
  EXPECT_ERROR(second.Undo(kPoints, "und"), ErrorCode::not_found);
  EXPECT_ERROR(second.Undo(kScans, kUndo), ErrorCode::not_found);
  Undo(engine(), kUndo);
  Transaction third(engine());
  EXPECT_ERROR(third.Undo(kPoints, kUndo), ErrorCode::not_found);
}

TEST_P(EngineContract, ACommitThatConflictsKeepsNoUndo) {
  const auto body = [](Transaction& transaction) {
    transaction.KeepUndo(kPoints, kUndo);
    Must(transaction.Get(kScans, "a"));
    transaction.Put(kScans, "b", "own");
  };
  EXPECT_TRUE(Conflicts(engine(), WriteBatch(), body, Writes().Put(kScans, "a", "theirs")));
  Transaction transaction(engine());
  EXPECT_ERROR(transaction.Undo(kPoints, kUndo), ErrorCode::not_found);
}

TEST_P(EngineContract, WritesBesideATransactionAreCommittedWithItAndStayWhenItIsUndone) {
  Transaction transaction(engine());
  EXPECT_FALSE(transaction.has_writes());
  transaction.KeepUndo(kPoints, kUndo);
  transaction.Put(kScans, "own", "1");
  EXPECT_TRUE(transaction.has_writes());
  Must(transaction.Commit(Durability::buffered, Writes().Put(kScans, "beside", "2")));
  const auto stored = [&](ByteView key) {
    return Must(Must(engine().OpenSnapshot())->Get(kScans, key));
  };
  EXPECT_EQ(stored("own"), "1");
  EXPECT_EQ(stored("beside"), "2");
  Undo(engine(), kUndo);
  EXPECT_EQ(stored("own"), std::nullopt);
  EXPECT_EQ(stored("beside"), "2");
}

TEST_P(EngineContract, AnUndoneAddLeavesTheAddsOfOthers) {
  Write(engine(), Writes().Add(kCounters, "n", 100));
  TransactWithUndo(engine(), kUndo, [](Transaction& transaction) {
    transaction.Add(kCounters, "n", 5);
    transaction.Add(kCounters, "n", 2);
    transaction.Add(kCounters, "m", 1);
  });
  Write(engine(), Writes().Add(kCounters, "n", 30).Add(kCounters, "m", 30));
  Undo(engine(), kUndo);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 130);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "m"), 30);
}

TEST_P(EngineContract, AddsAndInsertsWithUndoNeedNoReadAndSoNeverConflict) {
  const auto body = [](Transaction& transaction) {
    transaction.KeepUndo(kPoints, kUndo);
    Must(transaction.snapshot_version());
    transaction.Add(kCounters, "n", 5);
    transaction.Insert(kScans, "inserted", "own");
  };
  EXPECT_FALSE(Conflicts(engine(), WriteBatch(), body, Writes().Add(kCounters, "n", 1)));
  EXPECT_FALSE(Conflicts(engine(), WriteBatch(), body, Writes().Put(kScans, "inserted", "theirs")));
}

TEST_P(EngineContract, WhatAnUndoRestoresIsRecordedAsRead) {
  const WriteBatch before =
      Writes().Put(kScans, "a", "1").Put(kScans, "b", "2").PutCounter(kCounters, "n", 1);
  using Body = void (*)(Transaction&);
  constexpr Body kBodies[] = {
      [](Transaction& transaction) { transaction.Put(kScans, "b", "own"); },
      [](Transaction& transaction) { transaction.Erase(kScans, "b"); },
      [](Transaction& transaction) { transaction.EraseRange(kScans, KeyRange::All()); },
      [](Transaction& transaction) {
        Must(transaction.unrecorded().Get(kScans, "b")), transaction.Erase(kScans, "b");
      },
  };
  for (std::size_t position = 0; position < std::size(kBodies); ++position) {
    const auto body = [&](Transaction& transaction) {
      transaction.KeepUndo(kPoints, kUndo);
      Must(transaction.snapshot_version());
      kBodies[position](transaction);
    };
    EXPECT_TRUE(Conflicts(engine(), before, body, Writes().Put(kScans, "b", "theirs")))
        << "body " << position;
  }
}

TEST_P(EngineContract, CommitsUndoneNewestFirstReturnThroughEveryState) {
  std::vector<Model> states = {State(engine())};
  for (int step = 0; step < 5; ++step) {
    TransactWithUndo(engine(), UndoName(step), [&](Transaction& transaction) {
      transaction.Put(kScans, "last", std::to_string(step));
      transaction.Put(kScans, "row " + std::to_string(step), "");
      transaction.Erase(kScans, "row " + std::to_string(step - 2));
      transaction.Add(kCounters, "n", step);
    });
    states.push_back(State(engine()));
  }
  for (int step = 4; step >= 0; --step) {
    Undo(engine(), UndoName(step));
    EXPECT_EQ(Difference(states[step], State(engine())), "") << "step " << step;
  }
}

TEST_P(EngineContract, ATransactionSeesWhatItsUndoRestores) {
  Write(engine(), Writes().Put(kScans, "a", "old").Add(kCounters, "n", 1));
  TransactWithUndo(engine(), kUndo, [](Transaction& transaction) {
    transaction.Put(kScans, "a", "new");
    transaction.Add(kCounters, "n", 5);
  });
  Transact(engine(), [](Transaction& transaction) {
    Must(transaction.Undo(kPoints, kUndo));
    EXPECT_EQ(Must(transaction.Get(kScans, "a")), "old");
    EXPECT_EQ(Must(transaction.GetCounter(kCounters, "n")), 1);
    EXPECT_TRUE(ReadPages(transaction, kPoints, KeyRange::All()).empty())
        << "the record is dropped";
    transaction.Put(kScans, "b", "of the same commit");
  });
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()),
            (RowList{{"a", "old"}, {"b", "of the same commit"}}));
}

TEST_P(EngineContract, AnUndoCanBeUndone) {
  Write(engine(), Writes().Put(kScans, "a", "old").Add(kCounters, "n", 1));
  TransactWithUndo(engine(), kUndo, [](Transaction& transaction) {
    transaction.EraseRange(kScans, KeyRange::All());
    transaction.Add(kCounters, "n", 5);
  });
  const Model after = State(engine());
  TransactWithUndo(engine(), "redo",
                   [](Transaction& transaction) { Must(transaction.Undo(kPoints, kUndo)); });
  Undo(engine(), "redo");
  EXPECT_EQ(Difference(after, State(engine())), "");
}

TEST_P(EngineContract, ATransactionThatWroteNothingCanBeUndoneToo) {
  const Model before = State(engine());
  TransactWithUndo(engine(), kUndo, [](Transaction&) {});
  Undo(engine(), kUndo);
  EXPECT_EQ(Difference(before, State(engine())), "");
}

TEST_P(EngineContract, OfTwoThatUndoTheSameOnlyOneCommits) {
  TransactWithUndo(engine(), kUndo,
                   [](Transaction& transaction) { transaction.Add(kCounters, "n", 5); });
  Transaction first(engine()), second(engine());
  Must(first.Undo(kPoints, kUndo));
  Must(second.Undo(kPoints, kUndo));
  const bool both = first.Commit().has_value() && second.Commit().has_value();
  EXPECT_FALSE(both);
  EXPECT_GE(ReadCounter(engine(), kCounters, "n"), 0);
}

TEST_P(EngineContract, AnUndoRecordCannotBeKeptAmongCounters) {
  Transaction transaction(engine());
  transaction.KeepUndo(kCounters, kUndo);
  transaction.Put(kScans, "a", "1");
  EXPECT_ERROR(transaction.Commit(), ErrorCode::invalid_argument);
  EXPECT_EQ(Difference(Model(), State(engine())), "");
}

TEST_P(EngineContract, AChangedUndoRecordIsFoundCorrupt) {
  TransactWithUndo(engine(), kUndo,
                   [](Transaction& transaction) { transaction.Put(kScans, "a", "1"); });
  const RowList record = ReadPages(*Now(engine()), kPoints, KeyRange::Prefix(kUndo));
  ASSERT_EQ(record.size(), 1U);
  EXPECT_EQ(record[0].first.size(), kUndo.size() + 4);
  std::string flipped = record[0].second;
  flipped.back() = static_cast<char>(flipped.back() ^ 1);
  for (const std::string& bytes : {flipped, flipped.substr(0, flipped.size() - 1), std::string()}) {
    Write(engine(), Writes().Put(kPoints, record[0].first, bytes));
    Transaction transaction(engine());
    EXPECT_ERROR(transaction.Undo(kPoints, kUndo), ErrorCode::corruption);
  }
}

}  // namespace
}  // namespace talea
