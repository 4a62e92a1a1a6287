// The one queue that every commit of an engine goes through.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/conflict_tracker.h"
#include "engine/prepared_commit.h"
#include "talea/engine.h"

namespace talea {

// A commit that passed its checks, and the version it will make.
struct AcceptedCommit {
  const PreparedCommit* commit;
  Version version;
};

// What a storage does for the queue. All calls come from one thread at a time.
class CommitBackend {
 public:
  virtual ~CommitBackend() = default;

  // Writes the commits in the order of their versions, all or none, and syncs once if any asks for
  // it. New snapshots must not see them before Publish. After a failure the queue takes no more
  // commits.
  virtual Status Apply(std::span<const AcceptedCommit> group) = 0;

  // Lets new snapshots see everything up to this version.
  virtual void Publish(Version version) = 0;

  // The newest value, applied or not yet published.
  virtual Result<std::optional<std::string>> GetNewest(const Keyspace& keyspace, ByteView key) = 0;
};

// Commits queue up; the first in line leads: it takes all that wait, checks each against those
// before it, has the group written and synced once, runs the callbacks in order, publishes the
// version and hands the lead to the next in line. So one sync serves many, and conflicts are
// decided without any lock on data.
class CommitQueue {
 public:
  CommitQueue(CommitBackend& backend, Version start);

  // Every commit, blind ones too. The caller has checked limits and keyspaces.
  Result<Version> Commit(CommitRequest request);

  // Runs `work` alone, with a version of its own, which is published if it succeeds, and notes that
  // any key of these keyspaces was written. A failed one leaves the queue open, unless its outcome
  // is unknown: then, as after a failed Apply, no more commits are taken.
  Result<Version> RunAlone(std::vector<std::uint8_t> written_keyspaces,
                           std::move_only_function<Status(Version)> work);

  // See Engine::Watch.
  void Watch(std::uint8_t keyspace, std::weak_ptr<KeyspaceWatcher> watcher);

  ConflictTracker& tracker() { return tracker_; }
  std::size_t waiting();  // commits that the next group may take
  Version published() const { return Version{published_.load()}; }
  std::uint64_t commits() const { return commits_.load(); }
  std::uint64_t conflicts() const { return conflicts_.load(); }
  std::uint64_t groups() const { return groups_.load(); }

 private:
  struct Member;
  enum class Role : int { waiting, leads, done };

  void Enqueue(Member& member);
  static void Await(const Member& member);
  void Lead();
  std::vector<Member*> TakeGroup();
  void Process(std::span<Member* const> group);
  void Decide(Member& member, std::vector<AcceptedCommit>& accepted);
  Status CheckExpected(const CommitRequest& request);
  void Finish(std::span<Member* const> group);
  void RunMemberAlone(Member& member);
  void Tell(std::span<const AcceptedCommit> accepted);
  void TellOfIngest(const Member& member, Version version);

  CommitBackend& backend_;
  ConflictTracker tracker_;
  Version last_;                  // the newest version given out; of the leader
  std::optional<Error> failure_;  // of the leader: why no more commits are taken
  std::atomic<std::uint64_t> published_;
  std::atomic<std::uint64_t> commits_ = 0;
  std::atomic<std::uint64_t> conflicts_ = 0;
  std::atomic<std::uint64_t> groups_ = 0;

  struct WatchedKeyspace {
    std::uint8_t keyspace;
    std::weak_ptr<KeyspaceWatcher> watcher;
  };
  std::atomic<bool> watched_ = false;
  std::mutex watches_mutex_;
  std::vector<WatchedKeyspace> watches_;

  std::mutex mutex_;
  std::deque<Member*> waiting_;
  bool led_ = false;
};

}  // namespace talea
