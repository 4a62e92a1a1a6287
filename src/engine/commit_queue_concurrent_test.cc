#include "engine/commit_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kBlobs{129, AccessPattern::point, "blobs"};
constexpr Version kStart{100};

// A snapshot that is a version and nothing else, known to the tracker while it is open.
class FakeSnapshot final : public Snapshot {
 public:
  explicit FakeSnapshot(CommitQueue& queue) : queue_(queue) {
    queue_.tracker().SnapshotOpened();
    version_ = queue_.published();
  }
  ~FakeSnapshot() override { queue_.tracker().SnapshotClosed(); }

  Version version() const override { return version_; }
  Result<std::optional<std::string>> Get(const Keyspace&, ByteView) override { return Unused(); }
  Result<std::vector<std::optional<std::string>>> MultiGet(std::span<const KeyReference>) override {
    return Unused();
  }
  Result<Page> Range(const Keyspace&, const KeyRange&, const PageOptions&) override {
    return Unused();
  }

 private:
  static std::unexpected<Error> Unused() {
    return Fail(ErrorCode::unsupported, "not in this test");
  }
  CommitQueue& queue_;
  Version version_;
};

// Writes to a std::map and a journal. Apply can be held at a gate, and told to fail.
class FakeBackend final : public CommitBackend {
 public:
  Status Apply(std::span<const AcceptedCommit> group) override {
    std::unique_lock lock(mutex_);
    applying_ = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !held_; });
    applying_ = false;
    if (fails_ || groups_.size() >= most_groups_) {
      fails_ = true;
      return Fail(ErrorCode::io_error, "the disk is full");
    }
    for (const AcceptedCommit& accepted : group) {
      for (const auto& operation : accepted.commit->request.batch) {
        rows_[std::string(operation.key)] = operation.value;
      }
      journal_.push_back("apply " + std::to_string(accepted.version.number));
    }
    groups_.push_back(group.size());
    return {};
  }

  void Publish(Version version) override { Note("publish " + std::to_string(version.number)); }

  Result<std::optional<std::string>> GetNewest(const Keyspace&, ByteView key) override {
    std::lock_guard lock(mutex_);
    if (fails_) return Fail(ErrorCode::io_error, "the disk is gone");
    const auto found = rows_.find(std::string(key));
    return found == rows_.end() ? std::nullopt : std::optional(found->second);
  }

  void Note(std::string what) {
    std::lock_guard lock(mutex_);
    journal_.push_back(std::move(what));
  }

  // While it is held, Apply waits, and others queue up behind it.
  void Hold(bool held) {
    std::lock_guard lock(mutex_);
    held_ = held;
    changed_.notify_all();
  }
  void WaitUntilApplying() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return applying_; });
  }
  void Fails(bool fails) {
    std::lock_guard lock(mutex_);
    fails_ = fails;
  }
  void FailAfterGroups(std::size_t count) {
    std::lock_guard lock(mutex_);
    most_groups_ = count;
  }

  std::vector<std::string> journal() {
    std::lock_guard lock(mutex_);
    return journal_;
  }
  std::vector<std::size_t> groups() {
    std::lock_guard lock(mutex_);
    return groups_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool held_ = false;
  bool applying_ = false;
  bool fails_ = false;
  std::size_t most_groups_ = 1'000'000;
  std::map<std::string, std::string> rows_;
  std::vector<std::string> journal_;
  std::vector<std::size_t> groups_;
};

CommitRequest Put(ByteView key, ByteView value = "") {
  CommitRequest request;
  request.batch.Put(kRows, key, value);
  return request;
}

CommitRequest ReadAndPut(Snapshot& snapshot, ByteView key) {
  CommitRequest request = Put(key);
  request.snapshot = &snapshot;
  request.reads.Add(kRows, key);
  return request;
}

class CommitQueueTest : public testing::Test {
 protected:
  // Starts a commit in a thread of its own and, while an earlier one is held, waits until it stands
  // in line.
  void Start(CommitRequest request, Result<Version>* result) {
    StartThread([this, request = std::move(request), result]() mutable {
      *result = queue.Commit(std::move(request));
    });
  }

  void StartThread(std::move_only_function<void()> work) {
    threads_.emplace_back(std::move(work));
    if (threads_.size() == 1) return backend.WaitUntilApplying();
    while (queue.waiting() < threads_.size() - 1) std::this_thread::yield();
  }

  // A first commit that is being written, so that all that start now form the next group.
  void StartAndHoldFirst() {
    backend.Hold(true);
    Start(Put("first"), &first);
  }

  void FinishAll() {
    backend.Hold(false);
    threads_.clear();
  }

  FakeBackend backend;
  CommitQueue queue{backend, kStart};
  Result<Version> first = Version{};

