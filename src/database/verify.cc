#include "talea/verify.h"

#include <algorithm>

#include "coordination/schema.h"
#include "coordination/steady_reader.h"
#include "database/verify_database_rows.h"
#include "database/verify_keyspace.h"
#include "database/verify_tenant_rows.h"
#include "keyspace/registry.h"

namespace talea {
namespace {

// The tenants of an engine that is known to hold some. Where they cannot be read, that shows when
// their rows are; until then nothing is said of them.
std::optional<TenantNames> FindTenants(Reader& reader, const CheckedDatabase& whole) {
  if (!ReadDatabaseState(whole).Is(Layout::tenants)) return std::nullopt;
  Result<TenantNames> tenants = ReadTenantNames(reader);
  if (!tenants) return std::nullopt;
  return std::move(*tenants);
}

bool IsMeant(const Keyspace& keyspace, const VerifyOptions& options) {
  return options.keyspaces.empty() ||
         std::ranges::find(options.keyspaces, keyspace) != options.keyspaces.end();
}

}  // namespace

std::vector<Keyspace> ChainKeyspaces() {
  return {kUndoKeyspace,        kStateCursorKeyspace, kStateUtxosKeyspace, kStateEntitiesKeyspace,
          kChainKeyspace,       kChainNotesKeyspace,  kChainTagsKeyspace,  kChainCountersKeyspace,
          kChainCountsKeyspace, kChainStagingKeyspace};
}

std::uint64_t VerifyReport::problem_count() const {
  std::uint64_t count = 0;
  for (const KeyspaceReport& report : keyspaces) count += report.problem_count;
  return count;
}

Result<VerifyReport> VerifyDatabase(Engine& engine, const RowProgress& progress,
                                    const VerifyOptions& options) {
  const std::shared_ptr<SteadyReader> reader = TALEA_TRY(SteadyReader::Open(engine));
  const CheckedDatabase whole{.name = "", .keyspaces = engine.keyspaces(), .reader = reader};
  const std::optional<TenantNames> tenants = FindTenants(*reader, whole);

  VerifyReport report{.finished = true, .version = reader->version(), .keyspaces = {}};
  std::uint64_t done = 0;
  const auto advance = [&](std::uint64_t rows) {
    done += rows;
    report.finished = !progress || progress(done, 0);
    return report.finished;
  };
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    if (!IsMeant(keyspace, options)) continue;
    const std::unique_ptr<RowCheck> check = tenants ? MakeTenantRowCheck(keyspace, whole, *tenants)
                                                    : MakeDatabaseRowCheck(keyspace, whole);
    report.keyspaces.push_back(VerifyKeyspace(*reader, keyspace, *check, advance));
    if (!report.finished) break;
  }
  return report;
}

}  // namespace talea
