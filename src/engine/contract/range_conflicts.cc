// Conflicts on ranges, to the byte at both ends.
#include <atomic>
#include <set>

#include "engine/contract/property.h"

namespace talea::contract {
void LinkRangeConflictTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

const WriteBatch kNothing;

// The last key before `key` that is worth a try: there is none between it and `key` of up to 32
// bytes more.
std::string JustBefore(std::string key) {
  key.back() = static_cast<char>(key.back() - 1);
  return key + std::string(32, '\xff');
}

TEST_P(EngineContract, AWriteInsideARangeThatWasReadIsAConflict) {
  const WriteBatch before = Writes().Put(kScans, "m", "old");
  const ReadSet reads = Reads().Range(kScans, Between("b", "y"));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Put(kScans, "c", "inserted")));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Put(kScans, "m", "replaced")));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Erase(kScans, "m")));
  EXPECT_TRUE(Conflicts(engine(), Writes().Put(kScans, "m", "old"), reads,
                        Writes().Put(kScans, "a", "").Put(kScans, "z", "").Put(kScans, "n", "")))
      << "one write of many";
}

TEST_P(EngineContract, AReadRangeHoldsItsBeginAndNotItsEnd) {
  const ReadSet reads = Reads().Range(kScans, Between("b", "y"));
  EXPECT_TRUE(Conflicts(engine(), kNothing, reads, Writes().Put(kScans, "b", "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, reads, Writes().Put(kScans, JustBefore("y"), "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Put(kScans, "y", "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Put(kScans, JustBefore("b"), "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().Put(kPoints, "m", "")))
      << "another keyspace";
}

TEST_P(EngineContract, AReadRangeMayBeOpenAtItsEnds) {
  const std::string last(32, '\xff');
  const ReadSet from = Reads().Range(kScans, KeyRange::From("m"));
  EXPECT_TRUE(Conflicts(engine(), kNothing, from, Writes().Put(kScans, last, "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, from, Writes().Put(kScans, "m", "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, from, Writes().Put(kScans, JustBefore("m"), "")));
  const ReadSet until = Reads().Range(kScans, KeyRange::Before("m"));
  EXPECT_TRUE(Conflicts(engine(), kNothing, until, Writes().Put(kScans, "", "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, until, Writes().Put(kScans, "m", "")));
  const ReadSet all = Reads().Range(kScans, KeyRange::All());
  EXPECT_TRUE(Conflicts(engine(), kNothing, all, Writes().Put(kScans, "", "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, all, Writes().Put(kScans, last, "")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, all, Writes().Put(kPoints, "m", "")));
}

TEST_P(EngineContract, AnEmptyReadRangeConflictsWithNothing) {
  const ReadSet reads = Reads().Range(kScans, Between("m", "m"));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().Put(kScans, "m", "").Put(kScans, "l", "")));
}

TEST_P(EngineContract, ARangeErasureThatOverlapsWhatWasReadIsAConflict) {
  const WriteBatch before = Writes().Put(kScans, "c", "").Put(kScans, "m", "").Put(kScans, "x", "");
  const ReadSet reads = Reads().Range(kScans, Between("b", "y"));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kScans, Between("a", "d"))));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kScans, Between("x", "z"))));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kScans, Between("l", "n"))));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kScans, Between("a", "z"))));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().EraseRange(kScans, KeyRange::From("x"))));
  EXPECT_TRUE(Conflicts(engine(), before, reads, EraseEverything()));
}

TEST_P(EngineContract, ARangeErasureBesideWhatWasReadIsNoConflict) {
  const ReadSet reads = Reads().Range(kScans, Between("b", "y")).Key(kScans, "z");
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().EraseRange(kScans, KeyRange::Before("b"))));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().EraseRange(kScans, Between("y", "z"))));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().EraseRange(kScans, KeyRange::From("z1"))));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().EraseRange(kScans, Between("m", "m"))))
      << "an empty range erases nothing";
}

