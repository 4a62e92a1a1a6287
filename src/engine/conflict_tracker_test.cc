#include "engine/conflict_tracker.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "talea/testing/random.h"

namespace talea {
namespace {

using Kind = WriteBatch::Kind;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kBlobs{129, AccessPattern::point, "blobs"};
constexpr Version kStart{10};

// Room for all keys of these tests, and quick to make.
constexpr ConflictTracker::Options kSmall{.lines = 1 << 8};

std::shared_ptr<PreparedCommit> Prepare(ReadSet reads, WriteBatch batch, bool tracked = true) {
  CommitRequest request;
  request.reads = std::move(reads);
  request.batch = std::move(batch);
  return std::make_shared<PreparedCommit>(std::move(request), tracked);
}

ReadSet Read(ByteView key) {
  ReadSet reads;
  reads.Add(kRows, key);
  return reads;
}

ReadSet Read(const KeyRange& range) {
  ReadSet reads;
  reads.Add(kRows, range);
  return reads;
}

WriteBatch Put(ByteView key, const Keyspace& keyspace = kRows) {
  WriteBatch batch;
  batch.Put(keyspace, key, "");
  return batch;
}

WriteBatch Erase(const KeyRange& range, const Keyspace& keyspace = kRows) {
  WriteBatch batch;
  batch.EraseRange(keyspace, range);
  return batch;
}

// Remembers everything, and compares every write with every read.
class NaiveTracker {
 public:
  void Mark(const WriteBatch& batch, Version version) { written_.emplace_back(version, batch); }

  bool Conflicts(const ReadSet& reads, Version snapshot) const {
    for (const auto& [version, batch] : written_) {
      if (version <= snapshot) continue;
      for (const WriteBatch::Operation& write : batch) {
        if (Touches(write, reads)) return true;
      }
    }
    return false;
  }

 private:
  static bool Touches(const WriteBatch::Operation& write, const ReadSet& reads) {
    const KeyRange written =
        write.kind == Kind::erase_range ? write.Range() : KeyRange::Single(write.key);
    for (std::size_t position = 0; position < reads.point_count(); ++position) {
      const ReadSet::Point point = reads.point(position);
      if (point.keyspace == write.keyspace && written.Contains(point.key)) return true;
    }
    for (const ReadSet::Range& read : reads.ranges()) {
      if (read.keyspace != write.keyspace) continue;
      KeyRange both = written.StartingAt(read.range.begin());
      if (read.range.end()) both = both.EndingAt(*read.range.end());
      if (!both.empty()) return true;
    }
    return false;
  }

  std::vector<std::pair<Version, WriteBatch>> written_;
};

// A tracker and a naive one under the same random commits, as the commit queue makes them.
class Twins {
 public:
  Twins(std::uint64_t seed, ConflictTracker::Options options, std::uint64_t keys)
      : random_(seed), keys_(keys), tracker_(kStart, options) {}

  // One commit, checked by both, and applied if the tracker lets it.
  void Step() {
    if (random_.Chance(0.05)) Snapshots();
    const Version snapshot = AnySnapshot();
    const bool tracked = open_ > 0 || random_.Chance(0.9);
    const auto commit = Prepare(AnyReads(), AnyBatch(), tracked);
    const bool truth = naive_.Conflicts(commit->request.reads, snapshot);
    const bool found = open_ > 0 && tracker_.Conflicts(*commit, snapshot);
    if (open_ > 0 && truth) ++conflicts;
    if (open_ > 0 && truth && !found) ++missed;
    if (open_ > 0 && !truth && found) ++invented;
    if (found) return;
    last_ = Version{last_.number + 1};
    tracker_.Mark(commit, last_, visible_);
    naive_.Mark(commit->request.batch, last_);
    if (random_.Chance(0.7)) visible_ = last_;  // the end of a group
  }

  int conflicts = 0;
  int missed = 0;
  int invented = 0;

 private:
  // All close, and a new one opens at what is visible then.
  void Snapshots() {
    while (open_ > 0) {
      tracker_.SnapshotClosed();
      --open_;
    }
    if (random_.Chance(0.4)) return;
    tracker_.SnapshotOpened();
    ++open_;
    oldest_open_ = visible_;
  }

  Version AnySnapshot() {
    return Version{oldest_open_.number + random_.Below(visible_.number - oldest_open_.number + 1)};
  }

  std::string AnyKey() {
    return std::string(1 + random_.Below(2), static_cast<char>('a' + random_.Below(keys_)));
  }

  KeyRange AnyRange() {
    std::string begin = AnyKey();
    if (random_.Chance(0.1)) return KeyRange::From(begin);
    if (random_.Chance(0.3)) return KeyRange::Single(begin);
    std::string end = AnyKey();
    if (end < begin) std::swap(begin, end);
    return *KeyRange::Make(begin, end);
  }

  const Keyspace& AnyKeyspace() { return random_.Chance(0.8) ? kRows : kBlobs; }

