// Versions and snapshots: the order of commits, and which of them a snapshot sees.
#include <map>
#include <mutex>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkVersionTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, EveryCommitHasAHigherVersionThanAllBefore) {
  Version last = Now(engine())->version();
  for (int step = 0; step < 20; ++step) {
    const Version version = Write(engine(), Writes().Put(kPoints, "key", std::to_string(step)));
    EXPECT_GT(version, last);
    last = version;
  }
}

TEST_P(EngineContract, ASnapshotSeesEveryCommitAcknowledgedBeforeIt) {
  for (int step = 0; step < 20; ++step) {
    const std::string value = std::to_string(step);
    const Version version = Write(engine(), Writes().Put(kPoints, "key", value));
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    EXPECT_GE(snapshot->version(), version);
    EXPECT_EQ(Must(snapshot->Get(kPoints, "key")), value);
  }
}

TEST_P(EngineContract, ACommitAfterASnapshotHasAHigherVersionThanTheSnapshot) {
  Write(engine(), Writes().Put(kPoints, "key", "before"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  EXPECT_GT(Write(engine(), Writes().Put(kPoints, "key", "after")), snapshot->version());
}

TEST_P(EngineContract, ASnapshotKeepsItsStateWhileOthersCommit) {
  Write(engine(), Writes().Put(kPoints, "put", "old").Put(kPoints, "erased", "old"));
  Write(engine(), Writes().Put(kScans, "a", "old").Put(kScans, "b", "old").Add(kCounters, "n", 5));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  const Version version = snapshot->version();
  const Model before = Dump(*snapshot);

  Write(engine(),
        Writes().Put(kPoints, "put", "new").Erase(kPoints, "erased").Add(kCounters, "n", 1));
  Write(engine(), Writes().EraseRange(kScans, KeyRange::All()).Put(kScans, "c", "new"));
  Write(engine(), Writes().Put(kPoints, "created", "new").Add(kSums, "created", 1));

  EXPECT_EQ(Difference(before, Dump(*snapshot)), "");
  EXPECT_EQ(Must(snapshot->Get(kPoints, "erased")), "old");
  EXPECT_EQ(Must(snapshot->Get(kPoints, "created")), std::nullopt);
  EXPECT_EQ(Must(snapshot->GetCounter(kCounters, "n")), 5);
  EXPECT_EQ(snapshot->version(), version);
}

TEST_P(EngineContract, SnapshotsOfDifferentAgesEachKeepTheirOwnState) {
  std::map<int, std::unique_ptr<Snapshot>> snapshots;
  for (int step = 0; step < 8; ++step) {
    Write(engine(), Writes().Put(kPoints, "key", std::to_string(step)).Add(kCounters, "n", 1));
    snapshots[step] = Now(engine());
  }
  snapshots.erase(3);  // closing one changes no other
  for (const auto& [step, snapshot] : snapshots) {
    EXPECT_EQ(Must(snapshot->Get(kPoints, "key")), std::to_string(step));
    EXPECT_EQ(Must(snapshot->GetCounter(kCounters, "n")), step + 1);
  }
}

TEST_P(EngineContract, APageTellsTheVersionOfItsSnapshot) {
  Write(engine(), Writes().Put(kScans, "a", "").Put(kScans, "b", ""));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  Write(engine(), Writes().Put(kScans, "c", ""));
  const Page page = Must(snapshot->Range(kScans, KeyRange::All(), {.row_limit = 1}));
  EXPECT_EQ(page.version(), snapshot->version());
  EXPECT_EQ(Must(snapshot->Range(kScans, page.rest().value_or(KeyRange::All()))).version(),
            snapshot->version());
}

TEST_P(EngineContract, AnEmptyBatchReturnsAVersionThatIsVisibleAlready) {
  const Version written = Write(engine(), Writes().Put(kPoints, "key", "value"));
  const Version empty = Must(engine().Commit({}));
  EXPECT_LE(empty, Now(engine())->version());
  EXPECT_GT(Write(engine(), Writes().Put(kPoints, "key", "value")), std::max(written, empty));
}

TEST_P(EngineContract, VersionsGoOnWhereTheyWereAfterReopening) {
  if (!GetParam().persists) GTEST_SKIP() << "keeps nothing";
  const Version before = Write(engine(), Writes().Put(kPoints, "key", "before"));
  Reopen();
  EXPECT_GE(Now(engine())->version(), before);
  EXPECT_EQ(Read(engine(), kPoints, "key"), "before");
  EXPECT_GT(Write(engine(), Writes().Put(kPoints, "key", "after")), before);
}

TEST_P(EngineContract, ConcurrentCommitsHaveDistinctVersionsAndTheHighestOneWins) {
  std::mutex mutex;
  std::map<Version, std::string> values;
  InThreads(4, [&](int thread) {
    Version last;
    for (int step = 0; step < Steps(200); ++step) {
      const std::string value = std::to_string(thread) + "/" + std::to_string(step);
      const Version version = Write(engine(), Writes().Put(kPoints, "key", value));
      if (version <= last) ADD_FAILURE() << version.number << " after " << last.number;
      last = version;
      const std::lock_guard lock(mutex);
      values[version] = value;
    }
  });
  ASSERT_EQ(values.size(), static_cast<std::size_t>(4 * Steps(200)));
  EXPECT_EQ(Read(engine(), kPoints, "key"), values.rbegin()->second);
}

TEST_P(EngineContract, ConcurrentSnapshotsSeeWholeCommitsAndNeverGoBack) {
  Write(engine(), Writes().Put(kPoints, "a", "0").Put(kScans, "a", "0"));
  std::atomic<bool> writing = true;
  InThreads(3, [&](int thread) {
    if (thread == 0) {
      for (int step = 1; step <= Steps(500); ++step) {
        const std::string value = std::to_string(step);
        Write(engine(), Writes().Put(kPoints, "a", value).Put(kScans, "a", value));
      }
      writing = false;
      return;
    }
    int last = 0;
    const auto look = [&] {
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      const std::string first = Must(snapshot->Get(kPoints, "a")).value();
      EXPECT_EQ(Must(snapshot->Get(kScans, "a")), first);
      EXPECT_GE(std::stoi(first), last);
      last = std::stoi(first);
    };
    while (writing) UnlessExpired(engine(), look);
  });
}

TEST_P(EngineContract, ConcurrentReadersShareOneSnapshot) {
  for (int row = 0; row < 50; ++row) {
    Write(engine(),
          Writes().Put(kScans, "row" + std::to_string(row), "value").Add(kCounters, "n", 1));
  }
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  const Model expected = Dump(*snapshot);
  InThreads(4, [&](int thread) {
    for (int step = 0; step < Steps(50); ++step) {
      if (thread == 0) Write(engine(), Writes().Put(kScans, "row1", "new").Add(kCounters, "n", 1));
      if (thread == 0) continue;
      UnlessExpired(engine(), [&] {
        EXPECT_EQ(Difference(expected, Dump(*snapshot)), "");
        EXPECT_EQ(Must(snapshot->GetCounter(kCounters, "n")), 50);
      });
    }
  });
}

}  // namespace
}  // namespace talea
