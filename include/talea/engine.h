// The engine contract: an ordered key-value store with snapshots and optimistic transactions.
//
// Talea's layers need nothing else, so an engine of your own that keeps this contract carries them
// all; talea/testing/engine_contract.h is the suite that checks it. What the calls mean is what
// FoundationDB means by them, on every engine. Most programs use a Transaction, which makes these
// calls for them.
//
// - Conflicts are by version, not by value: a commit names what it read at its snapshot, and fails
// if any
//   of that was written since, even with the same bytes.
// - Adds never conflict with Adds, and always with readers of the counter.
// - All calls may come from any thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "talea/bytes.h"
#include "talea/keyspace.h"
#include "talea/read_set.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/write_batch.h"

namespace talea {

// One state of the engine, for as long as it is held. May be read from several threads. Close it
// before the engine is destroyed. Any read may fail with snapshot_expired where the engine limits
// its age.
class Snapshot : public Reader {
 public:
  virtual Version version() const = 0;
};

// What an acknowledged commit survives.
enum class Durability : std::uint8_t {
  buffered,  // the crash of this process; a power cut may take it, and then all commits after it
             // too
  synced,    // a power cut as well, together with every commit before it
};

// A condition on a key's value at the moment of the commit, for configuration that is cached
// outside of any transaction. It is compared by value; a mismatch is a conflict.
struct Expectation {
  const Keyspace* keyspace;
  std::string key;
  std::optional<std::string> value;  // or nothing: the key must be absent
};

// Everything an engine needs to decide on a commit and to apply it.
struct CommitRequest {
  // The state that was read. Required when `reads` is not empty; a blind batch, with nothing read,
  // needs none and can neither conflict nor expire. It must be open until Commit returns.
  Snapshot* snapshot = nullptr;
  ReadSet reads;
  std::vector<Expectation> expected;
  WriteBatch batch;
  Durability durability = Durability::buffered;

  // Called once if the commit succeeds: in the order of versions, and before any new snapshot can
  // see that version. It must be quick, must not fail, and must not call the engine.
  std::move_only_function<void(Version)> after_commit;
};

// What the engine refuses, so that a layer can divide its work beforehand.
struct Limits {
  // What one operation adds to the size of a transaction: key_factor * key + value_factor * value +
  // fixed.
  struct Cost {
    std::size_t key_factor = 1;
    std::size_t value_factor = 1;
    std::size_t fixed = 0;

    std::size_t Of(std::size_t key_bytes, std::size_t value_bytes) const {
      return key_factor * key_bytes + value_factor * value_bytes + fixed;
    }
  };

  std::size_t key_bytes = 64 << 10;
  std::size_t value_bytes = 256 << 20;
  std::size_t transaction_bytes = 1 << 30;
  std::optional<std::chrono::microseconds>
      transaction_age;  // none: a snapshot lives as long as it is held

  // Whether the engine goes on after a commit whose outcome is unknown. One that does not has to be
  // opened again, and then whoever asks finds the commit done or not.
  bool outlives_unknown_outcomes = false;

  bool shared = false;  // several processes may have it open at once

  Cost write;                     // Put and Add
  Cost clear{.value_factor = 1};  // Erase, and EraseRange with its end as the value
  Cost read{.key_factor = 0,
            .value_factor = 0};  // each recorded key, and range with its end as the value

  // The size of such a commit, in the engine's own terms.
  std::size_t Size(const WriteBatch& batch, const ReadSet& reads) const;