  ReadSet AnyReads() {
    ReadSet reads;
    for (std::uint64_t left = random_.Below(3); left > 0; --left)
      reads.Add(AnyKeyspace(), AnyKey());
    for (std::uint64_t left = random_.Below(2); left > 0; --left)
      reads.Add(AnyKeyspace(), AnyRange());
    return reads;
  }

  WriteBatch AnyBatch() {
    WriteBatch batch;
    for (std::uint64_t left = random_.Below(3); left > 0; --left)
      batch.Put(AnyKeyspace(), AnyKey(), "");
    if (random_.Chance(0.1)) batch.Erase(AnyKeyspace(), AnyKey());
    if (random_.Chance(0.2)) batch.EraseRange(AnyKeyspace(), AnyRange());
    return batch;
  }

  Random random_;
  const std::uint64_t keys_;
  ConflictTracker tracker_;
  NaiveTracker naive_;
  Version last_ = kStart;
  Version visible_ = kStart;
  Version oldest_open_ = kStart;
  int open_ = 0;
};

RC_GTEST_PROP(ConflictTracker, IsExactWhileItHasForgottenNothing, (std::uint64_t seed)) {
  ConflictTracker tracker(kStart, kSmall);
  NaiveTracker naive;
  Random random(seed);
  tracker.SnapshotOpened();
  Version last = kStart;
  for (int step = 0; step < 60; ++step) {
    const auto key = [&] {
      return std::string(1 + random.Below(2), static_cast<char>('a' + random.Below(12)));
    };
    const auto range = [&] {
      const std::string begin = key();
      return random.Chance(0.2) ? KeyRange::From(begin) : KeyRange::From(begin).EndingAt(key());
    };
    WriteBatch batch;
    if (random.Chance(0.7)) batch.Put(kRows, key(), "");
    if (random.Chance(0.3)) batch.Erase(kBlobs, key());
    if (random.Chance(0.2)) batch.EraseRange(kRows, range());
    last = Version{last.number + 1};
    naive.Mark(batch, last);
    tracker.Mark(Prepare({}, std::move(batch)), last, last);

    ReadSet reads;
    if (random.Chance(0.6)) reads.Add(random.Chance(0.5) ? kRows : kBlobs, key());
    if (random.Chance(0.4)) reads.Add(random.Chance(0.5) ? kRows : kBlobs, range());
    const Version snapshot{kStart.number + random.Below(last.number - kStart.number + 1)};
    const bool truth = naive.Conflicts(reads, snapshot);
    RC_ASSERT(tracker.Conflicts(*Prepare(std::move(reads), {}), snapshot) == truth);
  }
  tracker.SnapshotClosed();
}

RC_GTEST_PROP(ConflictTracker, NeverMissesAConflict, (std::uint64_t seed)) {
  Twins twins(seed, kSmall, 12);
  for (int step = 0; step < 150; ++step) twins.Step();
  RC_ASSERT(twins.missed == 0);
  RC_CLASSIFY(twins.conflicts > 10, "with many conflicts");
}

// With room for next to nothing it may only err towards a conflict.
RC_GTEST_PROP(ConflictTracker, NeverMissesAConflictHoweverLittleItRemembers, (std::uint64_t seed)) {
  ConflictTracker::Options options;
  options.lines = *rc::gen::element<std::size_t>(1, 2, 4);
  options.log_commits = *rc::gen::element<std::size_t>(0, 1, 3, 1000);
  options.log_bytes = *rc::gen::element<std::size_t>(0, 600, 5000, 1 << 20);
  Twins twins(seed, options, 26);
  for (int step = 0; step < 150; ++step) twins.Step();
  RC_ASSERT(twins.missed == 0);
}

TEST(ConflictTracker, TakesTheSameVersionAsSeen) {
  ConflictTracker tracker(kStart);
  tracker.SnapshotOpened();
  tracker.Mark(Prepare({}, Put("a")), Version{11}, kStart);
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read("a"), {}), kStart));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("a"), {}), Version{11}));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("b"), {}), kStart));
  tracker.SnapshotClosed();
}

TEST(ConflictTracker, TellsKeyspacesApart) {
  ConflictTracker tracker(kStart);
  tracker.SnapshotOpened();
  tracker.Mark(Prepare({}, Put("a", kBlobs)), Version{11}, kStart);
  tracker.Mark(Prepare({}, Erase(KeyRange::All(), kBlobs)), Version{12}, kStart);
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("a"), {}), kStart));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read(KeyRange::All()), {}), kStart));
  tracker.SnapshotClosed();
}

TEST(ConflictTracker, NeverConflictsWithWhatHasReadNothing) {
  ConflictTracker tracker(kStart, {.lines = 1, .log_bytes = 0, .log_commits = 0});
  tracker.Mark(Prepare({}, Put("a"), false), Version{11}, kStart);
  EXPECT_FALSE(tracker.Conflicts(*Prepare({}, Put("a")), Version{}));
}

