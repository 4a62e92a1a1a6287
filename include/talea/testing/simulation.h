// A world in which everything goes wrong, on purpose and reproducibly.
//
// A Simulation is a machine (or a cluster) whose disk outlives the processes that open engines on
// it. Under a seed it injects what real engines do at their worst: conflicts that nobody caused,
// snapshots that expire, commits whose outcome is unknown and that happen, do not happen or happen
// later, short pages, crashes and power cuts. The same seed and the same calls give the same
// faults.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "talea/engine.h"
#include "talea/time.h"

namespace talea {

// How often things go wrong: probabilities from 0 to 1, for each call that the fault can befall.
struct SimulationFaults {
  double conflict = 0;          // of a commit that has read something
  double snapshot_expired = 0;  // of a read, or of a commit that has read something
  double timed_out = 0;         // of a read
  double unavailable = 0;       // of any call; of a commit, before it did anything
  double unknown_applied = 0;   // a commit happens, and its caller is not told
  double unknown_lost = 0;      // a commit does not happen, and its caller is not told
  double unknown_later = 0;     // a commit happens some calls later, if it then still can
  double short_page = 0;        // a page ends early, is empty, or promises more than there is
  double crash = 0;             // the process dies in a commit, before or after it is applied
  double power_cut = 0;         // likewise the whole machine: what was not synced may be lost
};

// What kind of engine is pretended.
struct SimulationProfile {
  std::string name;
  Limits limits;
  SimulationFaults faults;
  std::chrono::microseconds round_trip{0};  // by which each call moves the clock
  bool always_synced = false;               // every commit is
  bool closes_on_unknown = false;  // after an unknown outcome the engine must be opened again
  bool files = true;               // has Ingest and Checkpoint

  // The embedded engine: one process, commits buffered or synced.
  static SimulationProfile RocksDb();
  // The cluster: small transactions that live 5 s, many clients, no files.
  static SimulationProfile FoundationDb();

  SimulationProfile WithoutFaults() const;
};

class Simulation {
 public:
  // Fails if the keyspaces are not well formed.
  static Result<Simulation> Make(std::vector<Keyspace> keyspaces, SimulationProfile profile,
                                 std::uint64_t seed);
  Simulation(Simulation&&) noexcept;
  ~Simulation();

  // Starts a process: an engine on what the disk holds. Where the limits do not say shared, the one
  // before must be gone or dead. May outlive the Simulation.
  Result<std::unique_ptr<Engine>> Open();

  // Kills every process: their engines answer `closed` from now on. Every acknowledged commit
  // stays.
  void Crash();

  // Cuts the power: every process dies, and the disk keeps the commits up to some point in their
  // order, every synced one among them.
  void PowerCut();

  // Lets the commits that were to happen later happen now, or never.
  void Settle();

  // While false nothing is injected: for looking at the outcome.
  void InjectFaults(bool inject);

  // Makes all that follows depend on this seed alone, and no longer on what went before.
  void Reseed(std::uint64_t seed);

  ManualClock& clock();

  // Calls so far that a networked engine would have to wait for: opening a snapshot, each Get,
  // MultiGet and Range, each commit.
  std::uint64_t round_trips() const;

  // Acknowledged commits that a power cut could take now.
  std::size_t unsynced_commits() const;

  // How often the power was cut so far.
  std::uint64_t power_cuts() const;

  // How many processes are alive.
  std::size_t processes() const;

 private:
  class World;
  class Process;
  class ProcessSnapshot;
  explicit Simulation(std::shared_ptr<World> world);
  std::shared_ptr<World> world_;
};

}  // namespace talea
