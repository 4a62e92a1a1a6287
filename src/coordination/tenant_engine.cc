#include "coordination/tenant_engine.h"

#include <fmt/format.h>

#include <vector>

#include "coordination/tenant_writes.h"
#include "engine/checks.h"
#include "keyspace/registry.h"

namespace talea {
namespace {

// What the engine tells of itself as a whole is not the tenant's, and its name says so.
constexpr std::string_view kEngineMetrics = "talea_engine_";
constexpr std::string_view kHostMetrics = "talea_host_";

class TenantEngine final : public Engine {
 public:
  TenantEngine(Engine& host, std::shared_ptr<OpenTenant> tenant, std::shared_ptr<void> keeper)
      : keeper_(std::move(keeper)),
        host_(host),
        tenant_(std::move(tenant)),
        limits_(TenantLimits(host.limits(), tenant_->prefix)) {}

  const KeyspaceSet& keyspaces() const override { return host_.keyspaces(); }
  const Limits& limits() const override { return limits_; }

  Result<std::unique_ptr<Snapshot>> OpenSnapshot() override;
  Result<Version> Commit(CommitRequest request) override;
  Result<Version> Ingest(IngestRequest request) override;
  Status Checkpoint(const std::filesystem::path&) override { return HostsToCall("Checkpoint"); }
  Result<Statistics> GetStatistics() override;
  Status Shutdown(std::chrono::milliseconds) override { return HostsToCall("Shutdown"); }

 private:
  class TenantSnapshot;

  Error Gone() const {
    return {ErrorCode::not_found, fmt::format("tenant {}: it was erased", Quoted(tenant_->name))};
  }
  std::unexpected<Error> HostsToCall(std::string_view call) const {
    return Fail(ErrorCode::unsupported,
                fmt::format("{} of tenant {}: expected to be called on the engine that holds it",
                            call, Quoted(tenant_->name)));
  }
  Status CheckNotErased() const {
    if (tenant_->erased) return std::unexpected(Gone());
    return {};
  }
  Status CheckRow(Reader& reader) const;
  Result<Version> Counted(Result<Version> version, bool empty) const;
  CommitRequest InHostsTerms(CommitRequest request, Snapshot* snapshot) const;

  const std::shared_ptr<void> keeper_;
  Engine& host_;
  const std::shared_ptr<OpenTenant> tenant_;
  const Limits limits_;
};

class TenantEngine::TenantSnapshot final : public Snapshot {
 public:
  TenantSnapshot(const TenantEngine& engine, std::unique_ptr<Snapshot> snapshot)
      : engine_(engine), snapshot_(std::move(snapshot)) {
    ++engine_.tenant_->open_snapshots;
  }
  ~TenantSnapshot() override { --engine_.tenant_->open_snapshots; }
  TenantSnapshot(const TenantSnapshot&) = delete;
  TenantSnapshot& operator=(const TenantSnapshot&) = delete;

  Version version() const override { return snapshot_->version(); }
  Snapshot* hosts() const { return snapshot_.get(); }

  // Any engine of the same tenant will do.
  bool BelongsTo(const TenantEngine& engine) const { return engine.tenant_ == engine_.tenant_; }

  Result<std::optional<std::string>> Get(const Keyspace& keyspace, ByteView key) override {
    TALEA_TRY(CheckRead(engine_.keyspaces(), engine_.limits_, keyspace, key));
    return snapshot_->Get(keyspace, prefix().Extend(key));
  }

  Result<std::vector<std::optional<std::string>>> MultiGet(
      std::span<const KeyReference> keys) override {
    std::vector<std::string> extended;
    extended.reserve(keys.size());
    std::vector<KeyReference> references;
    references.reserve(keys.size());
    for (const KeyReference& key : keys) {
      TALEA_TRY(CheckRead(engine_.keyspaces(), engine_.limits_, *key.keyspace, key.key));
      references.emplace_back(*key.keyspace, extended.emplace_back(prefix().Extend(key.key)));
    }
    return snapshot_->MultiGet(references);
  }

  Result<Page> Range(const Keyspace& keyspace, const KeyRange& range,
                     const PageOptions& options) override {
    Page page = TALEA_TRY(snapshot_->Range(keyspace, prefix().Extend(range), options));
    page.RemovePrefix(prefix().size());
    if (page.more()) page.SetRest(prefix().Strip(*page.rest()));
    return page;
  }

 private:
  const TenantPrefix& prefix() const { return engine_.tenant_->prefix; }

