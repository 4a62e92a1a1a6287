// Callbacks after a commit: once, in the order of versions, before anybody can see it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <mutex>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkAfterCommitTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, ACallbackIsCalledOnceWithTheVersionOfItsCommit) {
  std::vector<Version> calls;
  std::optional<Version> committed;
  while (!committed) {
    CommitRequest request = Blind(Writes().Put(kPoints, "key", "value"));
    request.after_commit = [&](Version version) { calls.push_back(version); };
    const Result<Version> version = engine().Commit(std::move(request));
    if (version.has_value()) committed = *version;
    ASSERT_TRUE(version.has_value() || GetParam().fails_spuriously) << version.error();
  }
  Write(engine(), Writes().Put(kPoints, "key", "another"));
  Now(engine());
  EXPECT_EQ(calls, std::vector<Version>{*committed});
}

TEST_P(EngineContract, ACallbackIsNotCalledWhereTheCommitFails) {
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  Write(engine(), Writes().Put(kPoints, "key", "new"));
  int calls = 0;
  CommitRequest conflicting = Blind(Writes().Put(kPoints, "key", "ours"));
  conflicting.snapshot = snapshot.get();
  conflicting.reads = Reads().Key(kPoints, "key");
  conflicting.after_commit = [&](Version) { ++calls; };
  EXPECT_ERROR(engine().Commit(std::move(conflicting)), ErrorCode::conflict);

  CommitRequest disappointed = Blind(Writes().Put(kPoints, "key", "ours"));
  disappointed.expected.push_back({&kPoints, "key", "old"});
  disappointed.after_commit = [&](Version) { ++calls; };
  EXPECT_ERROR(engine().Commit(std::move(disappointed)), ErrorCode::conflict);

  Write(engine(), Writes().Put(kPoints, "key", "newest"));
  EXPECT_EQ(calls, 0);
}

TEST_P(EngineContract, ACallbackOfAnEmptyBatchIsCalledToo) {
  int calls = 0;
  CommitRequest request;
  request.after_commit = [&](Version) { ++calls; };
  ASSERT_OK(engine().Commit(std::move(request)));
  EXPECT_EQ(calls, 1);
}

TEST_P(EngineContract, ConcurrentCallbacksComeInTheOrderOfVersionsEachOnce) {
  std::mutex mutex;
  std::vector<Version> calls;
  std::vector<Version> commits;
  InThreads(4, [&](int thread) {
    for (int step = 0; step < Steps(300); ++step) {
      CommitRequest request =
          Blind(Writes().Put(kPoints, std::to_string(thread), std::to_string(step)));
      request.after_commit = [&](Version version) {
        const std::lock_guard lock(mutex);
        calls.push_back(version);
      };
      const Result<Version> version = engine().Commit(std::move(request));
      if (!version.has_value()) continue;
      const std::lock_guard lock(mutex);
      commits.push_back(*version);
    }
  });
  EXPECT_TRUE(std::ranges::is_sorted(calls));
  std::ranges::sort(commits);
  EXPECT_EQ(calls, commits);
}

TEST_P(EngineContract, ConcurrentSnapshotWhileACallbackRunsDoesNotSeeItsCommit) {
  // The callback goes on until the other thread has looked, or waits for the callback in its turn.
  std::promise<void> called, looked;
  std::future<void> look = looked.get_future();
  std::atomic<bool> over = false;
  InThreads(2, [&](int thread) {
    if (thread == 0) {
      CommitRequest request = Blind(Writes().Put(kPoints, "key", "value"));
      request.after_commit = [&](Version) {
        called.set_value();
        look.wait_for(std::chrono::milliseconds(200));
        over = true;
      };
      Must(engine().Commit(std::move(request)));
      return;
    }
    called.get_future().wait();
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    const bool seen = Must(snapshot->Get(kPoints, "key")).has_value();
    EXPECT_TRUE(over || !seen);
    const Version empty = Must(engine().Commit({}));
    EXPECT_LE(empty, Now(engine())->version()) << "an empty batch returns what is visible already";
    looked.set_value();
  });
  EXPECT_EQ(Read(engine(), kPoints, "key"), "value");
}

TEST_P(EngineContract, ConcurrentSnapshotsNeverSeeACommitBeforeItsCallback) {
  std::atomic<std::uint64_t> called = Now(engine())->version().number;
  std::atomic<std::int64_t> counted = 0;
  std::atomic<int> writers = 2;
  InThreads(4, [&](int thread) {
    if (thread < 2) {
      for (int step = 0; step < Steps(1000); ++step) {
        CommitRequest request = Blind(Writes().Add(kCounters, "n", 1));
        request.after_commit = [&](Version version) {
          ++counted;
          called = version.number;
        };
        const Result<Version> version = engine().Commit(std::move(request));
        EXPECT_GE(called, version.value_or(Version{}).number) << "acknowledged before its callback";
      }
      --writers;
      return;
    }
    const auto look = [&] {
      const std::int64_t seen = ReadCounter(engine(), kCounters, "n");
      EXPECT_GE(counted, seen);
    };
    while (writers > 0) UnlessExpired(engine(), look);
  });
}

}  // namespace
}  // namespace talea