  // Fails, naming the culprit, if a batch or what was read with it is beyond these limits.
  Status Check(const WriteBatch& batch, const ReadSet& reads, const KeyspaceSet& keyspaces) const;
};

// A number about a running engine. Names follow Prometheus: talea_engine_commits_total.
struct Metric {
  std::string name;
  std::string label;  // a keyspace's name, or empty
  double value = 0;
  std::string help;
};

struct Statistics {
  Version version;            // the newest that a snapshot can see
  std::uint64_t commits = 0;  // that wrote something
  std::uint64_t conflicts = 0;
  std::uint64_t open_snapshots = 0;
  std::vector<Metric> metrics;  // what else this engine knows about itself
};

// Rows for Ingest, one after the other, in strictly ascending order of their keys.
class SortedRun {
 public:
  virtual ~SortedRun() = default;
  // The next row, valid until the next call; nothing at the end.
  virtual Result<std::optional<Row>> Next() = 0;
};

struct IngestRequest {
  struct Run {
    const Keyspace* keyspace;
    SortedRun* rows;
  };
  // At most one for each keyspace. They are read one after the other, so that a later one can tell
  // of those before it.
  std::vector<Run> runs;
  WriteBatch batch;  // applied after the rows, in the same commit: a cursor, a count
};

// Is told what is written to a keyspace; see Engine::Watch. Calls come one at a time, must be quick
// and must not call the engine.
class KeyspaceWatcher {
 public:
  virtual ~KeyspaceWatcher() = default;

  // A commit writes these rows: sorted by key, those of one key in the order of the commit. Views
  // are valid until it returns.
  virtual void Written(Version version, std::span<const WriteBatch::Operation> writes) = 0;

  // A commit erases ranges, or rows are ingested: whatever was known of the keyspace may be
  // different from this version on.
  virtual void Rewritten(Version version) = 0;
};

class Engine {
 public:
  virtual ~Engine() = default;

  virtual const KeyspaceSet& keyspaces() const = 0;
  virtual const Limits& limits() const = 0;

  // The newest state: every commit that was acknowledged before this call is in it.
  virtual Result<std::unique_ptr<Snapshot>> OpenSnapshot() = 0;

  // Applies the batch, all or nothing, and returns the version it made, or
  // - conflict: something in reads or expected no longer holds; nothing was applied;
  // - snapshot_expired: the snapshot is too old; nothing was applied;
  // - outcome_unknown: it may have been applied, or may still be;
  // - too_large, invalid_argument, closed, ...: nothing was applied.
  // An empty batch succeeds without any check and makes no version: it returns one already visible.
  virtual Result<Version> Commit(CommitRequest request) = 0;

  // Writes many sorted rows at once, as Puts, faster than any commit; readers see all of it or
  // nothing. It is a blind write: it conflicts with nobody, and every open transaction that read
  // the keyspaces will conflict with it. Durable when it returns; fails like Commit.
  virtual Result<Version> Ingest(IngestRequest request) = 0;

  // Writes the newest state to `folder`, which must not exist, while reads and writes go on. The
  // engine's own way of opening reads it back.
  virtual Status Checkpoint(const std::filesystem::path& folder) = 0;

  // From when this returns, tells the watcher of every commit that writes to the keyspace: in the
  // order of versions, and before any snapshot can see it, so that state in memory is never behind
  // what is read. It may be ahead: of a commit that then fails the version is never seen. A watcher
  // that is gone is forgotten. False where the engine cannot tell, as other processes write too.
  virtual bool Watch(const Keyspace& /*keyspace*/, std::weak_ptr<KeyspaceWatcher> /*watcher*/) {
    return false;
  }

  virtual Result<Statistics> GetStatistics() = 0;

  // Lets the commits under way finish, stops background work and closes. Every later call fails
  // with `closed`. If it takes longer than `bound` it fails with timed_out, naming what was still
  // running; call it again to go on waiting.
  virtual Status Shutdown(std::chrono::milliseconds bound) = 0;
};

// Reads the newest state anew for each call, so that a scan of any length never expires. Pages tell
// their version: a scan whose pages differ has seen several states.
class PagedReader final : public Reader {
 public:
  explicit PagedReader(Engine& engine) : engine_(engine) {}

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override;
  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override;
  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override;

 private:
  Engine& engine_;
};

}  // namespace talea
