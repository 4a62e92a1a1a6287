#include "talea/memory_engine.h"
#include "talea/testing/engine_contract.h"
#include "talea/testing/random.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

// The simulations, one for each folder that a test opens, so that opening it again finds what was
// there.
ContractEngine Simulated(SimulationProfile profile) {
  auto worlds = std::make_shared<std::map<std::filesystem::path, Simulation>>();
  ContractEngine engine;
  engine.name = profile.name;
  engine.ingests = profile.files;
  engine.open = [worlds, profile](
                    const std::filesystem::path& folder,
                    std::vector<Keyspace> keyspaces) -> Result<std::unique_ptr<Engine>> {
    auto world = worlds->find(folder);
    if (world == worlds->end()) {
      Simulation made =
          TALEA_TRY(Simulation::Make(std::move(keyspaces), profile.WithoutFaults(), TestSeed()));
      world = worlds->emplace(folder, std::move(made)).first;
    }
    return world->second.Open();
  };
  if (!profile.files) return engine;
  engine.open_checkpoint = [](const std::filesystem::path& folder,
                              std::vector<Keyspace> keyspaces) {
    return OpenMemoryEngine({.keyspaces = std::move(keyspaces), .checkpoint = folder});
  };
  return engine;
}

INSTANTIATE_TEST_SUITE_P(Simulation, EngineContract,
                         testing::Values(Simulated(SimulationProfile::RocksDb()),
                                         Simulated(SimulationProfile::FoundationDb())),
                         EngineContract::Name);

}  // namespace
}  // namespace talea
