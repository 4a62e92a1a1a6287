#include "talea/testing/simulation.h"

#include <fmt/format.h>

#include "engine/call_gate.h"
#include "engine/checks.h"
#include "engine/simulation_world.h"

namespace talea {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

std::unexpected<Error> Injected(ErrorCode code) {
  return Fail(code, fmt::format("simulated: {}", Name(code)));
}

}  // namespace

// An engine as one process has it open.
class Simulation::Process final : public Engine {
 public:
  Process(std::shared_ptr<World> world, std::shared_ptr<World::Life> life)
      : world_(std::move(world)), life_(std::move(life)), live_(world_->live()) {}
  ~Process() override { Die("the engine was closed"); }

  const KeyspaceSet& keyspaces() const override { return world_->keyspaces(); }
  const Limits& limits() const override { return world_->profile.limits; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override;
  Result<Version> Commit(CommitRequest request) override;
  Result<Version> Ingest(IngestRequest request) override;
  Status Checkpoint(const std::filesystem::path& folder) override;
  bool Watch(const Keyspace& keyspace, std::weak_ptr<KeyspaceWatcher> watcher) override {
    return !limits().shared && live_->Watch(keyspace, std::move(watcher));
  }
  Result<Statistics> GetStatistics() override;
  Status Shutdown(milliseconds bound) override;

 private:
  friend class ProcessSnapshot;
  enum class Side { before, after };

  Status CheckAlive() const;
  void Die(const char* reason);
  Status InjectIntoCommit(const CommitRequest& request, const ProcessSnapshot* snapshot);
  Result<Version> CommitUnknown(World::Attempt attempt);
  template <class Disaster>
  Result<Version> CommitInto(World::Attempt attempt, Disaster disaster);

  const std::shared_ptr<World> world_;
  const std::shared_ptr<World::Life> life_;
  const World::Live live_;
  CallGate gate_;
};

class Simulation::ProcessSnapshot final : public Snapshot {
 public:
  ProcessSnapshot(Process& process, std::shared_ptr<Snapshot> snapshot)
      : process_(process), opened_(process.world_->clock.Now()), snapshot_(std::move(snapshot)) {}

  Version version() const override { return snapshot_->version(); }
  bool BelongsTo(const Process& process) const { return &process == &process_; }
  const std::shared_ptr<Snapshot>& inner() const { return snapshot_; }

  bool TooOld() const {
    const auto limit = process_.limits().transaction_age;
    return limit && process_.world_->clock.Now() - opened_ > *limit;
  }

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
    TALEA_TRY(BeginRead());
    TALEA_TRY(CheckRead(process_.keyspaces(), process_.limits(), keyspace, key));
    return snapshot_->Get(keyspace, key);
  }

  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    TALEA_TRY(BeginRead());
    for (const KeyReference& key : keys) {
      TALEA_TRY(CheckRead(process_.keyspaces(), process_.limits(), *key.keyspace, key.key));
    }
    return snapshot_->MultiGet(keys);
  }

  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override;

 private:
  Status BeginRead() {
    const CallGate::Pass pass = TALEA_TRY(process_.gate_.Enter());
    TALEA_TRY(process_.CheckAlive());
    World& world = *process_.world_;
    const SimulationFaults& faults = world.profile.faults;
    world.RoundTrip();
    if (TooOld() || world.Chance(faults.snapshot_expired))
      return Injected(ErrorCode::snapshot_expired);
    if (world.Chance(faults.timed_out)) return Injected(ErrorCode::timed_out);
    if (world.Chance(faults.unavailable)) return Injected(ErrorCode::unavailable);
    return {};
  }

  Process& process_;
  const Timestamp opened_;
  const std::shared_ptr<Snapshot> snapshot_;  // kept by attempts that may still happen
};

