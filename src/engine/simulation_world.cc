#include "engine/simulation_world.h"

#include <algorithm>

#include "engine/memory_engine_internal.h"

namespace talea {
namespace {

// An operating system writes back what nobody synced, in the end.
constexpr std::size_t kMostUnsynced = 1000;

// Gives a run's rows, and keeps them as Puts.
class RecordedRun final : public SortedRun {
 public:
  RecordedRun(const IngestRequest::Run& run, WriteBatch& record) : run_(run), record_(record) {}
  Result<std::optional<Row>> Next() override {
    const std::optional<Row> row = TALEA_TRY(run_.rows->Next());
    if (row) record_.Put(*run_.keyspace, row->key, row->value);
    return row;
  }

 private:
  const IngestRequest::Run run_;
  WriteBatch& record_;
};

}  // namespace

Simulation::World::World(KeyspaceSet keyspaces, SimulationProfile simulated, std::uint64_t seed)
    : profile(std::move(simulated)),
      keyspaces_(std::make_shared<const KeyspaceSet>(std::move(keyspaces))),
      synced_(*keyspaces_),
      random_(seed),
      live_(MakeMemoryEngine(keyspaces_, synced_)) {}

Simulation::World::Live Simulation::World::live() const {
  std::lock_guard lock(mutex_);
  return live_;
}

bool Simulation::World::Chance(double probability) {
  std::lock_guard lock(mutex_);
  return random_.Chance(probability) && inject_faults;
}

std::uint64_t Simulation::World::Below(std::uint64_t bound) {
  std::lock_guard lock(mutex_);
  return random_.Below(bound);
}

void Simulation::World::Reseed(std::uint64_t seed) {
  std::lock_guard lock(mutex_);
  random_ = Random(seed);
}

std::size_t Simulation::World::unsynced_commits() const {
  std::lock_guard lock(commit_mutex_);
  return unsynced_.size();
}

std::size_t Simulation::World::processes() const {
  std::lock_guard lock(mutex_);
  return static_cast<std::size_t>(
      std::ranges::count_if(lives_, [](const auto& life) { return !life->dead; }));
}

Result<std::shared_ptr<Simulation::World::Life>> Simulation::World::Begin() {
  if (!profile.limits.shared && processes() > 0) {
    return Fail(ErrorCode::unavailable,
                "simulated database: expected no process to have it open, found one");
  }
  std::lock_guard lock(mutex_);
  std::erase_if(lives_, [](const auto& life) { return life->dead != nullptr; });
  return lives_.emplace_back(std::make_shared<Life>());
}

void Simulation::World::KillAll(const char* reason) {
  std::lock_guard lock(mutex_);
  for (const std::shared_ptr<Life>& life : lives_) {
    const char* alive = nullptr;
    life->dead.compare_exchange_strong(alive, reason);
  }
}

void Simulation::World::Crash() { KillAll("the simulated process has crashed"); }

void Simulation::World::PowerCut() {
  std::lock_guard lock(commit_mutex_);
  const std::size_t kept = Below(unsynced_.size() + 1);
  for (std::size_t commit = 0; commit < kept; ++commit) SyncOldest();
  unsynced_.clear();
  later_.clear();
  ++power_cuts;
  KillAll("the simulated machine lost its power");
  std::lock_guard live_lock(mutex_);
  live_ = MakeMemoryEngine(keyspaces_, synced_);
}

void Simulation::World::RoundTrip() {
  ++round_trips;
  clock.Advance(profile.round_trip);
  // Not worth waiting for, and not to be waited for: a commit may be in its callbacks.
  std::unique_lock lock(commit_mutex_, std::try_to_lock);
  if (lock && !later_.empty() && Chance(0.25)) TryOneOfLater();
}

Result<Version> Simulation::World::Commit(Attempt attempt) {
  std::lock_guard lock(commit_mutex_);
  return CommitInOrder(std::move(attempt));
}

Result<Version> Simulation::World::CommitInOrder(Attempt attempt) {
  if (attempt.live != live())
    return Fail(ErrorCode::closed, "the simulated machine lost its power");
  const bool synced = attempt.request.durability == Durability::synced || profile.always_synced;
  WriteBatch batch = attempt.request.batch;
  attempt.request.snapshot = attempt.snapshot.get();
  const Version version = TALEA_TRY(attempt.live->Commit(std::move(attempt.request)));
  if (!batch.empty()) Log(std::move(batch), version, synced);
  return version;
}

void Simulation::World::CommitLater(Attempt attempt) {
  std::lock_guard lock(commit_mutex_);
  later_.push_back(std::move(attempt));
}

void Simulation::World::TryOneOfLater() {
  const std::size_t chosen = Below(later_.size());
  Attempt attempt = std::move(later_[chosen]);
  later_.erase(later_.begin() + static_cast<std::ptrdiff_t>(chosen));
  (void)CommitInOrder(std::move(attempt));  // nobody waits for its outcome
}

void Simulation::World::Settle() {
  std::lock_guard lock(commit_mutex_);
  while (!later_.empty()) {
    if (Below(2) == 0) {
      TryOneOfLater();
    } else {
      later_.pop_back();
    }
  }
}

Result<Version> Simulation::World::Ingest(const Live& used, IngestRequest request) {
  std::lock_guard lock(commit_mutex_);
  if (used != live()) return Fail(ErrorCode::closed, "the simulated machine lost its power");
  WriteBatch written;
  std::deque<RecordedRun> recorded;
  for (IngestRequest::Run& run : request.runs) run.rows = &recorded.emplace_back(run, written);
  const WriteBatch last = request.batch;
  const Version version = TALEA_TRY(used->Ingest(std::move(request)));
  written.Append(last);
  Log(std::move(written), version, true);
  return version;
}

void Simulation::World::Log(WriteBatch batch, Version version, bool synced) {
  unsynced_.push_back({std::move(batch), version});
  while (!unsynced_.empty() && (synced || unsynced_.size() > kMostUnsynced)) SyncOldest();
}

void Simulation::World::SyncOldest() {
  for (const WriteBatch::Operation& operation : unsynced_.front().batch) synced_.Apply(operation);
  synced_.version = unsynced_.front().version;
  unsynced_.pop_front();
}

}  // namespace talea
