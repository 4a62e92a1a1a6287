// Shutdown: nothing works afterwards, and nothing that was acknowledged is lost.
#include <atomic>
#include <future>
#include <mutex>
#include <set>
#include <thread>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkShutdownTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

constexpr std::chrono::seconds kBound{20};

class NoRows final : public SortedRun {
 public:
  Result<std::optional<Row>> Next() override { return std::nullopt; }
};

TEST_P(EngineContract, EveryCallAfterAShutdownFailsAsClosed) {
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  ASSERT_OK(engine().Shutdown(kBound));
  EXPECT_ERROR(engine().OpenSnapshot(), ErrorCode::closed);
  EXPECT_ERROR(engine().Commit(Blind(Writes().Put(kPoints, "key", "late"))), ErrorCode::closed);
  EXPECT_ERROR(engine().Commit({}), ErrorCode::closed);
  EXPECT_ERROR(engine().GetStatistics(), ErrorCode::closed);
  EXPECT_ERROR(PagedReader(engine()).Get(kPoints, "key"), ErrorCode::closed);
  if (GetParam().ingests) {
    NoRows rows;
    EXPECT_ERROR(engine().Ingest({.runs = {{&kScans, &rows}}, .batch = {}}), ErrorCode::closed);
  }
  if (GetParam().open_checkpoint) {
    EXPECT_ERROR(engine().Checkpoint(Unused("checkpoint")), ErrorCode::closed);
    EXPECT_FALSE(std::filesystem::exists(Unused("checkpoint")));
  }
}

TEST_P(EngineContract, ATransactionOnAnEngineThatWasShutDownFailsAsClosed) {
  Transaction before(engine());
  before.Put(kPoints, "key", "value");
  ASSERT_OK(engine().Shutdown(kBound));
  EXPECT_ERROR(before.Get(kPoints, "another"), ErrorCode::closed);
  EXPECT_ERROR(before.Commit(), ErrorCode::closed);
  Transaction after(engine());
  EXPECT_ERROR(after.Get(kPoints, "key"), ErrorCode::closed);
  EXPECT_ERROR(after.Range(kScans, KeyRange::All()), ErrorCode::closed);
  EXPECT_ERROR(after.snapshot_version(), ErrorCode::closed);
  EXPECT_ERROR(after.Commit(), ErrorCode::closed);
}

TEST_P(EngineContract, ASnapshotOpenAcrossAShutdownIsClosedOrStillRight) {
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  std::unique_ptr<Snapshot> snapshot = Now(engine());
  ASSERT_OK(engine().Shutdown(kBound));
  const Result<std::optional<std::string>> value = snapshot->Get(kPoints, "key");
  if (value.has_value()) {
    EXPECT_EQ(*value, "value");
  } else {
    EXPECT_ERROR(value, ErrorCode::closed);
  }
  snapshot.reset();
}

TEST_P(EngineContract, AShutdownAfterAShutdownDoesNoHarm) {
  ASSERT_OK(engine().Shutdown(kBound));
  const Status again = engine().Shutdown(kBound);
  EXPECT_TRUE(again.has_value() || again.error().code() == ErrorCode::closed) << again.error();
}

TEST_P(EngineContract, AShutdownIsQuickWhereNothingIsUnderWay) {
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  const auto start = std::chrono::steady_clock::now();
  ASSERT_OK(engine().Shutdown(kBound));
  EXPECT_LT(std::chrono::steady_clock::now() - start, kBound);
}

TEST_P(EngineContract, ConcurrentShutdownThatHasToWaitTimesOutAndCanBeCalledAgain) {
  // The callback keeps its commit under way until the shutdown has given up, or far too long.
  std::promise<void> called, released;
  std::future<void> release = released.get_future();
  InThreads(2, [&](int thread) {
    if (thread == 0) {
      CommitRequest request = Blind(Writes().Put(kPoints, "key", "value"));
      request.after_commit = [&](Version) {
        called.set_value();
        release.wait_for(kBound);
      };
      EXPECT_OK(engine().Commit(std::move(request))) << "it was under way, and so it finishes";
      return;
    }
    called.get_future().wait();
    const auto start = std::chrono::steady_clock::now();
    EXPECT_ERROR(engine().Shutdown(std::chrono::milliseconds(20)), ErrorCode::timed_out);
    EXPECT_LT(std::chrono::steady_clock::now() - start, kBound / 2) << "bounded";
    released.set_value();
    EXPECT_OK(engine().Shutdown(kBound));
  });
  EXPECT_ERROR(engine().OpenSnapshot(), ErrorCode::closed);
  if (!GetParam().persists) return;
  Reopen(Goodbye::none);
  EXPECT_EQ(Read(engine(), kPoints, "key"), "value");
}

TEST_P(EngineContract, ConcurrentCommitsAtAShutdownAreAcknowledgedAndKeptOrFail) {
  std::mutex mutex;
  std::set<std::string> acknowledged, failed, unknown;
  InThreads(5, [&](int thread) {
    if (thread == 4) {
      // Some commits are through and others under way.
      for (bool enough = false; !enough; std::this_thread::yield()) {
        const std::lock_guard lock(mutex);
        enough = acknowledged.size() > 20;
      }
      EXPECT_OK(engine().Shutdown(kBound));
      return;
    }
    for (int step = 0;; ++step) {
      const std::string key = std::to_string(thread) + "/" + std::to_string(step);
      CommitRequest request = Blind(Writes().Put(kScans, key, "").Add(kCounters, "n", 1));
      if (step % 4 == 0) request.durability = Durability::synced;
      const Result<Version> version = engine().Commit(std::move(request));
      const std::lock_guard lock(mutex);
      if (version.has_value()) {
        acknowledged.insert(key);
        continue;
      }
      const ErrorCode code = version.error().code();
      if (code == ErrorCode::conflict) continue;
      (code == ErrorCode::outcome_unknown ? unknown : failed).insert(key);
      if (code == ErrorCode::outcome_unknown) continue;
      EXPECT_EQ(code, ErrorCode::closed) << version.error();
      return;
    }
  });
  EXPECT_EQ(failed.size(), 4U) << "one for each thread, its last";
  if (!GetParam().persists) return;
  Reopen(Goodbye::none);
  std::set<std::string> found;
  for (const auto& [key, value] : ReadPages(*Now(engine()), kScans, KeyRange::All()))
    found.insert(key);
  for (const std::string& key : acknowledged)
    EXPECT_TRUE(found.contains(key)) << key << " was acknowledged";
  for (const std::string& key : failed) EXPECT_FALSE(found.contains(key)) << key << " had failed";
  EXPECT_LE(found.size(), acknowledged.size() + unknown.size());
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), static_cast<std::int64_t>(found.size()));
}

}  // namespace
}  // namespace talea
