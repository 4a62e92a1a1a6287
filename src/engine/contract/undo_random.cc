// Undo of transactions that are random, or large.
#include "engine/contract/property.h"

namespace talea::contract {
void LinkUndoRandomTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// Above this a value limit would take too much memory to reach.
constexpr std::size_t kMostValueBytes = 1 << 20;

constexpr ByteView kUndo = "~undo";

std::string UndoName(std::size_t number) {
  return std::string(kUndo) + static_cast<char>('a' + number);
}

// One random transaction that reads some of what it writes, and inserts where nothing is.
void RandomBody(Transaction& transaction, const Model& state, const RandomWrites& writes) {
  Model now = state;
  for (const RandomWrite& write : writes) {
    const bool counter = write.keyspace.pattern == AccessPattern::counter;
    const bool touched = now.Get(write.keyspace, write.key) != state.Get(write.keyspace, write.key);
    if (write.key.size() == 1) Must(transaction.Get(write.keyspace, write.key));
    if (write.key.size() == 2) Must(transaction.unrecorded().Get(write.keyspace, write.key));
    if (write.kind == RandomWrite::Kind::put && !counter && !touched &&
        !now.Get(write.keyspace, write.key)) {
      transaction.Insert(write.keyspace, write.key, write.value);
    } else {
      write.ApplyTo(transaction);
    }
    write.ApplyTo(now);
  }
}

// The records stand among the rows that the transactions write, in a keyspace whose ranges they
// erase: a record that a later commit erased is there again once that is undone.
TEST_P(EngineContract, RandomCommitsUndoneNewestFirstReturnToTheStateByteForByte) {
  CheckProperty(120, [this] {
    StartFrom(engine(), *RandomWriteList());
    const auto commits = *rc::gen::resize(
        5, rc::gen::container<std::vector<RandomWrites>>(rc::gen::resize(15, RandomWriteList())));
    std::vector<Model> states;
    for (const RandomWrites& writes : commits) {
      states.push_back(State(engine()));
      Transact(engine(), [&](Transaction& transaction) {
        transaction.KeepUndo(kScans, UndoName(states.size()));
        RandomBody(transaction, states.back(), writes);
        transaction.Add(kCounters, "commits", 1);
      });
      Model expected = states.back();
      for (const RandomWrite& write : writes) write.ApplyTo(expected);
      expected.Add(kCounters, "commits", 1);
      Model found = State(engine());
      for (Model* model : {&expected, &found}) model->EraseRange(kScans, KeyRange::Prefix(kUndo));
      RC_ASSERT(Difference(expected, found) == "");
    }
    for (; !states.empty(); states.pop_back()) {
      Transact(engine(), [&](Transaction& transaction) {
        Must(transaction.Undo(kScans, UndoName(states.size())));
      });
      RC_ASSERT(Difference(states.back(), State(engine())) == "");
    }
  });
}

// Rows of more bytes, all together, than a value may have; the commit that erases them stays below
// the limit.
WriteBatch LargeRows(const Limits& limits) {
  WriteBatch batch;
  const std::size_t value_bytes = limits.value_bytes / 2;
  for (int row = 0; row < 7; ++row) {
    batch.Put(kScans, "row " + std::to_string(row),
              std::string(value_bytes, static_cast<char>('a' + row)));
  }
  return batch;
}

TEST_P(EngineContract, ALargeUndoRecordTakesSeveralRows) {
  const Limits& limits = engine().limits();
  if (limits.value_bytes > kMostValueBytes)
    GTEST_SKIP() << "one row holds " << limits.value_bytes << " bytes";
  Write(engine(), LargeRows(limits));
  const Model before = State(engine());
  Transact(engine(), [](Transaction& transaction) {
    transaction.KeepUndo(kPoints, kUndo);
    transaction.EraseRange(kScans, KeyRange::All());
  });
  const RowList record = ReadPages(*Now(engine()), kPoints, KeyRange::Prefix(kUndo));
  EXPECT_GE(record.size(), 4U);
  for (const auto& [key, value] : record) EXPECT_EQ(key.size(), kUndo.size() + 4);
  Transact(engine(), [](Transaction& transaction) { Must(transaction.Undo(kPoints, kUndo)); });
  EXPECT_TRUE(Difference(before, State(engine())) == "");
}

TEST_P(EngineContract, OfTwoUndoRecordsOfOneKeyTheLaterCountsThoughItIsShorter) {
  const Limits& limits = engine().limits();
  if (limits.value_bytes > kMostValueBytes)
    GTEST_SKIP() << "one row holds " << limits.value_bytes << " bytes";
  Write(engine(), LargeRows(limits));
  Transact(engine(), [](Transaction& transaction) {
    transaction.KeepUndo(kPoints, kUndo);
    transaction.EraseRange(kScans, KeyRange::All());
  });
  Transact(engine(), [](Transaction& transaction) {
    transaction.KeepUndo(kPoints, kUndo);
    transaction.Put(kScans, "small", "");
  });
  EXPECT_EQ(Read(engine(), kScans, "small"), "");
  Transact(engine(), [](Transaction& transaction) { Must(transaction.Undo(kPoints, kUndo)); });
  EXPECT_EQ(Read(engine(), kScans, "small"), std::nullopt);
}

}  // namespace
}  // namespace talea