 private:
  std::vector<std::jthread> threads_;
};

TEST_F(CommitQueueTest, GivesVersionsInOrder) {
  EXPECT_EQ(queue.published(), kStart);
  EXPECT_EQ(ASSERT_VALUE(queue.Commit(Put("a"))), Version{101});
  EXPECT_EQ(ASSERT_VALUE(queue.Commit(Put("b"))), Version{102});
  EXPECT_EQ(queue.published(), Version{102});
  EXPECT_EQ(queue.commits(), 2u);
  EXPECT_THAT(backend.journal(),
              ElementsAre("apply 101", "publish 101", "apply 102", "publish 102"));
}

TEST_F(CommitQueueTest, WritesAllThatWaitAsOneGroup) {
  StartAndHoldFirst();
  std::vector<Result<Version>> results(3, Version{});
  for (std::size_t position = 0; position < 3; ++position)
    Start(Put(std::to_string(position)), &results[position]);
  FinishAll();
  EXPECT_THAT(backend.groups(), ElementsAre(1, 3));
  EXPECT_EQ(queue.groups(), 2u);
  EXPECT_EQ(queue.commits(), 4u);
  for (std::size_t position = 0; position < 3; ++position) {
    EXPECT_EQ(ASSERT_VALUE(results[position]), Version{102 + position});
  }
  EXPECT_THAT(backend.journal(), ElementsAre("apply 101", "publish 101", "apply 102", "apply 103",
                                             "apply 104", "publish 104"));
}

TEST_F(CommitQueueTest, BoundsTheBytesOfAGroup) {
  StartAndHoldFirst();
  const std::string large(5 << 20, 'x');
  std::vector<Result<Version>> results(3, Version{});
  for (Result<Version>& result : results) Start(Put("large", large), &result);
  FinishAll();
  EXPECT_THAT(backend.groups(), ElementsAre(1, 1, 1, 1));
  for (const Result<Version>& result : results) EXPECT_OK(result);
}

TEST_F(CommitQueueTest, RunsCallbacksInOrderBetweenApplyAndPublish) {
  const auto noting = [&](ByteView key) {
    CommitRequest request = Put(key);
    request.after_commit = [&](Version version) {
      EXPECT_LT(queue.published(), version);
      backend.Note("callback " + std::to_string(version.number));
    };
    return request;
  };
  StartAndHoldFirst();
  std::vector<Result<Version>> results(2, Version{});
  for (Result<Version>& result : results) Start(noting("a"), &result);
  FinishAll();
  EXPECT_THAT(backend.journal(), ElementsAre("apply 101", "publish 101", "apply 102", "apply 103",
                                             "callback 102", "callback 103", "publish 103"));
}

TEST_F(CommitQueueTest, RunsNoCallbackOfACommitThatFailed) {
  FakeSnapshot snapshot(queue);
  ASSERT_OK(queue.Commit(Put("a")));
  CommitRequest late = ReadAndPut(snapshot, "a");
  late.after_commit = [](Version) { ADD_FAILURE() << "called after a conflict"; };
  EXPECT_ERROR(queue.Commit(std::move(late)), ErrorCode::conflict);
  backend.Fails(true);
  CommitRequest broken = Put("b");
  broken.after_commit = [](Version) { ADD_FAILURE() << "called after a failed write"; };
  EXPECT_ERROR(queue.Commit(std::move(broken)), ErrorCode::outcome_unknown);
}

// The tracker's log kept each callback, and what it had captured, for as long as it kept the commit
// itself: with a snapshot open, for thousands of commits after. The layer that a callback belongs
// to could be gone by then.
TEST_F(CommitQueueTest, DropsTheCallbackAndTheReadsWithTheCommit) {
  FakeSnapshot snapshot(queue);
  const auto captured = std::make_shared<int>(1);
  CommitRequest request = ReadAndPut(snapshot, "a");
  request.after_commit = [captured](Version) {};
  ASSERT_OK(queue.Commit(std::move(request)));
  EXPECT_EQ(captured.use_count(), 1);
}

TEST_F(CommitQueueTest, CallsAnEmptyCommitBackWithAVersionThatIsVisible) {
  ASSERT_OK(queue.Commit(Put("a")));
  std::optional<Version> called;
  CommitRequest request;
  request.after_commit = [&](Version version) { called = version; };
  EXPECT_EQ(ASSERT_VALUE(queue.Commit(std::move(request))), Version{101});
  EXPECT_EQ(called, Version{101});
  EXPECT_EQ(ASSERT_VALUE(queue.Commit({})), Version{101});
  EXPECT_EQ(queue.commits(), 1u);
}

