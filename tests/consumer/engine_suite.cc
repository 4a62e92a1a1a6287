// The contract suite, as it is installed, on an engine that somebody brings: here the one in
// memory.
#include <talea/memory_engine.h>
#include <talea/testing/engine_contract.h>

namespace talea {
namespace {

ContractEngine Brought() {
  ContractEngine engine;
  engine.name = "Brought";
  engine.persists = false;
  engine.open = [](const std::filesystem::path&, std::vector<Keyspace> keyspaces) {
    return OpenMemoryEngine({.keyspaces = std::move(keyspaces), .checkpoint = {}});
  };
  return engine;
}

INSTANTIATE_TEST_SUITE_P(Brought, EngineContract, testing::Values(Brought()), EngineContract::Name);

}  // namespace
}  // namespace talea
