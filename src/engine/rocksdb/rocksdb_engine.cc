#include "talea/rocksdb_engine.h"

#include <fmt/format.h>
#include <rocksdb/convenience.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>
#include <condition_variable>
#include <future>
#include <mutex>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "base/file.h"
#include "engine/call_gate.h"
#include "engine/checks.h"
#include "engine/commit_queue.h"
#include "engine/rocksdb/background_errors.h"
#include "engine/rocksdb/backup.h"
#include "engine/rocksdb/batch_writer.h"
#include "engine/rocksdb/format_file.h"
#include "engine/rocksdb/ingest.h"
#include "engine/rocksdb/insert_hint.h"
#include "engine/rocksdb/log_mark.h"
#include "engine/rocksdb/metrics.h"
#include "engine/rocksdb/option_check.h"
#include "engine/rocksdb/range_cursor.h"
#include "engine/rocksdb/rocksdb_engine_internal.h"
#include "engine/rocksdb/snapshot.h"
#include "engine/rocksdb/status.h"
#include "engine/rocksdb/store.h"

namespace talea {
namespace {

class StoreEngine final : public RocksDbEngine, CommitBackend {
 public:
  StoreEngine(std::vector<StoredKeyspace> names, std::unique_ptr<const KeyspaceSet> keyspaces,
              std::unique_ptr<Store> store, std::shared_ptr<BackgroundErrors> errors,
              Durability least_durability, Version start)
      : names_(std::move(names)),
        keyspaces_(std::move(keyspaces)),
        store_(std::move(store)),
        errors_(std::move(errors)),
        least_durability_(least_durability),
        reader_(*store_, *keyspaces_),
        far_keys_(store_->families().size()),
        writer_(*keyspaces_, store_->families(), limits_.key_bytes, far_keys_),
        visible_(std::make_shared<PinnedState>(store_->db(), start)),
        queue_(*this, start) {}

  ~StoreEngine() override { TALEA_CHECK(queue_.tracker().open_snapshots() == 0); }

  Status LoadFarKeys() { return far_keys_.Load(store_->db(), store_->families()); }

  const KeyspaceSet& keyspaces() const override { return *keyspaces_; }
  const Limits& limits() const override { return limits_; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override;
  Result<Version> Commit(CommitRequest request) override;
  Result<Version> Ingest(IngestRequest request) override;
  Status Checkpoint(const std::filesystem::path& folder) override;
  bool Watch(const Keyspace& keyspace, std::weak_ptr<KeyspaceWatcher> watcher) override;
  Result<BackupDescription> BackUp(const std::filesystem::path& folder) override;
  Result<Statistics> GetStatistics() override;
  Status Shutdown(std::chrono::milliseconds bound) override;

 private:
  class StoreSnapshot;

  Status Apply(std::span<const AcceptedCommit> group) override;
  Status WriteToLog(const LogMark& mark, const rocksdb::WriteOptions& options,
                    rocksdb::WriteBatch& batch);
  Status CloseLog();
  std::shared_future<Status> Stop();
  void Publish(Version version) override;
  Result<std::optional<std::string>> GetNewest(const Keyspace& keyspace, ByteView key) override {
    return reader_.Get(nullptr, keyspace, key);
  }

  std::shared_ptr<const PinnedState> Visible() const {
    std::unique_lock lock(visible_mutex_);
    visible_again_.wait(lock, [&] { return !hidden_; });
    return visible_;
  }
  // If nobody has a snapshot, whoever asks for one waits from now on; returns whether it is so.
  bool Hide();
  void Show(std::shared_ptr<const PinnedState> state);

  const std::vector<StoredKeyspace> names_;  // the keyspaces' names point into it
  const std::unique_ptr<const KeyspaceSet> keyspaces_;
  const Limits limits_;
  CallGate gate_;
  const std::unique_ptr<Store> store_;
  const std::shared_ptr<BackgroundErrors> errors_;
  const Durability least_durability_;
  const StoreReader reader_;
  FarKeys far_keys_;

  // Of the queue's leader, and of Shutdown once no commit is under way.
  BatchWriter writer_;
  std::uint64_t logged_ = 0;  // the newest version in the log; 0 if this engine wrote none
  std::uint64_t synced_ = 0;  // the newest of those that were synced
  bool write_failed_ = false;

  // What new snapshots see: the state as of the last Publish. It is kept rather than taken when
  // asked for, as RocksDB may by then have more: a group whose callbacks have not run yet. No other
  // lock is taken while this one is held.
  mutable std::mutex visible_mutex_;
  mutable std::condition_variable visible_again_;
  std::shared_ptr<const PinnedState> visible_;
  bool hidden_ = false;  // while the queue's leader lets files in, until it has published them

  CommitQueue queue_;

  std::mutex shutdown_mutex_;
  std::shared_future<Status> stopped_;  // once Shutdown has been called
};

class StoreEngine::StoreSnapshot final : public Snapshot {
 public:
  StoreSnapshot(StoreEngine& engine, std::shared_ptr<const PinnedState> state)
      : engine_(engine), state_(std::move(state)) {}
  ~StoreSnapshot() override {
    parked_.reset();
    state_.reset();
    engine_.queue_.tracker().SnapshotClosed();
  }

