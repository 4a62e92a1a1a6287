// Decides whether a commit's reads still hold, from what was written lately.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "engine/prepared_commit.h"
#include "talea/reader.h"

namespace talea {

// Remembers the newest version that wrote each key, and the write sets of recent commits for
// ranges. Its memory is bounded: what it has forgotten it takes for a conflict, so it errs only on
// the safe side.
//
// All calls but those about snapshots come from one thread at a time: the leader of the commit
// queue.
class ConflictTracker {
 public:
  struct Options {
    std::size_t lines = 1 << 16;  // a power of two; 64 bytes each, for three keys
    std::size_t log_bytes = 32 << 20;
    std::size_t log_commits = 1 << 16;
  };

  explicit ConflictTracker(Version start) : ConflictTracker(start, Options{}) {}
  ConflictTracker(Version start, Options options);

  // Call before a snapshot's version is read, and when it is closed. While none is open, writes
  // need not be remembered one by one.
  void SnapshotOpened() { open_snapshots_.fetch_add(1); }
  void SnapshotClosed() { open_snapshots_.fetch_sub(1); }
  std::uint64_t open_snapshots() const { return open_snapshots_.load(); }

  // Whether anything that the commit read was written after `snapshot`.
  bool Conflicts(const PreparedCommit& commit, Version snapshot) const;

  // Whether such a commit should be prepared as `tracked`. A large one while no snapshot is open
  // but its own is not worth it: the few snapshots that open while it is being written will see a
  // conflict.
  bool ShouldTrack(const CommitRequest& request) const {
    const std::uint64_t own = request.snapshot != nullptr ? 1 : 0;
    return open_snapshots() > own || request.batch.count() < kAlwaysTracked;
  }

  // Notes what the commit writes; keeps it for as long as a range may be checked against it.
  // `visible` is the version that a snapshot opened now would have.
  void Mark(std::shared_ptr<const PreparedCommit> commit, Version version, Version visible);

  // Notes that any key of these keyspaces may have been written.
  void MarkAll(const std::vector<std::uint8_t>& keyspaces, Version version);

 private:
  static constexpr std::size_t kAlwaysTracked = 256;

  // The newest versions of three keys, and the newest version of any key that had to make room.
  struct alignas(64) Line {
    std::array<std::uint64_t, 3> hashes{};
    std::array<std::uint64_t, 3> versions{};
    std::uint64_t forgotten = 0;
  };
  struct LogEntry {
    Version version;
    std::shared_ptr<const PreparedCommit> commit;
  };

  bool PointConflicts(std::uint64_t hash, Version snapshot) const;
  bool RangeConflicts(const ReadSet::Range& read, Version snapshot) const;
  bool ErasedSince(const ReadSet::Point& point, Version snapshot) const;
  void MarkPoint(std::uint64_t hash, Version version);
  void ForgetAll(Version version);
  void DropOldest();
  void TrimLog(Version visible);

  const Options options_;
  std::atomic<std::uint64_t> open_snapshots_ = 0;
  std::vector<Line> lines_;
  Version forgotten_;                          // older snapshots conflict whatever they read
  std::array<Version, 256> keyspace_written_;  // by an ingest: any key of it
  std::array<Version, 256> keyspace_erased_;   // by the newest range erasure in it
  std::deque<LogEntry> log_;                   // in order of versions
  std::size_t log_bytes_ = 0;
  Version log_forgotten_;  // versions up to this one are no longer in the log
};

}  // namespace talea