TEST(ConflictTracker, TakesSnapshotsOfBeforeItsStartForAConflict) {
  ConflictTracker tracker(kStart);
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read("a"), {}), Version{9}));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("a"), {}), kStart));
}

TEST(ConflictTracker, TakesAnUntrackedCommitForAWriteToEverything) {
  ConflictTracker tracker(kStart);
  tracker.Mark(Prepare({}, Put("a"), false), Version{11}, kStart);
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read("other"), {}), kStart));
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read(KeyRange::Single("other")), {}), kStart));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("a"), {}), Version{11}));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read(KeyRange::All()), {}), Version{11}));
}

TEST(ConflictTracker, MarksAWholeKeyspaceForAnIngest) {
  ConflictTracker tracker(kStart);
  tracker.MarkAll({kRows.id}, Version{11});
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read("a"), {}), kStart));
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read(KeyRange::Single("a")), {}), kStart));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("a"), {}), Version{11}));
  ReadSet elsewhere;
  elsewhere.Add(kBlobs, "a");
  elsewhere.Add(kBlobs, KeyRange::All());
  EXPECT_FALSE(tracker.Conflicts(*Prepare(elsewhere, {}), kStart));
}

// Other than for points, a range has only the log to be checked against.
TEST(ConflictTracker, TakesARangeForAConflictOnceTheLogNoLongerReachesBack) {
  ConflictTracker tracker(kStart, {.lines = 1 << 10, .log_bytes = 1 << 20, .log_commits = 3});
  tracker.SnapshotOpened();
  for (std::uint64_t number = 11; number <= 14; ++number)
    tracker.Mark(Prepare({}, Put("a")), Version{number}, kStart);
  EXPECT_TRUE(tracker.Conflicts(*Prepare(Read(KeyRange::Single("b")), {}), kStart));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read(KeyRange::Single("b")), {}), Version{11}));
  EXPECT_FALSE(tracker.Conflicts(*Prepare(Read("b"), {}), kStart));
  tracker.SnapshotClosed();
}

// The log frees what nobody can ask for any more; what it holds is seen through a weak pointer.
TEST(ConflictTracker, HoldsNoCommitThatEverySnapshotSees) {
  ConflictTracker tracker(kStart);
  const auto mark = [&](std::uint64_t version, std::uint64_t visible) {
    auto commit = Prepare({}, Put("a"));
    const std::weak_ptr<PreparedCommit> held = commit;
    tracker.Mark(std::move(commit), Version{version}, Version{visible});
    return held;
  };
  const auto first = mark(11, 10);
  EXPECT_FALSE(first.expired());  // a snapshot that opens now does not see it
  const auto second = mark(12, 11);
  EXPECT_TRUE(first.expired());
  EXPECT_FALSE(second.expired());
  tracker.SnapshotOpened();
  const auto third = mark(13, 12);
  EXPECT_FALSE(second.expired());
  tracker.SnapshotClosed();
  const auto fourth = mark(14, 13);
  EXPECT_TRUE(second.expired() && third.expired());
  EXPECT_FALSE(fourth.expired());
}

TEST(ConflictTracker, BoundsTheBytesOfItsLog) {
  constexpr std::size_t bound = 64 << 10;
  ConflictTracker tracker(kStart, {.lines = 1, .log_bytes = bound, .log_commits = 1 << 16});
  tracker.SnapshotOpened();
  std::vector<std::weak_ptr<PreparedCommit>> commits;
  for (std::uint64_t number = 0; number < 500; ++number) {
    WriteBatch batch;
    for (int write = 0; write < 10; ++write)
      batch.EraseRange(kRows, KeyRange::Single(std::to_string(write)));
    auto commit = Prepare({}, std::move(batch));
    commits.push_back(commit);
    tracker.Mark(std::move(commit), Version{11 + number}, kStart);
  }
  std::size_t held = 0;
  for (const auto& commit : commits) {
    if (const auto kept = commit.lock())
      held += sizeof(*kept) + kept->request.batch.bytes() +
              kept->erased_ranges.size() * sizeof(WriteBatch::Operation);
  }
  EXPECT_LE(held, bound);
  EXPECT_GT(held, bound / 2);
  tracker.SnapshotClosed();
}

TEST(ConflictTracker, TracksLargeBlindCommitsOnlyWhileASnapshotIsOpen) {
  ConflictTracker tracker(kStart);
  CommitRequest small, large;
  for (int write = 0; write < 255; ++write) small.batch.Put(kRows, "a", "");
  for (int write = 0; write < 256; ++write) large.batch.Put(kRows, "a", "");
  EXPECT_TRUE(tracker.ShouldTrack(small));
  EXPECT_FALSE(tracker.ShouldTrack(large));
  tracker.SnapshotOpened();
  EXPECT_EQ(tracker.open_snapshots(), 1u);
  EXPECT_TRUE(tracker.ShouldTrack(large));
  tracker.SnapshotClosed();
  EXPECT_EQ(tracker.open_snapshots(), 0u);
}

}  // namespace
}  // namespace talea