TEST_F(CommitQueueTest, RefusesWhatReadWhatAnEarlierOneOfItsGroupWrites) {
  FakeSnapshot snapshot(queue);
  StartAndHoldFirst();
  Result<Version> one = Version{}, two = Version{}, other = Version{};
  Start(ReadAndPut(snapshot, "a"), &one);
  Start(ReadAndPut(snapshot, "a"), &two);
  Start(ReadAndPut(snapshot, "b"), &other);
  FinishAll();
  EXPECT_EQ(ASSERT_VALUE(one), Version{102});
  EXPECT_ERROR(two, ErrorCode::conflict);
  EXPECT_EQ(ASSERT_VALUE(other), Version{103});
  EXPECT_EQ(queue.conflicts(), 1u);
  EXPECT_THAT(backend.groups(), ElementsAre(1, 2));
}

TEST_F(CommitQueueTest, ComparesExpectationsWithEarlierCommitsThatStillWaited) {
  StartAndHoldFirst();
  Result<Version> put = Version{}, right = Version{}, wrong = Version{}, absent = Version{};
  const auto expecting = [](std::optional<std::string> value) {
    CommitRequest request = Put("config", "2");
    request.expected.push_back({&kRows, "config", std::move(value)});
    return request;
  };
  Start(Put("config", "1"), &put);
  Start(expecting("1"), &right);
  Start(expecting("1"), &wrong);  // by now it is 2
  Start(expecting(std::nullopt), &absent);
  FinishAll();
  EXPECT_OK(put);
  EXPECT_OK(right);
  ASSERT_ERROR(wrong, ErrorCode::conflict);
  EXPECT_THAT(wrong.error().message(),
              testing::AllOf(HasSubstr("\"rows\""), HasSubstr("\"config\""), HasSubstr("\"1\""),
                             HasSubstr("\"2\"")));
  EXPECT_ERROR(absent, ErrorCode::conflict);
  EXPECT_EQ(queue.conflicts(), 2u);
}

TEST_F(CommitQueueTest, DoesNotKnowTheOutcomeOfAGroupWhoseWriteFailed) {
  FakeSnapshot snapshot(queue);
  StartAndHoldFirst();
  Result<Version> blind = Version{}, conflicting = Version{}, reading = Version{};
  Start(Put("b"), &blind);
  Start(ReadAndPut(snapshot, "first"), &conflicting);
  Start(ReadAndPut(snapshot, "c"), &reading);
  backend.FailAfterGroups(1);
  FinishAll();
  EXPECT_OK(first);
  ASSERT_ERROR(blind, ErrorCode::outcome_unknown);
  EXPECT_THAT(blind.error().message(), HasSubstr("the disk is full"));
  EXPECT_ERROR(reading, ErrorCode::outcome_unknown);
  EXPECT_ERROR(conflicting, ErrorCode::conflict);  // it was not in the write, and knows its outcome
  EXPECT_EQ(queue.published(), Version{101});
  EXPECT_EQ(queue.commits(), 1u);
}

TEST_F(CommitQueueTest, IsClosedAfterAWriteThatFailed) {
  backend.FailAfterGroups(0);
  StartAndHoldFirst();
  Result<Version> waiting = Version{};
  Start(Put("a"), &waiting);
  FinishAll();
  EXPECT_ERROR(first, ErrorCode::outcome_unknown);
  EXPECT_ERROR(waiting, ErrorCode::closed);

  backend.FailAfterGroups(1'000'000);
  backend.Fails(false);  // it stays closed: nobody knows what the failed write has left behind
  const Result<Version> later = queue.Commit(Put("b"));
  ASSERT_ERROR(later, ErrorCode::closed);
  EXPECT_THAT(later.error().message(), HasSubstr("the disk is full"));
  EXPECT_ERROR(queue.RunAlone({}, [](Version) { return Status(); }), ErrorCode::closed);
  EXPECT_THAT(backend.journal(), testing::IsEmpty());
  EXPECT_EQ(queue.published(), kStart);
}

TEST_F(CommitQueueTest, FailsACommitWhoseExpectationCannotBeRead) {
  CommitRequest request = Put("a");
  request.expected.push_back({&kRows, "config", std::nullopt});
  backend.Fails(true);
  EXPECT_ERROR(queue.Commit(std::move(request)), ErrorCode::io_error);
  backend.Fails(false);
  EXPECT_EQ(ASSERT_VALUE(queue.Commit(Put("a"))), Version{101});
}

