// Every engine that the promises of a layer are shown on. For tests alone, which link RocksDB.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "base/check.h"
#include "coordination/coordination_for_test.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/random.h"
#include "talea/testing/simulation.h"

namespace talea {

struct EngineForTest {
  std::string name;
  std::optional<SimulationProfile> profile = {};
  bool on_disk = false;

  friend void PrintTo(const EngineForTest& engine, std::ostream* out) { *out << engine.name; }
};

inline std::vector<EngineForTest> EnginesForTest() {
  return {{.name = "memory"},
          {.name = "rocksdb", .on_disk = true},
          {.name = "embedded_profile", .profile = SimulationProfile::RocksDb()},
          {.name = "cluster_profile", .profile = SimulationProfile::FoundationDb()}};
}

// One of these, empty at first, and in a simulation without faults unless some are given.
class EngineUnderTest {
 public:
  explicit EngineUnderTest(const EngineForTest& kind, const SimulationFaults& faults = {}) {
    if (kind.profile) {
      SimulationProfile profile = *kind.profile;
      profile.faults = faults;
      simulation_.emplace(Simulation::Make(KeyspacesForTest(), profile, TestSeed()).value());
      simulation_->InjectFaults(false);
    } else if (kind.on_disk) {
      folder_ = std::filesystem::temp_directory_path() / "talea-engine-XXXXXX";
      TALEA_CHECK(::mkdtemp(folder_.data()) != nullptr);
    }
    Reopen();
  }
  EngineUnderTest(const EngineUnderTest&) = delete;
  ~EngineUnderTest() {
    engine_.reset();
    if (!folder_.empty()) std::filesystem::remove_all(folder_);
  }

  Engine& operator*() { return *engine_; }
  Engine* operator->() { return engine_.get(); }
  Simulation* simulation() { return simulation_ ? &*simulation_ : nullptr; }

  // Opens it again, as the next process would. What is in memory alone stays open.
  void Reopen() {
    if (engine_ && !simulation_ && folder_.empty()) return;
    engine_.reset();
    engine_ = simulation_ ? simulation_->Open().value()
              : folder_.empty()
                  ? OpenEngineForTest()
                  : OpenRocksDbEngine({.folder = folder_, .keyspaces = KeyspacesForTest()}).value();
  }

 private:
  std::string folder_;
  std::optional<Simulation> simulation_;
  std::unique_ptr<Engine> engine_;
};

}  // namespace talea
