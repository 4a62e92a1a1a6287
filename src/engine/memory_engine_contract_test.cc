#include "talea/memory_engine.h"
#include "talea/testing/engine_contract.h"

namespace talea {
namespace {

ContractEngine MemoryEngine() {
  ContractEngine engine;
  engine.name = "Memory";
  engine.persists = false;
  engine.open = [](const std::filesystem::path&, std::vector<Keyspace> keyspaces) {
    return OpenMemoryEngine({.keyspaces = std::move(keyspaces), .checkpoint = {}});
  };
  engine.open_checkpoint = [](const std::filesystem::path& folder,
                              std::vector<Keyspace> keyspaces) {
    return OpenMemoryEngine({.keyspaces = std::move(keyspaces), .checkpoint = folder});
  };
  return engine;
}

INSTANTIATE_TEST_SUITE_P(Memory, EngineContract, testing::Values(MemoryEngine()),
                         EngineContract::Name);

}  // namespace
}  // namespace talea