Result<Page> Simulation::ProcessSnapshot::Range(const Keyspace& keyspace, const KeyRange& range,
                                                const PageOptions& options) {
  TALEA_TRY(BeginRead());
  World& world = *process_.world_;
  PageOptions shorter = options;
  const bool cut = world.Chance(world.profile.faults.short_page);
  if (cut && options.row_limit > 0) shorter.row_limit = 1 + world.Below(options.row_limit);
  Page page = TALEA_TRY(snapshot_->Range(keyspace, range, shorter));
  if (!cut) return page;
  if (!page.empty() && !page.more()) page.SetRestAfterLastRow(range, options.reverse);
  if (world.Below(4) > 0) return page;
  Page none;
  none.SetVersion(page.version());
  if (!page.empty()) none.SetRest(range);
  return none;
}

Status Simulation::Process::CheckAlive() const {
  const char* dead = life_->dead;
  if (dead == nullptr) return {};
  return Fail(ErrorCode::closed, dead);
}

void Simulation::Process::Die(const char* reason) {
  const char* alive = nullptr;
  life_->dead.compare_exchange_strong(alive, reason);
}

Result<std::unique_ptr<Snapshot>> Simulation::Process::OpenSnapshot() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckAlive());
  world_->RoundTrip();
  if (world_->Chance(world_->profile.faults.unavailable)) return Injected(ErrorCode::unavailable);
  // The live engine goes with its last snapshot.
  std::shared_ptr<Snapshot> snapshot(TALEA_TRY(live_->OpenSnapshot()).release(),
                                     [live = live_](Snapshot* closed) { delete closed; });
  return std::make_unique<ProcessSnapshot>(*this, std::move(snapshot));
}

Status Simulation::Process::InjectIntoCommit(const CommitRequest& request,
                                             const ProcessSnapshot* snapshot) {
  const SimulationFaults& faults = world_->profile.faults;
  const bool expired = world_->Chance(faults.snapshot_expired);
  const bool conflict = world_->Chance(faults.conflict);
  if (world_->Chance(faults.unavailable)) return Injected(ErrorCode::unavailable);
  if (request.reads.empty()) return {};
  if (expired || snapshot->TooOld()) return Injected(ErrorCode::snapshot_expired);
  if (conflict) return Injected(ErrorCode::conflict);
  return {};
}

Result<Version> Simulation::Process::Commit(CommitRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckAlive());
  TALEA_TRY(CheckCommit(keyspaces(), limits(), request));
  const ProcessSnapshot* snapshot = TALEA_TRY(OwnSnapshot<ProcessSnapshot>(request, *this));
  const bool writes = !request.batch.empty();
  if (!writes && !request.after_commit) return live_->Commit({});
  if (writes) {
    world_->RoundTrip();
    TALEA_TRY(InjectIntoCommit(request, snapshot));
  }
  World::Attempt attempt{live_, snapshot ? snapshot->inner() : nullptr, std::move(request)};
  if (!writes) return world_->Commit(std::move(attempt));

  const SimulationFaults& faults = world_->profile.faults;
  const bool power_cut = world_->Chance(faults.power_cut);
  if (world_->Chance(faults.crash)) {
    return CommitInto(std::move(attempt), [&] {
      Die("the simulated process has crashed");
      return Injected(ErrorCode::outcome_unknown);
    });
  }
  if (power_cut) {
    return CommitInto(std::move(attempt), [&] {
      world_->PowerCut();
      return Injected(ErrorCode::outcome_unknown);
    });
  }
  return CommitUnknown(std::move(attempt));
}

// The disaster strikes before the commit or after it; the caller does not live to see which.
template <class Disaster>
Result<Version> Simulation::Process::CommitInto(World::Attempt attempt, Disaster disaster) {
  attempt.request.after_commit = {};
  if (world_->Below(2) == 0) return disaster();
  (void)world_->Commit(std::move(attempt));
  return disaster();
}

Result<Version> Simulation::Process::CommitUnknown(World::Attempt attempt) {
  const SimulationFaults& faults = world_->profile.faults;
  const bool lost = world_->Chance(faults.unknown_lost);
  const bool later = world_->Chance(faults.unknown_later);
  const bool applied = world_->Chance(faults.unknown_applied);
  if (!lost && !later && !applied) return world_->Commit(std::move(attempt));

  attempt.request.after_commit = {};
  if (later) {
    world_->CommitLater(std::move(attempt));
  } else if (applied) {
    TALEA_TRY(world_->Commit(std::move(attempt)));
  }
  if (world_->profile.closes_on_unknown)
    Die("the engine takes no commits since a write failed; open it again");
  return Injected(ErrorCode::outcome_unknown);
}

