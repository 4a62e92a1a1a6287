// Conflicts on single keys, and what never conflicts.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkConflictTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

const WriteBatch kNothing;

TEST_P(EngineContract, AKeyThatWasReadAndThenWrittenByOthersIsAConflict) {
  const WriteBatch before = Writes().Put(kPoints, "key", "old").Put(kScans, "key", "old");
  for (const Keyspace& keyspace : {kPoints, kScans}) {
    const ReadSet reads = Reads().Key(keyspace, "key");
    EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Put(keyspace, "key", "new")));
    EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Erase(keyspace, "key")));
    EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(keyspace, KeyRange::All())));
    EXPECT_TRUE(
        Conflicts(engine(), before, reads, Writes().EraseRange(keyspace, Between("kex", "kez"))));
    EXPECT_TRUE(
        Conflicts(engine(), before, reads, Writes().EraseRange(keyspace, KeyRange::Single("key"))));
  }
}

TEST_P(EngineContract, ACounterThatWasReadAndThenWrittenByOthersIsAConflict) {
  const WriteBatch before = Writes().PutCounter(kCounters, "n", 5);
  const ReadSet reads = Reads().Key(kCounters, "n");
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Add(kCounters, "n", 1)));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().PutCounter(kCounters, "n", 6)));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Erase(kCounters, "n")));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kCounters, KeyRange::All())));
}

TEST_P(EngineContract, AKeyThatWasReadAsAbsentAndThenCreatedIsAConflict) {
  const WriteBatch before = Writes().Erase(kPoints, "key").Erase(kCounters, "key");
  EXPECT_TRUE(
      Conflicts(engine(), before, Reads().Key(kPoints, "key"), Writes().Put(kPoints, "key", "")));
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kCounters, "key"),
                        Writes().Add(kCounters, "key", 1)));
  EXPECT_TRUE(Conflicts(engine(), Writes().Erase(kPoints, ""), Reads().Key(kPoints, ""),
                        Writes().Put(kPoints, "", "")));
}

TEST_P(EngineContract, AKeyThatWasPutAndErasedInOneBatchOfOthersIsSeenAsItEnds) {
  const WriteBatch before = Writes().Put(kScans, "key", "old");
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kScans, "key"),
                        Writes().EraseRange(kScans, Between("a", "z")).Put(kScans, "key", "new")));
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kScans, "key"),
                        Writes().Put(kScans, "key", "new").EraseRange(kScans, Between("a", "z"))));
}

TEST_P(EngineContract, OneOfManyReadsIsEnoughForAConflict) {
  ReadSet reads;
  for (int key = 0; key < 3000; ++key) reads.Add(kPoints, std::to_string(key));
  EXPECT_TRUE(Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "2999", "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "0", "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "3000", "")));
}

TEST_P(EngineContract, WritesToOtherKeysAreNoConflict) {
  const ReadSet reads = Reads().Key(kPoints, "key").Key(kScans, "key").Key(kCounters, "key");
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "other", "")));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "ke", "").Erase(kPoints, "keyy")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Add(kSums, "key", 1)))
      << "the same key in another keyspace is another key";
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, kNothing));
}

TEST_P(EngineContract, WhatWasWrittenBeforeTheSnapshotIsNoConflict) {
  for (int step = 0; step < 10; ++step)
    Write(engine(), Writes().Put(kPoints, "key", std::to_string(step)));
  EXPECT_FALSE(Conflicts(engine(), Writes().Put(kPoints, "key", "last"),
                         Reads().Key(kPoints, "key"), kNothing));
}

TEST_P(EngineContract, ABlindBatchNeverConflicts) {
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  for (const WriteBatch& others :
       {WriteBatch(Writes().Put(kPoints, "key", "theirs")), EraseEverything()}) {
    Write(engine(), others);
    CommitRequest request = Blind(Writes().Put(kPoints, "key", "ours").Add(kCounters, "key", 1));
    request.snapshot = snapshot.get();  // which is of no use where nothing was read
    EXPECT_OK(engine().Commit(std::move(request)));
    EXPECT_OK(
        engine().Commit(Blind(Writes().Erase(kPoints, "key").EraseRange(kScans, KeyRange::All()))));
  }
}

TEST_P(EngineContract, AnEmptyBatchCommitsWhateverItReadAndExpected) {
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  Write(engine(), Writes().Put(kPoints, "key", "new"));
  CommitRequest request;
  request.snapshot = snapshot.get();
  request.reads = Reads().Key(kPoints, "key").Range(kPoints, KeyRange::All());
  request.expected.push_back({&kPoints, "key", "old"});
  EXPECT_OK(engine().Commit(std::move(request)));
}

