// A Transaction as a whole: what it commits, how it fails, and what it weighs.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkTransactionTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, ATransactionCommitsAllItsWritesAtOneVersion) {
  const std::unique_ptr<Snapshot> before = Now(engine());
  const Version version = Transact(engine(), [](Transaction& transaction) {
    transaction.Put(kPoints, "a", "1");
    transaction.Insert(kScans, "b", "2");
    transaction.Add(kCounters, "n", 3);
    transaction.PutCounter(kSums, "n", 4);
  });
  EXPECT_GT(version, before->version());
  Model expected;
  expected.Apply(Writes()
                     .Put(kPoints, "a", "1")
                     .Put(kScans, "b", "2")
                     .Add(kCounters, "n", 3)
                     .Add(kSums, "n", 4));
  EXPECT_EQ(Difference(expected, State(engine())), "");
}

TEST_P(EngineContract, ATransactionThatIsDroppedChangesNothing) {
  {
    Transaction transaction(engine());
    transaction.Put(kPoints, "key", "value");
    transaction.EraseRange(kScans, KeyRange::All());
    EXPECT_EQ(Must(transaction.Get(kPoints, "key")), "value");
  }
  EXPECT_EQ(Difference(Model(), State(engine())), "");
}

TEST_P(EngineContract, ATransactionWithoutWritesCommitsWhateverItRead) {
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  Transaction transaction(engine());
  EXPECT_EQ(Must(transaction.Get(kPoints, "key")), "old");
  Write(engine(), Writes().Put(kPoints, "key", "new"));
  EXPECT_EQ(Must(transaction.Get(kPoints, "key")), "old");
  EXPECT_OK(transaction.Commit());
  EXPECT_OK(Transaction(engine()).Commit());
}

TEST_P(EngineContract, ATransactionOpensItsSnapshotAtItsFirstRead) {
  Transaction transaction(engine());
  transaction.Put(kPoints, "own", "value");
  Write(engine(), Writes().Put(kPoints, "key", "put meanwhile"));
  EXPECT_EQ(Must(transaction.Get(kPoints, "key")), "put meanwhile");
  Write(engine(), Writes().Put(kPoints, "another", "too late"));
  EXPECT_EQ(Must(transaction.Get(kPoints, "another")), std::nullopt);
}

TEST_P(EngineContract, ATransactionTellsTheVersionThatItReads) {
  Transaction transaction(engine());
  const Version written = Write(engine(), Writes().Put(kPoints, "key", "value"));
  const Version version = Must(transaction.snapshot_version());
  EXPECT_GE(version, written);
  EXPECT_GT(Write(engine(), Writes().Put(kPoints, "key", "later")), version);
  EXPECT_EQ(Must(transaction.snapshot_version()), version);
  EXPECT_EQ(Must(transaction.Get(kPoints, "key")), "value");
  EXPECT_EQ(Must(transaction.Range(kScans, KeyRange::All())).version(), version);
}

TEST_P(EngineContract, ATransactionIsUsedUpByItsCommitWhateverTheOutcome) {
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  for (const bool conflict : {false, true}) {
    Transaction transaction(engine());
    Must(transaction.Get(kPoints, "key"));
    if (conflict) Write(engine(), Writes().Put(kPoints, "key", "new"));
    transaction.Put(kPoints, "own", "value");
    const bool committed = transaction.Commit().has_value();
    EXPECT_FALSE(committed && conflict);
    const Model after = State(engine());
    EXPECT_FALSE(transaction.Get(kPoints, "key").has_value());
    EXPECT_FALSE(transaction.Get(kPoints, "own").has_value());
    EXPECT_FALSE(transaction.Range(kScans, KeyRange::All()).has_value());
    EXPECT_FALSE(transaction.unrecorded().Get(kPoints, "key").has_value());
    EXPECT_FALSE(transaction.Undo(kPoints, "undo").has_value());
    transaction.Put(kPoints, "own", "again");
    EXPECT_FALSE(transaction.Commit().has_value());
    EXPECT_EQ(Difference(after, State(engine())), "");
  }
}

TEST_P(EngineContract, ARefusedWriteFailsTheCommitOfItsTransaction) {
  using Body = void (*)(Transaction&);
  constexpr Body kBodies[] = {
      [](Transaction& transaction) { transaction.Put(kCounters, "key", "not eight"); },
      [](Transaction& transaction) { transaction.Insert(kCounters, "key", "not eight"); },
      [](Transaction& transaction) { transaction.Add(kPoints, "key", 1); },
      [](Transaction& transaction) { transaction.PutCounter(kScans, "key", 1); },
      [](Transaction& transaction) { transaction.Put(kForeign, "key", ""); },
      [](Transaction& transaction) { transaction.Erase(kForeign, "key"); },
      [](Transaction& transaction) { transaction.EraseRange(kForeign, KeyRange::All()); },
      [](Transaction& transaction) { transaction.Apply(Writes().Add(kPoints, "key", 1)); },
      [](Transaction& transaction) { transaction.Apply(Writes().Put(kForeign, "key", "")); },
  };
  for (std::size_t body = 0; body < std::size(kBodies); ++body) {
    Transaction transaction(engine());
    transaction.Put(kPoints, "before", "");
    kBodies[body](transaction);
    transaction.Put(kPoints, "after", "");
    EXPECT_ERROR(transaction.Commit(), ErrorCode::invalid_argument) << "body " << body;
    EXPECT_EQ(Difference(Model(), State(engine())), "");
  }
}