TEST_P(EngineContract, ARangeErasureInAnotherKeyspaceIsNoConflict) {
  const ReadSet reads = Reads().Range(kScans, KeyRange::All()).Key(kCounters, "n");
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().EraseRange(kPoints, KeyRange::All())));
  EXPECT_FALSE(Conflicts(engine(), kNothing, reads, Writes().EraseRange(kSums, KeyRange::All())));
}

TEST_P(EngineContract, AddsToCountersInsideARangeThatWasReadAreAConflict) {
  const WriteBatch before = Writes().PutCounter(kCounters, "m", 1).Erase(kCounters, "n");
  const ReadSet reads = Reads().Range(kCounters, Between("b", "y"));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Add(kCounters, "m", 1)));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Add(kCounters, "m", -1)));
  EXPECT_TRUE(Conflicts(engine(), before, reads, Writes().Add(kCounters, "n", 1)));
  EXPECT_FALSE(
      Conflicts(engine(), before, reads, Writes().Add(kCounters, "a", 1).Add(kCounters, "y", 1)));
}

TEST_P(EngineContract, OneOfManyReadRangesIsEnoughForAConflict) {
  ReadSet reads;
  for (char letter = 'a'; letter < 'z'; ++letter) {
    reads.Add(kScans, Between(std::string(1, letter) + "3", std::string(1, letter) + "6"));
  }
  EXPECT_TRUE(Conflicts(engine(), kNothing, reads, Writes().Put(kScans, "q4", "")));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, reads, Writes().Put(kScans, "q2", "").Put(kScans, "q7", "")));
}

TEST_P(EngineContract, RandomReadsConflictWheneverTheirAnswersChanged) {
  CheckProperty(200, [this] {
    StartFrom(engine(), *RandomWriteList());
    const Keyspace keyspace = kKeyspaces[*rc::gen::inRange(0, 4)];
    const KeyRange range = *RandomRange();
    const std::string key = *RandomKey();
    const RandomWrites others = *rc::gen::resize(4, RandomWriteList());
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    for (const RandomWrite& write : others) Write(engine(), ToBatch({write}));

    const Model before = Dump(*snapshot), after = State(engine());
    const auto commits = [&](const ReadSet& reads) {
      CommitRequest request = Blind(Writes().Put(kPoints, "~ trace of no interest", ""));
      request.snapshot = snapshot.get();
      request.reads = reads;
      return engine().Commit(std::move(request)).has_value();
    };
    if (before.Get(keyspace, key) != after.Get(keyspace, key)) {
      RC_ASSERT(!commits(Reads().Key(keyspace, key)));
    }
    if (before.Range(keyspace, range) != after.Range(keyspace, range)) {
      RC_ASSERT(!commits(Reads().Range(keyspace, range)));
    }
    if (others.empty() && !GetParam().fails_spuriously) {
      RC_ASSERT(commits(Reads().Key(keyspace, key).Range(keyspace, range)));
    }
  });
}

TEST_P(EngineContract, ConcurrentInsertsIntoACountedRangeKeepTheCountRight) {
  // Each commit inserts a row whose value is the number of rows it saw: no two may see the same.
  std::atomic<int> inserted = 0;
  InThreads(3, [&](int thread) {
    int step = 0;
    const auto insert = [&] {
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      const std::size_t count = ReadPages(*snapshot, kScans, KeyRange::Prefix("row")).size();
      const std::string key = "row " + std::to_string(step) + " of " + std::to_string(thread);
      CommitRequest request = Blind(Writes().Put(kScans, key, std::to_string(count)));
      request.snapshot = snapshot.get();
      request.reads = Reads().Range(kScans, KeyRange::Prefix("row"));
      if (engine().Commit(std::move(request)).has_value()) ++inserted;
    };
    for (; step < Steps(150); ++step) UnlessExpired(engine(), insert);
  });
  std::set<std::string> counts;
  for (const auto& [key, value] : ReadPages(*Now(engine()), kScans, KeyRange::All()))
    counts.insert(value);
  EXPECT_GT(inserted, 0);
  EXPECT_EQ(counts.size(), static_cast<std::size_t>(inserted));
}

}  // namespace
}  // namespace talea