Result<Version> Simulation::Process::Ingest(IngestRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckAlive());
  if (!world_->profile.files)
    return Fail(ErrorCode::unsupported, "ingest: this engine has no files to take in");
  return world_->Ingest(live_, std::move(request));
}

Status Simulation::Process::Checkpoint(const std::filesystem::path& folder) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckAlive());
  if (!world_->profile.files)
    return Fail(ErrorCode::unsupported, "checkpoint: this engine has no files of its own");
  return live_->Checkpoint(folder);
}

Result<Statistics> Simulation::Process::GetStatistics() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckAlive());
  return live_->GetStatistics();
}

Status Simulation::Process::Shutdown(milliseconds bound) {
  TALEA_TRY(gate_.Close(bound));
  Die("the engine was shut down");
  return {};
}

SimulationProfile SimulationProfile::RocksDb() {
  SimulationProfile profile;
  profile.name = "rocksdb";
  profile.faults = {.conflict = 0.05,
                    .unknown_applied = 0.01,
                    .unknown_lost = 0.01,
                    .short_page = 0.1,
                    .crash = 0.02,
                    .power_cut = 0.01};
  profile.closes_on_unknown = true;
  return profile;
}

SimulationProfile SimulationProfile::FoundationDb() {
  SimulationProfile profile;
  profile.name = "fdb";
  profile.limits = {.key_bytes = 10'000,
                    .value_bytes = 100'000,
                    .transaction_bytes = 10'000'000,
                    .transaction_age = seconds(5),
                    .outlives_unknown_outcomes = true,
                    .shared = true,
                    .write = {.key_factor = 3, .value_factor = 1, .fixed = 69},
                    .clear = {.key_factor = 4, .value_factor = 0, .fixed = 70},
                    .read = {.key_factor = 2, .value_factor = 0, .fixed = 25}};
  profile.faults = {.conflict = 0.05,
                    .snapshot_expired = 0.02,
                    .timed_out = 0.01,
                    .unavailable = 0.01,
                    .unknown_applied = 0.02,
                    .unknown_lost = 0.01,
                    .unknown_later = 0.01,
                    .short_page = 0.1,
                    .crash = 0.01,
                    .power_cut = 0.005};
  profile.round_trip = milliseconds(1);
  profile.always_synced = true;
  profile.files = false;
  return profile;
}

SimulationProfile SimulationProfile::WithoutFaults() const {
  SimulationProfile profile = *this;
  profile.faults = {};
  return profile;
}

Simulation::Simulation(std::shared_ptr<World> world) : world_(std::move(world)) {}
Simulation::Simulation(Simulation&&) noexcept = default;
Simulation::~Simulation() = default;

Result<Simulation> Simulation::Make(std::vector<Keyspace> keyspaces, SimulationProfile profile,
                                    std::uint64_t seed) {
  return Simulation(
      std::make_shared<World>(TALEA_TRY(KeyspaceSet::Make(keyspaces)), std::move(profile), seed));
}

Result<std::unique_ptr<Engine>> Simulation::Open() {
  return std::make_unique<Process>(world_, TALEA_TRY(world_->Begin()));
}

void Simulation::Crash() { world_->Crash(); }
void Simulation::PowerCut() { world_->PowerCut(); }
void Simulation::Settle() { world_->Settle(); }
void Simulation::InjectFaults(bool inject) { world_->inject_faults = inject; }
void Simulation::Reseed(std::uint64_t seed) { world_->Reseed(seed); }
ManualClock& Simulation::clock() { return world_->clock; }
std::uint64_t Simulation::round_trips() const { return world_->round_trips; }
std::size_t Simulation::unsynced_commits() const { return world_->unsynced_commits(); }
std::uint64_t Simulation::power_cuts() const { return world_->power_cuts; }
std::size_t Simulation::processes() const { return world_->processes(); }

}  // namespace talea
