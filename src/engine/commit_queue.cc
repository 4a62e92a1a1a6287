#include "engine/commit_queue.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>

#include "base/check.h"

namespace talea {
namespace {

// A group takes no more once it has this much to write, so that its first members do not wait for
// ever.
constexpr std::size_t kMostGroupBytes = 8 << 20;

constexpr int kSpins = 200;
constexpr auto kYieldsFor = std::chrono::microseconds(50);

void Relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

Error ClosedBy(const Error& failure) {
  return {ErrorCode::closed,
          fmt::format("the engine takes no commits since a write failed; open it again "
                      "({}: {})",
                      Name(failure.code()), failure.message())};
}

}  // namespace

struct CommitQueue::Member {
  std::shared_ptr<PreparedCommit> commit;               // or else:
  std::move_only_function<Status(Version)> alone = {};  // work to be run alone
  std::vector<std::uint8_t> written_keyspaces = {};
  Result<Version> result = Version{};
  std::atomic<Role> role = Role::waiting;

  std::size_t bytes() const { return commit ? commit->request.batch.bytes() : kMostGroupBytes; }
};

CommitQueue::CommitQueue(CommitBackend& backend, Version start)
    : backend_(backend), tracker_(start), last_(start), published_(start.number) {}

Result<Version> CommitQueue::Commit(CommitRequest request) {
  if (request.batch.empty() && !request.after_commit) return published();
  const bool track = tracker_.ShouldTrack(request);
  Member member{.commit = std::make_shared<PreparedCommit>(std::move(request), track)};
  Enqueue(member);
  return std::move(member.result);
}

std::size_t CommitQueue::waiting() {
  std::lock_guard lock(mutex_);
  return waiting_.size();
}

Result<Version> CommitQueue::RunAlone(std::vector<std::uint8_t> written_keyspaces,
                                      std::move_only_function<Status(Version)> work) {
  Member member{.commit = nullptr,
                .alone = std::move(work),
                .written_keyspaces = std::move(written_keyspaces)};
  Enqueue(member);
  return std::move(member.result);
}

void CommitQueue::Enqueue(Member& member) {
  {
    std::lock_guard lock(mutex_);
    waiting_.push_back(&member);
    if (!led_) {
      led_ = true;
      member.role = Role::leads;
    }
  }
  Await(member);
  if (member.role == Role::leads) Lead();
}

// An unsynced group takes a few microseconds: to sleep and be woken would take longer than to wait
// for it awake. A synced one takes milliseconds, of which this wastes little.
void CommitQueue::Await(const Member& member) {
  for (int spins = 0; spins < kSpins; ++spins) {
    if (member.role.load(std::memory_order_acquire) != Role::waiting) return;
    Relax();
  }
  const auto deadline = std::chrono::steady_clock::now() + kYieldsFor;
  while (std::chrono::steady_clock::now() < deadline) {
    if (member.role.load(std::memory_order_acquire) != Role::waiting) return;
    std::this_thread::yield();
  }
  member.role.wait(Role::waiting);
}

void CommitQueue::Lead() {
  const std::vector<Member*> group = TakeGroup();
  Process(group);
  Member* next = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (waiting_.empty()) {
      led_ = false;
    } else {
      next = waiting_.front();
    }
  }
  if (next != nullptr) {
    next->role = Role::leads;
    next->role.notify_one();
  }
  Finish(group);
}

std::vector<CommitQueue::Member*> CommitQueue::TakeGroup() {
  std::lock_guard lock(mutex_);
  std::vector<Member*> group;
  std::size_t bytes = 0;
  while (!waiting_.empty()) {
    Member* member = waiting_.front();
    const bool alone = !member->commit || !member->commit->request.expected.empty();
    if (!group.empty() && (alone || bytes + member->bytes() > kMostGroupBytes)) break;
    waiting_.pop_front();
    group.push_back(member);
    bytes += member->bytes();
    // An expectation is compared with stored values, so nothing unwritten may stand before it; and
    // what is run alone is alone.
    if (!member->commit) break;
  }
  return group;
}

void CommitQueue::Process(std::span<Member* const> group) {
  groups_.fetch_add(1, std::memory_order_relaxed);
  if (failure_) {
    for (Member* member : group) member->result = std::unexpected(ClosedBy(*failure_));
    return;
  }
  if (!group.front()->commit) return RunMemberAlone(*group.front());

  std::vector<AcceptedCommit> accepted;
  accepted.reserve(group.size());
  for (Member* member : group) Decide(*member, accepted);
  if (watched_.load(std::memory_order_relaxed)) Tell(accepted);
  if (Status applied = accepted.empty() ? Status() : backend_.Apply(accepted); !applied) {
    failure_ = applied.error();
    for (Member* member : group) {
      member->commit->KeepWritesOnly();
      if (!member->result) continue;
      member->result = Fail(ErrorCode::outcome_unknown,
                            fmt::format("the write failed half-way: {}", failure_->message()));
    }
    return;
  }
  for (Member* member : group) {
    if (member->result && member->commit->request.after_commit) {
      member->commit->request.after_commit(*member->result);
    }
    member->commit->KeepWritesOnly();
  }
  if (accepted.empty()) return;
  commits_.fetch_add(accepted.size(), std::memory_order_relaxed);
  backend_.Publish(last_);
  published_.store(last_.number);
}