TEST_P(EngineContract, ReadingFromASnapshotAloneRecordsNothing) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  Write(engine(), Writes().Put(kPoints, "key", "old").Put(kScans, "key", "old"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  EXPECT_EQ(Must(snapshot->Get(kPoints, "key")), "old");
  EXPECT_EQ(ReadPages(*snapshot, kScans, KeyRange::All()).size(), 1U);
  Write(engine(), Writes().Put(kPoints, "key", "new").Put(kScans, "key", "new"));
  CommitRequest request = Blind(Writes().Put(kPoints, "answer", ""));
  request.snapshot = snapshot.get();
  request.reads = Reads().Key(kPoints, "another key");
  EXPECT_OK(engine().Commit(std::move(request)));
}

TEST_P(EngineContract, OfTwoThatReadWhatTheOtherWritesOnlyOneCommits) {
  const auto race = [&] {
    const std::unique_ptr<Snapshot> first = Now(engine()), second = Now(engine());
    CommitRequest writes_b = Blind(Writes().Put(kPoints, "b", "of the first"));
    writes_b.snapshot = first.get();
    writes_b.reads = Reads().Key(kPoints, "a");
    CommitRequest writes_a = Blind(Writes().Put(kPoints, "a", "of the second"));
    writes_a.snapshot = second.get();
    writes_a.reads = Reads().Key(kPoints, "b");
    const bool b = engine().Commit(std::move(writes_b)).has_value();
    const bool a = engine().Commit(std::move(writes_a)).has_value();
    return std::pair(b, a);
  };
  const auto [b, a] = race();
  EXPECT_FALSE(a && b);
  if (!GetParam().fails_spuriously) {
    EXPECT_TRUE(b);
  }
}

TEST_P(EngineContract, ASnapshotCanCommitAgainAfterItsOwnCommitOnlyWithWhatThatDidNotWrite) {
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  const auto commit = [&](ByteView key, WriteBatch batch) {
    CommitRequest request = Blind(std::move(batch));
    request.snapshot = snapshot.get();
    request.reads = Reads().Key(kPoints, key);
    return engine().Commit(std::move(request));
  };
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  EXPECT_OK(commit("a", Writes().Put(kPoints, "a", "1")));
  EXPECT_ERROR(commit("a", Writes().Put(kPoints, "a", "2")), ErrorCode::conflict);
  EXPECT_OK(commit("b", Writes().Put(kPoints, "b", "1")));
}

TEST_P(EngineContract, AVeryOldSnapshotConflictsOrIsRight) {
  Write(engine(),
        Writes().Put(kPoints, "key", "old").Put(kScans, "m", "old").PutCounter(kCounters, "n", 1));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  Write(engine(), Writes()
                      .Put(kPoints, "key", "new")
                      .Put(kPoints, "inserted", "")
                      .EraseRange(kScans, Between("l", "n"))
                      .Add(kCounters, "n", 1));
  for (int step = 0; step < Steps(6000); ++step) {
    Write(engine(),
          Writes().Put(kPoints, "other " + std::to_string(step), "").Add(kSums, "others", 1));
  }
  const auto commit = [&](const ReadSet& reads) {
    CommitRequest request = Blind(Writes().Put(kPoints, "trace", ""));
    request.snapshot = snapshot.get();
    request.reads = reads;
    return engine().Commit(std::move(request));
  };
  EXPECT_FALSE(commit(Reads().Key(kPoints, "key")).has_value());
  EXPECT_FALSE(commit(Reads().Range(kPoints, Between("i", "j"))).has_value());
  EXPECT_FALSE(commit(Reads().Key(kScans, "m")).has_value());
  EXPECT_FALSE(commit(Reads().Range(kScans, Between("a", "z"))).has_value());
  EXPECT_FALSE(commit(Reads().Key(kCounters, "n")).has_value());
  EXPECT_FALSE(commit(Reads().Range(kCounters, KeyRange::All())).has_value());
  EXPECT_EQ(Read(engine(), kPoints, "trace"), std::nullopt);
  const bool kept = commit(Reads().Key(kPoints, "untouched")).has_value();
  EXPECT_EQ(Read(engine(), kPoints, "trace").has_value(), kept);
}

TEST_P(EngineContract, ConcurrentBlindWritesToOneKeyAllSucceed) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  InThreads(4, [&](int thread) {
    for (int step = 0; step < Steps(200); ++step) {
      EXPECT_OK(engine().Commit(
          Blind(Writes().Put(kPoints, "key", std::to_string(thread)).Add(kCounters, "n", 1))));
    }
  });
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 4 * Steps(200));
}

TEST_P(EngineContract, ConcurrentReadModifyWritesLoseNoUpdate) {
  Write(engine(), Writes().Put(kPoints, "key", "0"));
  std::atomic<int> successes = 0;
  InThreads(4, [&](int) {
    const auto increment = [&] {
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      const int value = std::stoi(Must(snapshot->Get(kPoints, "key")).value());
      CommitRequest request = Blind(Writes().Put(kPoints, "key", std::to_string(value + 1)));
      request.snapshot = snapshot.get();
      request.reads = Reads().Key(kPoints, "key");
      if (engine().Commit(std::move(request)).has_value()) ++successes;
    };
    for (int step = 0; step < Steps(300); ++step) UnlessExpired(engine(), increment);
  });
  EXPECT_GT(successes, 0);
  EXPECT_EQ(Read(engine(), kPoints, "key"), std::to_string(successes));
}

}  // namespace
}  // namespace talea