  Version version() const override { return state_->version(); }
  bool BelongsTo(const StoreEngine& engine) const { return &engine == &engine_; }

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    TALEA_TRY(CheckRead(*engine_.keyspaces_, engine_.limits_, keyspace, key));
    return engine_.reader_.Get(state_->snapshot(), keyspace, key);
  }

  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    for (const KeyReference& key : keys) {
      TALEA_TRY(CheckRead(*engine_.keyspaces_, engine_.limits_, *key.keyspace, key.key));
    }
    return engine_.reader_.MultiGet(state_->snapshot(), keys);
  }

  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override {
    const CallGate::Pass pass = TALEA_TRY(engine_.gate_.Enter());
    TALEA_TRY(CheckRange(*engine_.keyspaces_, keyspace, options));
    std::unique_ptr<RangeCursor> cursor = TakeParked(keyspace, range, options.reverse);
    if (!cursor) {
      cursor = engine_.reader_.Cursor(state_->snapshot(), keyspace, range, options.reverse);
    }
    Page page = TALEA_TRY(cursor->Read(keyspace, options, version()));
    if (page.more()) Park(std::move(cursor));
    return page;
  }

 private:
  // The cursor that the last page left, if this is the page after it.
  std::unique_ptr<RangeCursor> TakeParked(const Keyspace& keyspace, const KeyRange& range,
                                          bool reverse) {
    std::lock_guard lock(parked_mutex_);
    if (!parked_ || !parked_->TakeOn(keyspace, range, reverse)) return nullptr;
    return std::move(parked_);
  }

  void Park(std::unique_ptr<RangeCursor> cursor) {
    std::lock_guard lock(parked_mutex_);
    std::swap(parked_, cursor);
  }

  StoreEngine& engine_;
  std::shared_ptr<const PinnedState> state_;
  std::mutex parked_mutex_;
  std::unique_ptr<RangeCursor> parked_;
};

Result<std::unique_ptr<Snapshot>> StoreEngine::OpenSnapshot() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  queue_.tracker().SnapshotOpened();
  return std::make_unique<StoreSnapshot>(*this, Visible());
}

Result<Version> StoreEngine::Commit(CommitRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckCommit(*keyspaces_, limits_, request));
  TALEA_TRY(errors_->Check());
  TALEA_TRY(OwnSnapshot<StoreSnapshot>(request, *this));
  request.durability = std::max(request.durability, least_durability_);
  return queue_.Commit(std::move(request));
}

