#include "talea/memory_engine.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"
#include "engine/call_gate.h"
#include "engine/checks.h"
#include "engine/commit_queue.h"
#include "engine/memory_checkpoint.h"
#include "engine/memory_engine_internal.h"
#include "engine/memory_state.h"

namespace talea {
namespace {

class MemoryEngine final : public Engine, CommitBackend {
 public:
  MemoryEngine(std::shared_ptr<const KeyspaceSet> keyspaces, MemoryState state)
      : keyspaces_(std::move(keyspaces)), state_(std::move(state)), queue_(*this, state_.version) {}

  ~MemoryEngine() override { TALEA_CHECK(queue_.tracker().open_snapshots() == 0); }

  const KeyspaceSet& keyspaces() const override { return *keyspaces_; }
  const Limits& limits() const override { return limits_; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override;
  Result<Version> Commit(CommitRequest request) override;
  Result<Version> Ingest(IngestRequest request) override;
  Status Checkpoint(const std::filesystem::path& folder) override;
  bool Watch(const Keyspace& keyspace, std::weak_ptr<KeyspaceWatcher> watcher) override;
  Result<Statistics> GetStatistics() override;
  Status Shutdown(std::chrono::milliseconds bound) override { return gate_.Close(bound); }

 private:
  class MemorySnapshot;

  Status Apply(std::span<const AcceptedCommit> group) override;
  void Publish(Version version) override;
  Result<std::optional<std::string>> GetNewest(const Keyspace& keyspace, ByteView key) override;

  MemoryState VisibleState() const;

  const std::shared_ptr<const KeyspaceSet> keyspaces_;  // at an address that states can keep
  const Limits limits_;
  CallGate gate_;

  mutable std::mutex mutex_;
  MemoryState state_;                   // the newest, written by the queue's leader
  std::optional<MemoryState> visible_;  // what new snapshots see meanwhile, if that is older

  CommitQueue queue_;
};

class MemoryEngine::MemorySnapshot final : public Snapshot {
 public:
  MemorySnapshot(MemoryEngine& engine, MemoryState state)
      : engine_(engine), state_(std::move(state)) {}
  ~MemorySnapshot() override { engine_.queue_.tracker().SnapshotClosed(); }

  Version version() const override { return state_.version; }
  bool BelongsTo(const MemoryEngine& engine) const { return &engine == &engine_; }

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    return GetInside(keyspace, key);
  }

  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    std::vector<std::optional<std::string>> values;
    values.reserve(keys.size());
    for (const KeyReference& key : keys)
      values.push_back(TALEA_TRY(GetInside(*key.keyspace, key.key)));
    return values;
  }

  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    TALEA_TRY(CheckRange(engine_.keyspaces(), keyspace, options));
    return state_.Range(keyspace, range, options);
  }

 private:
  Result<std::optional<std::string>> GetInside(const Keyspace& keyspace, ByteView key) const {
    TALEA_TRY(CheckRead(engine_.keyspaces(), engine_.limits_, keyspace, key));
    const std::optional<ByteView> value = state_.Get(keyspace, key);
    return value ? std::optional<std::string>(*value) : std::nullopt;
  }

  MemoryEngine& engine_;
  const MemoryState state_;
};

MemoryState MemoryEngine::VisibleState() const {
  std::lock_guard lock(mutex_);
  return visible_ ? *visible_ : state_;
}

Result<std::unique_ptr<Snapshot>> MemoryEngine::OpenSnapshot() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  queue_.tracker().SnapshotOpened();
  return std::make_unique<MemorySnapshot>(*this, VisibleState());
}

Result<Version> MemoryEngine::Commit(CommitRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckCommit(*keyspaces_, limits_, request));
  TALEA_TRY(OwnSnapshot<MemorySnapshot>(request, *this));
  return queue_.Commit(std::move(request));
}