  const TenantEngine& engine_;
  const std::unique_ptr<Snapshot> snapshot_;
};

Status TenantEngine::CheckRow(Reader& reader) const {
  const auto row = TALEA_TRY(reader.Get(kTaleaKeyspace, tenant_->row_key));
  if (row && TALEA_TRY(DecodeTenantNumber(tenant_->row_key, *row)) == tenant_->number) return {};
  tenant_->erased = true;
  return std::unexpected(Gone());
}

Result<std::unique_ptr<Snapshot>> TenantEngine::OpenSnapshot() {
  std::unique_ptr<Snapshot> snapshot = TALEA_TRY(host_.OpenSnapshot());
  TALEA_TRY(CheckRow(*snapshot));
  return std::make_unique<TenantSnapshot>(*this, std::move(snapshot));
}

CommitRequest TenantEngine::InHostsTerms(CommitRequest request, Snapshot* snapshot) const {
  const TenantPrefix& prefix = tenant_->prefix;
  const bool blind = request.reads.empty();
  request.snapshot = snapshot;
  request.reads = Extend(prefix, request.reads, keyspaces());
  request.batch = Extend(prefix, request.batch, keyspaces());
  for (Expectation& expected : request.expected) expected.key = prefix.Extend(expected.key);
  if (blind && limits_.shared) {
    request.expected.push_back(
        {&kTaleaKeyspace, tenant_->row_key, EncodeTenantNumber(tenant_->number)});
  }
  return request;
}

// The host counts rows and bytes of all tenants together, so a tenant's are not known.
Result<Statistics> TenantEngine::GetStatistics() {
  Statistics hosts = TALEA_TRY(host_.GetStatistics());
  Statistics statistics{.version = hosts.version,
                        .commits = tenant_->commits,
                        .conflicts = tenant_->conflicts,
                        .open_snapshots = tenant_->open_snapshots,
                        .metrics = {}};
  for (Metric& metric : hosts.metrics) {
    if (!metric.label.empty() || !metric.name.starts_with(kEngineMetrics)) continue;
    metric.name.replace(0, kEngineMetrics.size(), kHostMetrics);
    statistics.metrics.push_back(std::move(metric));
  }
  return statistics;
}

Result<Version> TenantEngine::Counted(Result<Version> version, bool empty) const {
  if (version && !empty) ++tenant_->commits;
  if (!version && version.error().code() == ErrorCode::conflict) ++tenant_->conflicts;
  return version;
}

Result<Version> TenantEngine::Commit(CommitRequest request) {
  TALEA_TRY(CheckCommit(keyspaces(), limits_, request));
  const TenantSnapshot* snapshot = TALEA_TRY(OwnSnapshot<TenantSnapshot>(request, *this));
  const std::shared_lock lock(tenant_->mutex);
  TALEA_TRY(CheckNotErased());
  const bool empty = request.batch.empty();
  const Result<Version> version =
      Counted(host_.Commit(InHostsTerms(std::move(request),
                                        snapshot != nullptr ? snapshot->hosts() : nullptr)),
              empty);
  if (version || version.error().code() != ErrorCode::conflict) return version;
  // The erasure is among what it may have conflicted with.
  if (const Result<std::unique_ptr<Snapshot>> now = host_.OpenSnapshot()) {
    const Status present = CheckRow(**now);
    if (!present && present.error().code() == ErrorCode::not_found)
      return std::unexpected(present.error());
  }
  return version;
}

Result<Version> TenantEngine::Ingest(IngestRequest request) {
  TALEA_TRY(CheckIngest(keyspaces(), limits_, request));
  const std::shared_lock lock(tenant_->mutex);
  TALEA_TRY(CheckNotErased());
  ExtendedRuns runs(tenant_->prefix, request.runs, limits_);
  return Counted(host_.Ingest({.runs = runs.runs(),
                               .batch = Extend(tenant_->prefix, request.batch, keyspaces())}),
                 false);
}

}  // namespace

std::unique_ptr<Engine> MakeTenantEngine(Engine& host, std::shared_ptr<OpenTenant> tenant,
                                         std::shared_ptr<void> keeper) {
  return std::make_unique<TenantEngine>(host, std::move(tenant), std::move(keeper));
}

Limits TenantLimits(const Limits& host, const TenantPrefix& prefix) {
  const std::size_t bytes = prefix.size();
  Limits limits = host;
  limits.key_bytes -= bytes;
  // Where an operation has two keys, both ends of a range, the second counts as its value.
  limits.write.fixed += bytes * host.write.key_factor;
  limits.clear.fixed += bytes * (host.clear.key_factor + host.clear.value_factor);
  limits.read.fixed += bytes * (host.read.key_factor + host.read.value_factor);
  return limits;
}

}  // namespace talea
