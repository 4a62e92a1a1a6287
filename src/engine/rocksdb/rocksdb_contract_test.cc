// The contract suite on the RocksDB engine.
#include "talea/rocksdb_engine.h"
#include "talea/testing/engine_contract.h"

namespace talea {
namespace {

Result<std::unique_ptr<Engine>> Open(const std::filesystem::path& folder,
                                     std::vector<Keyspace> keyspaces) {
  return OpenRocksDbEngine({.folder = folder, .keyspaces = std::move(keyspaces)});
}

INSTANTIATE_TEST_SUITE_P(RocksDb, EngineContract,
                         testing::Values(ContractEngine{
                             .name = "rocksdb", .open = Open, .open_checkpoint = Open}),
                         EngineContract::Name);

}  // namespace
}  // namespace talea