void CommitQueue::Decide(Member& member, std::vector<AcceptedCommit>& accepted) {
  const CommitRequest& request = member.commit->request;
  if (request.batch.empty()) {
    member.result = last_;
    return;
  }
  const Version snapshot = request.snapshot ? request.snapshot->version() : Version{};
  if (tracker_.Conflicts(*member.commit, snapshot)) {
    conflicts_.fetch_add(1, std::memory_order_relaxed);
    member.result =
        Fail(ErrorCode::conflict, "something that this transaction had read was written since");
    return;
  }
  if (Status held = CheckExpected(request); !held) {
    member.result = std::unexpected(std::move(held).error());
    return;
  }
  last_ = Version{last_.number + 1};
  tracker_.Mark(member.commit, last_, published());
  accepted.push_back({member.commit.get(), last_});
  member.result = last_;
}

Status CommitQueue::CheckExpected(const CommitRequest& request) {
  for (const Expectation& expected : request.expected) {
    const std::optional<std::string> found =
        TALEA_TRY(backend_.GetNewest(*expected.keyspace, expected.key));
    if (found == expected.value) continue;
    conflicts_.fetch_add(1, std::memory_order_relaxed);
    return Fail(
        ErrorCode::conflict,
        fmt::format("keyspace {}, key {}: expected {}, found {}", Quoted(expected.keyspace->name),
                    Quoted(expected.key), expected.value ? Quoted(*expected.value) : "nothing",
                    found ? Quoted(*found) : "nothing"));
  }
  return {};
}

void CommitQueue::RunMemberAlone(Member& member) {
  const Version version{last_.number + 1};
  if (watched_.load(std::memory_order_relaxed)) TellOfIngest(member, version);
  if (Status worked = member.alone(version); !worked) {
    if (worked.error().code() == ErrorCode::outcome_unknown) failure_ = worked.error();
    member.result = std::unexpected(std::move(worked).error());
    return;
  }
  last_ = version;
  tracker_.MarkAll(member.written_keyspaces, version);  // no other commit asks before this is over
  commits_.fetch_add(1, std::memory_order_relaxed);
  backend_.Publish(last_);
  published_.store(last_.number);
  member.result = last_;
}

void CommitQueue::Watch(std::uint8_t keyspace, std::weak_ptr<KeyspaceWatcher> watcher) {
  {
    std::lock_guard lock(watches_mutex_);
    std::erase_if(watches_, [](const WatchedKeyspace& watch) { return watch.watcher.expired(); });
    watches_.push_back({keyspace, std::move(watcher)});
    watched_ = true;
  }
  // A group that is under way may have missed it. Behind it in the queue, that one is over.
  (void)Commit({.after_commit = [](Version) {}});
}

void CommitQueue::Tell(std::span<const AcceptedCommit> accepted) {
  std::lock_guard lock(watches_mutex_);
  for (const auto& [keyspace, watched_by] : watches_) {
    const std::shared_ptr<KeyspaceWatcher> watcher = watched_by.lock();
    if (!watcher) continue;
    for (const AcceptedCommit& each : accepted) {
      const auto erased = [&](const WriteBatch::Operation& range) {
        return range.keyspace == keyspace;
      };
      const std::span<const WriteBatch::Operation> writes =
          PointsWithin(each.commit->points, keyspace, KeyRange::All());
      if (std::ranges::any_of(each.commit->erased_ranges, erased)) {
        watcher->Rewritten(each.version);
      } else if (!writes.empty()) {
        watcher->Written(each.version, writes);
      }
    }
  }
}

void CommitQueue::TellOfIngest(const Member& member, Version version) {
  std::lock_guard lock(watches_mutex_);
  for (const auto& [keyspace, watched_by] : watches_) {
    const std::shared_ptr<KeyspaceWatcher> watcher = watched_by.lock();
    if (watcher && std::ranges::count(member.written_keyspaces, keyspace) > 0) {
      watcher->Rewritten(version);
    }
  }
}

void CommitQueue::Finish(std::span<Member* const> group) {
  // Once it is done, a member belongs to its own thread and may be gone: the notification must not
  // touch it after that thread saw the new role, which holds as the address alone is used to wake
  // it.
  for (Member* member : group) {
    member->role = Role::done;
    member->role.notify_one();
  }
}

}  // namespace talea
