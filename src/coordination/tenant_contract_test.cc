// The engine of a tenant keeps the whole contract, and leaves its neighbours alone meanwhile.
#include "engine/contract/fixture.h"
#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/tenants.h"
#include "talea/testing/engine_contract.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

using contract::Model;
using contract::Must;

// Keys at both ends of what a tenant can have, in every keyspace.
WriteBatch NeighboursRows() {
  WriteBatch batch;
  for (const ByteView key : {ByteView(), ByteView("key"), ByteView("\xff\xff\xff\xff\xff")}) {
    batch.Put(contract::kPoints, key, "mine");
    batch.Put(contract::kScans, key, "mine");
    batch.PutCounter(contract::kCounters, key, 7);
    batch.PutCounter(contract::kSums, key, -7);
  }
  return batch;
}

// A tenant between two others, whose rows must be as they were whenever the host is closed. What
// is the host's to do, it does.
class TenantAmongOthers final : public Engine {
 public:
  static Result<std::unique_ptr<Engine>> Over(std::shared_ptr<Engine> host) {
    return std::make_unique<TenantAmongOthers>(TALEA_TRY(Tenants::Over(std::move(host))));
  }
  explicit TenantAmongOthers(Tenants tenants)
      : tenants_(std::move(tenants)),
        before_(Must(tenants_.Open("before"))),
        tenant_(Must(tenants_.Open("tenant"))),
        beyond_(Must(tenants_.Open("beyond"))) {
    for (Engine* neighbour : {before_.get(), beyond_.get()})
      Must(neighbour->Commit({.batch = NeighboursRows()}));
  }
  ~TenantAmongOthers() override { ExpectNeighboursUnchanged(); }

  // Without Talea's own, as the suite has asked for.
  const KeyspaceSet& keyspaces() const override { return keyspaces_; }
  const Limits& limits() const override { return tenant_->limits(); }
  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override { return tenant_->OpenSnapshot(); }
  Result<Version> Commit(CommitRequest request) override {
    return tenant_->Commit(std::move(request));
  }
  Result<Version> Ingest(IngestRequest request) override {
    return tenant_->Ingest(std::move(request));
  }
  Result<Statistics> GetStatistics() override { return tenant_->GetStatistics(); }
  Status Checkpoint(const std::filesystem::path& folder) override {
    return tenants_.host().Checkpoint(folder);
  }
  Status Shutdown(std::chrono::milliseconds bound) override {
    ExpectNeighboursUnchanged();
    return tenants_.host().Shutdown(bound);
  }

 private:
  void ExpectNeighboursUnchanged() {
    Model expected;
    expected.Apply(NeighboursRows());
    for (Engine* neighbour : {before_.get(), beyond_.get()}) {
      const Result<std::unique_ptr<Snapshot>> snapshot = neighbour->OpenSnapshot();
      if (!snapshot && snapshot.error().code() == ErrorCode::closed) continue;
      ASSERT_OK(snapshot);
      EXPECT_EQ(Difference(expected, contract::Dump(**snapshot)), "");
    }
  }

  const KeyspaceSet keyspaces_ = Must(KeyspaceSet::Make(contract::kKeyspaces));
  Tenants tenants_;
  const std::unique_ptr<Engine> before_, tenant_, beyond_;
};

std::vector<Keyspace> WithTaleas(std::vector<Keyspace> keyspaces) {
  keyspaces.insert(keyspaces.end(), kAllKeyspaces.begin(), kAllKeyspaces.end());
  return keyspaces;
}

ContractEngine TenantInMemory() {
  const auto open = [](std::optional<std::filesystem::path> checkpoint,
                       std::vector<Keyspace> keyspaces) -> Result<std::unique_ptr<Engine>> {
    return TenantAmongOthers::Over(TALEA_TRY(OpenMemoryEngine(
        {.keyspaces = WithTaleas(std::move(keyspaces)), .checkpoint = checkpoint})));
  };
  ContractEngine engine;
  engine.name = "TenantInMemory";
  engine.persists = false;
  engine.open = [open](const std::filesystem::path&, std::vector<Keyspace> keyspaces) {
    return open(std::nullopt, std::move(keyspaces));
  };
  engine.open_checkpoint = open;
  return engine;
}

// The simulations, one for each folder that a test opens.
ContractEngine TenantInSimulation(SimulationProfile profile) {
  auto worlds = std::make_shared<std::map<std::filesystem::path, Simulation>>();
  ContractEngine engine;
  engine.name = "TenantOn_" + profile.name;
  engine.ingests = profile.files;
  engine.open = [worlds, profile](
                    const std::filesystem::path& folder,
                    std::vector<Keyspace> keyspaces) -> Result<std::unique_ptr<Engine>> {
    if (!worlds->contains(folder)) {
      worlds->emplace(folder, TALEA_TRY(Simulation::Make(WithTaleas(std::move(keyspaces)),
                                                         profile.WithoutFaults(), TestSeed())));
    }
    return TenantAmongOthers::Over(TALEA_TRY(worlds->at(folder).Open()));
  };
  return engine;
}

INSTANTIATE_TEST_SUITE_P(Tenant, EngineContract,
                         testing::Values(TenantInMemory(),
                                         TenantInSimulation(SimulationProfile::RocksDb()),
                                         TenantInSimulation(SimulationProfile::FoundationDb())),
                         EngineContract::Name);

}  // namespace
}  // namespace talea