TEST_F(CommitQueueTest, RunsAloneWhatAsksForIt) {
  StartAndHoldFirst();
  Result<Version> before = Version{}, alone = Version{}, after = Version{};
  Start(Put("before"), &before);
  StartThread([&] {
    alone = queue.RunAlone({kRows.id}, [&](Version version) -> Status {
      backend.Note("alone " + std::to_string(version.number));
      return {};
    });
  });
  Start(Put("after"), &after);
  FinishAll();
  EXPECT_EQ(ASSERT_VALUE(alone), Version{103});
  EXPECT_THAT(backend.journal(),
              ElementsAre("apply 101", "publish 101", "apply 102", "publish 102", "alone 103",
                          "publish 103", "apply 104", "publish 104"));
  EXPECT_EQ(queue.commits(), 4u);
}

TEST_F(CommitQueueTest, RefusesWhatReadAKeyspaceBeforeItWasWrittenAlone) {
  FakeSnapshot snapshot(queue);
  ASSERT_OK(queue.RunAlone({kRows.id}, [](Version) { return Status(); }));
  EXPECT_ERROR(queue.Commit(ReadAndPut(snapshot, "a")), ErrorCode::conflict);
  FakeSnapshot newer(queue);
  EXPECT_OK(queue.Commit(ReadAndPut(newer, "a")));
}

// Work that failed had marked its keyspaces as written at a version that then never came: whoever
// read them conflicted, however often it tried, until some blind write happened to move the version
// on. One refused ingest, and a lone writer never got through again.
TEST_F(CommitQueueTest, GoesOnAfterWorkRunAloneThatFailed) {
  FakeSnapshot before(queue);
  const Result<Version> failed = queue.RunAlone({kRows.id}, [](Version) -> Status {
    return Fail(ErrorCode::invalid_argument, "not sorted");
  });
  ASSERT_ERROR(failed, ErrorCode::invalid_argument);
  EXPECT_EQ(failed.error().message(), "not sorted");
  EXPECT_EQ(queue.published(), kStart);
  EXPECT_EQ(queue.commits(), 0u);
  EXPECT_EQ(ASSERT_VALUE(queue.Commit(ReadAndPut(before, "a"))), Version{101});
  EXPECT_THAT(backend.journal(), ElementsAre("apply 101", "publish 101"));
}

// Each thread reads a key at its snapshot and writes it; the versions that got through must be the
// only writes to that key between snapshot and commit.
// An ingest whose manifest could not be written may be found by the next opening: with the queue
// left open, a commit would get the same version, and readers of those keyspaces would not conflict
// with the rows.
TEST_F(CommitQueueTest, IsClosedAfterWorkRunAloneOfUnknownOutcome) {
  EXPECT_ERROR(queue.RunAlone({kRows.id},
                              [](Version) -> Status {
                                return Fail(ErrorCode::outcome_unknown, "the manifest");
                              }),
               ErrorCode::outcome_unknown);
  EXPECT_ERROR(queue.RunAlone({}, [](Version) { return Status(); }), ErrorCode::closed);
}

TEST_F(CommitQueueTest, LetsManyThreadsThroughOneAtATimeForEachKey) {
  constexpr int threads = 4;
  constexpr int commits = 400;
  struct Done {
    std::uint64_t key, snapshot, version;
  };
  std::mutex mutex;
  std::vector<Done> all;
  std::vector<std::uint64_t> called;  // by the leader alone, one at a time
  {
    std::vector<std::jthread> workers;
    for (int thread = 0; thread < threads; ++thread) {
      workers.emplace_back([&, thread] {
        Random random(TestSeed() + static_cast<std::uint64_t>(thread));
        for (int commit = 0; commit < commits; ++commit) {
          const std::uint64_t key = random.Below(8);
          const bool blind = random.Chance(0.2);
          FakeSnapshot snapshot(queue);
          CommitRequest request =
              blind ? Put(std::to_string(key)) : ReadAndPut(snapshot, std::to_string(key));
          request.after_commit = [&](Version version) { called.push_back(version.number); };
          const Result<Version> version = queue.Commit(std::move(request));
          if (!version) {
            EXPECT_EQ(version.error().code(), ErrorCode::conflict);
            continue;
          }
          std::lock_guard lock(mutex);
          all.push_back(
              {key, blind ? version->number - 1 : snapshot.version().number, version->number});
        }
      });
    }
  }
  EXPECT_EQ(queue.commits(), all.size());
  EXPECT_EQ(queue.published().number, kStart.number + all.size());
  EXPECT_TRUE(std::ranges::is_sorted(called));
  EXPECT_EQ(called.size(), all.size());
  std::map<std::uint64_t, std::uint64_t> last;  // write to each key
  std::ranges::sort(all, {}, &Done::version);
  for (const Done& done : all) {
    EXPECT_GE(done.snapshot, last[done.key]) << "a write to key " << done.key << " was overlooked";
    last[done.key] = done.version;
  }
  EXPECT_THAT(backend.groups(), testing::Each(testing::Le(static_cast<std::size_t>(threads))));
}

}  // namespace
}  // namespace talea