Status MemoryEngine::Apply(std::span<const AcceptedCommit> group) {
  std::lock_guard lock(mutex_);
  // Callbacks run between here and Publish, and new snapshots must not be ahead of them. Without
  // any there is no between, and writes happen in place as nothing is shared.
  if (std::ranges::any_of(group, [](const auto& accepted) {
        return bool(accepted.commit->request.after_commit);
      })) {
    visible_ = state_;
  }
  for (const AcceptedCommit& accepted : group) {
    for (const WriteBatch::Operation& operation : accepted.commit->request.batch)
      state_.Apply(operation);
    state_.version = accepted.version;
  }
  return {};
}

void MemoryEngine::Publish(Version version) {
  std::lock_guard lock(mutex_);
  TALEA_CHECK(state_.version == version);
  visible_.reset();
}

Result<std::optional<std::string>> MemoryEngine::GetNewest(const Keyspace& keyspace, ByteView key) {
  std::lock_guard lock(mutex_);
  const std::optional<ByteView> value = state_.Get(keyspace, key);
  return value ? std::optional<std::string>(*value) : std::nullopt;
}

Result<Version> MemoryEngine::Ingest(IngestRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckIngest(*keyspaces_, limits_, request));
  return queue_.RunAlone(WrittenKeyspaces(request), [&](Version version) -> Status {
    MemoryState next = VisibleState();
    for (const IngestRequest::Run& run : request.runs) {
      CheckedRun rows(run, limits_);
      while (const std::optional<Row> row = TALEA_TRY(rows.Next()))
        next.Put(*run.keyspace, row->key, row->value);
    }
    for (const WriteBatch::Operation& operation : request.batch) next.Apply(operation);
    next.version = version;
    std::lock_guard lock(mutex_);
    visible_ = std::move(state_);
    state_ = std::move(next);
    return {};
  });
}

bool MemoryEngine::Watch(const Keyspace& keyspace, std::weak_ptr<KeyspaceWatcher> watcher) {
  const Result<CallGate::Pass> pass = gate_.Enter();
  if (!pass || !keyspaces_->Check(keyspace)) return false;
  queue_.Watch(keyspace.id, std::move(watcher));
  return true;
}

Status MemoryEngine::Checkpoint(const std::filesystem::path& folder) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  return WriteMemoryCheckpoint(folder, *keyspaces_, VisibleState());
}

Result<Statistics> MemoryEngine::GetStatistics() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  const MemoryState state = VisibleState();
  Statistics statistics{.version = state.version,
                        .commits = queue_.commits(),
                        .conflicts = queue_.conflicts(),
                        .open_snapshots = queue_.tracker().open_snapshots(),
                        .metrics = {}};
  for (const Keyspace& keyspace : keyspaces_->all()) {
    const PersistentMap& map = state.map(keyspace);
    const std::string name(keyspace.name);
    statistics.metrics.push_back(
        {"talea_engine_rows", name, static_cast<double>(map.rows()), "Rows stored."});
    statistics.metrics.push_back({"talea_engine_bytes", name, static_cast<double>(map.bytes()),
                                  "Bytes of keys and values stored."});
  }
  statistics.metrics.push_back({"talea_engine_commit_groups_total", "",
                                static_cast<double>(queue_.groups()),
                                "Groups in which commits were written."});
  return statistics;
}

}  // namespace

std::unique_ptr<Engine> MakeMemoryEngine(std::shared_ptr<const KeyspaceSet> keyspaces,
                                         MemoryState state) {
  return std::make_unique<MemoryEngine>(std::move(keyspaces), std::move(state));
}

Result<std::unique_ptr<Engine>> OpenMemoryEngine(MemoryEngineOptions options) {
  auto keyspaces =
      std::make_shared<const KeyspaceSet>(TALEA_TRY(KeyspaceSet::Make(options.keyspaces)));
  MemoryState state(*keyspaces);
  if (options.checkpoint) state = TALEA_TRY(ReadMemoryCheckpoint(*options.checkpoint, *keyspaces));
  return MakeMemoryEngine(std::move(keyspaces), std::move(state));
}

}  // namespace talea