Status StoreEngine::Apply(std::span<const AcceptedCommit> group) {
  rocksdb::WriteBatch& batch = writer_.Build(group);
  const std::uint64_t version = group.back().version.number;
  const rocksdb::Slice version_bytes(reinterpret_cast<const char*>(&version), sizeof version);
  TALEA_TRY(
      Check("writing a commit", batch.Put(store_->bookkeeping(), kVersionKey, version_bytes)));
  rocksdb::WriteOptions options;
  options.sync = std::ranges::any_of(group, [](const AcceptedCommit& accepted) {
    return accepted.commit->request.durability == Durability::synced;
  });
  return WriteToLog({logged_, version, synced_}, options, batch);
}

Status StoreEngine::WriteToLog(const LogMark& mark, const rocksdb::WriteOptions& options,
                               rocksdb::WriteBatch& batch) {
  TALEA_TRY(Check("writing a commit", AppendLogMark(mark, batch)));
  const HintedWrite hinted(batch);
  const Status written = Check("writing a commit", store_->db().Write(options, &batch));
  if (!written) {
    write_failed_ = true;
    return written;
  }
  logged_ = mark.version;
  if (options.sync) synced_ = mark.version;
  return {};
}

// What was only buffered is on the disk as well after this. A last mark says so, and stands behind
// the last commit, so that damage to that one is told from a torn end.
Status StoreEngine::CloseLog() {
  if (logged_ == 0 || write_failed_ || !errors_->Check()) {
    return Check("syncing the log at shutdown", store_->db().SyncWAL());
  }
  rocksdb::WriteBatch nothing;
  rocksdb::WriteOptions options;
  options.sync = true;
  return WriteToLog({logged_, logged_, logged_}, options, nothing);
}

void StoreEngine::Publish(Version version) {
  Show(std::make_shared<const PinnedState>(store_->db(), version));
}

bool StoreEngine::Hide() {
  std::lock_guard lock(visible_mutex_);
  hidden_ = queue_.tracker().open_snapshots() == 0;
  return hidden_;
}

void StoreEngine::Show(std::shared_ptr<const PinnedState> state) {
  bool was_hidden = false;
  {
    std::lock_guard lock(visible_mutex_);
    std::swap(visible_, state);  // the old one is let go of after the lock
    was_hidden = std::exchange(hidden_, false);
  }
  if (was_hidden) visible_again_.notify_all();
}

Result<Version> StoreEngine::Ingest(IngestRequest request) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(CheckIngest(*keyspaces_, limits_, request));
  TALEA_TRY(errors_->Check());
  // The files are written while commits go on; only to let them in takes the queue.
  IngestFiles files(*store_, *keyspaces_, limits_, far_keys_);
  TALEA_TRY(files.Prepare(request));
  return queue_.RunAlone(WrittenKeyspaces(request), [&](Version version) -> Status {
    Status entered = files.Enter(version, Hide());
    if (!entered) Show(visible_);  // otherwise Publish does
    return entered;
  });
}

bool StoreEngine::Watch(const Keyspace& keyspace, std::weak_ptr<KeyspaceWatcher> watcher) {
  const Result<CallGate::Pass> pass = gate_.Enter();
  if (!pass || !keyspaces_->Check(keyspace)) return false;
  queue_.Watch(keyspace.id, std::move(watcher));
  return true;
}

Status StoreEngine::Checkpoint(const std::filesystem::path& folder) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(store_->CheckOutside(folder));
  return CreateFolderWhole(folder, [&](const std::filesystem::path& temporary) -> Status {
    std::error_code ignored;
    std::filesystem::remove(temporary, ignored);  // RocksDB wants to create it
    rocksdb::Checkpoint* made = nullptr;
    TALEA_TRY(Check("checkpoint", rocksdb::Checkpoint::Create(&store_->db(), &made)));
    const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
    TALEA_TRY(Check("checkpoint", checkpoint->CreateCheckpoint(temporary)));
    return WriteFormatFile(temporary, store_->format_file());
  });
}

Result<BackupDescription> StoreEngine::BackUp(const std::filesystem::path& folder) {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  TALEA_TRY(store_->CheckOutside(folder));
  return CreateBackup(*store_, folder);
}

