// The inside of a Simulation: what outlives its processes.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "engine/memory_state.h"
#include "talea/testing/random.h"
#include "talea/testing/simulation.h"

namespace talea {

// Commits are made one at a time, so the log has them in the order of their versions.
class Simulation::World {
 public:
  World(KeyspaceSet keyspaces, SimulationProfile profile, std::uint64_t seed);

  // What processes work on: an engine in memory, replaced by each power cut. Whoever uses it holds
  // on to it.
  using Live = std::shared_ptr<Engine>;

  // Of a process: why it is dead, or null while it lives.
  struct Life {
    std::atomic<const char*> dead = nullptr;
  };

  // A commit to be made on `live`; its snapshot, if it has one, is kept open with it.
  struct Attempt {
    Live live;
    std::shared_ptr<Snapshot> snapshot;
    CommitRequest request;
  };

  Live live() const;
  Result<Version> Commit(Attempt attempt);
  void CommitLater(Attempt attempt);
  Result<Version> Ingest(const Live& live, IngestRequest request);

  // The new process's life, or an error if there may be only one and one is alive.
  Result<std::shared_ptr<Life>> Begin();
  void Crash();
  void PowerCut();
  void Settle();

  // To be called by each call that a networked engine would wait for.
  void RoundTrip();

  // Whether a fault of this probability happens now; and a number below `bound`.
  bool Chance(double probability);
  std::uint64_t Below(std::uint64_t bound);
  void Reseed(std::uint64_t seed);

  const KeyspaceSet& keyspaces() const { return *keyspaces_; }
  std::size_t unsynced_commits() const;
  std::size_t processes() const;

  const SimulationProfile profile;
  ManualClock clock;
  std::atomic<bool> inject_faults = true;
  std::atomic<std::uint64_t> round_trips = 0;
  std::atomic<std::uint64_t> power_cuts = 0;

 private:
  void Log(WriteBatch batch, Version version, bool synced);
  void SyncOldest();
  void KillAll(const char* reason);
  Result<Version> CommitInOrder(Attempt attempt);
  void TryOneOfLater();

  const std::shared_ptr<const KeyspaceSet> keyspaces_;

  // Commits and power cuts. Taken before mutex_, and held while callbacks run: what a callback may
  // wait for must not need it.
  mutable std::mutex commit_mutex_;
  struct Logged {
    WriteBatch batch;
    Version version;
  };
  MemoryState synced_;           // what a power cut cannot take
  std::deque<Logged> unsynced_;  // what it can, in order
  std::vector<Attempt> later_;

  mutable std::mutex mutex_;
  Random random_;
  Live live_;
  std::vector<std::shared_ptr<Life>> lives_;
};

}  // namespace talea