TEST_P(EngineContract, ATransactionBeyondTheLimitsIsRefusedWhole) {
  Transaction transaction(engine());
  transaction.Put(kPoints, "before", "");
  transaction.Put(kPoints, std::string(engine().limits().key_bytes + 1, 'k'), "");
  EXPECT_ERROR(transaction.Commit(), ErrorCode::too_large);
  EXPECT_EQ(Difference(Model(), State(engine())), "");
}

TEST_P(EngineContract, AddsToOneCounterWeighAsMuchAsOne) {
  Transaction transaction(engine());
  const std::size_t before = transaction.size();
  transaction.Add(kCounters, "n", 1);
  const std::size_t once = transaction.size();
  EXPECT_GT(once, before);
  for (int step = 0; step < 1000; ++step) transaction.Add(kCounters, "n", 2);
  EXPECT_EQ(transaction.size(), once);
  transaction.Add(kCounters, "m", 1);
  EXPECT_GT(transaction.size(), once);
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 2001);
}

TEST_P(EngineContract, ATransactionAppliesABatchInItsOrder) {
  Write(engine(), Writes().Put(kScans, "a", "old").Put(kScans, "b", "old").Add(kCounters, "n", 1));
  const WriteBatch batch = Writes()
                               .Put(kScans, "c", "put")
                               .EraseRange(kScans, KeyRange::All())
                               .Put(kScans, "b", "new")
                               .Add(kCounters, "n", 5)
                               .Erase(kPoints, "own");
  Model expected = State(engine());
  expected.Apply(batch);
  Transact(engine(), [&](Transaction& transaction) {
    transaction.Put(kPoints, "own", "erased by the batch");
    transaction.Apply(batch);
    EXPECT_EQ(Difference(expected, Dump(transaction)), "");
  });
  EXPECT_EQ(Difference(expected, State(engine())), "");
}

TEST_P(EngineContract, TheCallbacksOfATransactionAreCalledInTheOrderGiven) {
  std::vector<std::pair<int, Version>> calls;
  const Version version = Transact(engine(), [&](Transaction& transaction) {
    transaction.Put(kPoints, "key", "value");
    transaction.AfterCommit([&](Version made) { calls.emplace_back(1, made); });
    transaction.AfterCommit([&](Version made) { calls.emplace_back(2, made); });
  });
  EXPECT_EQ(calls, (std::vector<std::pair<int, Version>>{{1, version}, {2, version}}));
}

TEST_P(EngineContract, TheCallbacksOfATransactionThatConflictsAreNotCalled) {
  int calls = 0;
  const auto body = [&](Transaction& transaction) {
    Must(transaction.Get(kPoints, "key"));
    transaction.AfterCommit([&](Version) { ++calls; });
  };
  EXPECT_TRUE(Conflicts(engine(), WriteBatch(), body, Writes().Put(kPoints, "key", "new")));
  EXPECT_EQ(calls, 0);
}

TEST_P(EngineContract, ATransactionCanBeMoved) {
  Transaction first(engine());
  first.Put(kPoints, "key", "value");
  Transaction second = std::move(first);
  second.Add(kCounters, "n", 1);
  EXPECT_EQ(Must(second.Get(kPoints, "key")), "value");
  ASSERT_OK(second.Commit());
  EXPECT_EQ(Read(engine(), kPoints, "key"), "value");
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 1);
}

TEST_P(EngineContract, ConcurrentTransfersKeepTheTotal) {
  constexpr int kAccounts = 8, kThreads = 4;
  WriteBatch start;
  for (int account = 0; account < kAccounts; ++account)
    start.Put(kPoints, std::to_string(account), "100");
  Write(engine(), start);
  InThreads(kThreads, [&](int thread) {
    for (int step = 0; step < Steps(150); ++step) {
      const std::string source = std::to_string((step + thread) % kAccounts);
      const std::string target = std::to_string((step * 3 + 1) % kAccounts);
      if (source == target) continue;
      Transact(engine(), [&](Transaction& transaction) {
        const std::vector<KeyReference> keys = {{kPoints, source}, {kPoints, target}};
        const auto balances = Must(transaction.MultiGet(keys));
        transaction.Put(kPoints, source, std::to_string(std::stoi(*balances[0]) - 1));
        transaction.Put(kPoints, target, std::to_string(std::stoi(*balances[1]) + 1));
        transaction.Add(kCounters, "transfers", 1);
      });
    }
  });
  int total = 0;
  for (const auto& [key, value] : ReadPages(*Now(engine()), kPoints, KeyRange::All()))
    total += std::stoi(value);
  EXPECT_EQ(total, kAccounts * 100);
  EXPECT_GT(ReadCounter(engine(), kCounters, "transfers"), 0);
}

}  // namespace
}  // namespace talea