Result<Statistics> StoreEngine::GetStatistics() {
  const CallGate::Pass pass = TALEA_TRY(gate_.Enter());
  Statistics statistics{.version = queue_.published(),
                        .commits = queue_.commits(),
                        .conflicts = queue_.conflicts(),
                        .open_snapshots = queue_.tracker().open_snapshots(),
                        .metrics = CollectMetrics(*store_, *keyspaces_)};
  statistics.metrics.push_back({"talea_engine_commit_groups_total", "",
                                static_cast<double>(queue_.groups()),
                                "Groups in which commits were written."});
  return statistics;
}

Status StoreEngine::Shutdown(std::chrono::milliseconds bound) {
  const auto deadline = std::chrono::steady_clock::now() + bound;
  TALEA_TRY(gate_.Close(bound));
  const std::shared_future<Status> stopped = Stop();
  if (stopped.wait_until(deadline) == std::future_status::ready) return stopped.get();
  return Fail(ErrorCode::timed_out,
              fmt::format("shutdown: expected background work to end within {} ms, found {}",
                          bound.count(), DescribeBackgroundWork(store_->db())));
}

// The lock is not held while anybody waits: each caller has a bound of its own.
std::shared_future<Status> StoreEngine::Stop() {
  std::lock_guard lock(shutdown_mutex_);
  if (!stopped_.valid()) {
    stopped_ = std::async(std::launch::async, [this]() -> Status {
      Status closed = CloseLog();
      rocksdb::CancelAllBackgroundWork(&store_->db(), true);
      return closed;
    });
  }
  return stopped_;
}

Result<std::vector<StoredKeyspace>> ReadStoredKeyspaces(const std::filesystem::path& folder) {
  Result<std::optional<std::vector<StoredKeyspace>>> stored = ReadFormatFile(folder);
  if (stored) return std::move(*stored).value_or(std::vector<StoredKeyspace>());
  return Fail(stored.error().code(),
              fmt::format("database in {}: {}", Quoted(folder.native()), stored.error().message()));
}

// Those that share neither id nor name with one that is there; the others are compared later.
void AddUnnamed(const std::vector<StoredKeyspace>& stored, std::vector<Keyspace>& keyspaces) {
  const std::size_t named = keyspaces.size();
  for (const StoredKeyspace& found : stored) {
    const bool known =
        std::ranges::any_of(std::span(keyspaces).first(named), [&](const Keyspace& keyspace) {
          return keyspace.id == found.id || keyspace.name == found.name;
        });
    if (!known) keyspaces.push_back({found.id, found.pattern, found.name});
  }
}

}  // namespace

Result<std::unique_ptr<RocksDbEngine>> OpenRocksDbEngine(RocksDbEngineOptions options) {
  return OpenRocksDbEngineOn(*rocksdb::Env::Default(), std::move(options));
}

Result<std::unique_ptr<RocksDbEngine>> OpenRocksDbEngineOn(rocksdb::Env& environment,
                                                           RocksDbEngineOptions options) {
  TALEA_TRY(CheckOptions(options));
  std::vector<StoredKeyspace> stored;  // owns the names of those that are not the caller's
  if (options.open_stored_keyspaces) {
    stored = TALEA_TRY(ReadStoredKeyspaces(options.folder));
    AddUnnamed(stored, options.keyspaces);
  }
  auto keyspaces =
      std::make_unique<const KeyspaceSet>(TALEA_TRY(KeyspaceSet::Make(options.keyspaces)));
  auto errors = std::make_shared<BackgroundErrors>();
  std::unique_ptr<Store> store = TALEA_TRY(Store::Open(environment, options, *keyspaces, errors));
  const Version start = TALEA_TRY(store->ReadVersion());
  auto engine =
      std::make_unique<StoreEngine>(std::move(stored), std::move(keyspaces), std::move(store),
                                    std::move(errors), options.least_durability, start);
  TALEA_TRY(engine->LoadFarKeys());
  return engine;
}

}  // namespace talea
