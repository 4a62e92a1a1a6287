// Database::Open: from a location to a database.
#include "database/open.h"

#include <fmt/format.h>

#include "database/copied_rows.h"
#include "engine/forwarding_engine.h"
#include "histograms/changes.h"
#include "talea/database.h"
#include "talea/memory_engine.h"
#include "talea/rocksdb_engine.h"
#include "talea/tenants.h"

namespace talea {
namespace {

// A tenant that was opened together with the engine that holds it, and is shut down with it.
class TenantWithHost final : public ForwardingEngine {
 public:
  TenantWithHost(std::shared_ptr<Engine> host, std::unique_ptr<Engine> tenant)
      : ForwardingEngine(std::move(tenant)), host_(std::move(host)) {}

  Status Shutdown(std::chrono::milliseconds bound) override { return host_->Shutdown(bound); }

 private:
  const std::shared_ptr<Engine> host_;
};

// Talea's own and the program's.
Result<std::vector<Keyspace>> AllKeyspaces(const std::vector<Keyspace>& programs) {
  std::vector<Keyspace> all = TaleaKeyspaces();
  for (const Keyspace& keyspace : programs) {
    if (keyspace.id < kFirstUserKeyspaceId) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("keyspace {}: expected an id of {} or more, as those below are "
                              "Talea's own, found {}",
                              Quoted(keyspace.name), kFirstUserKeyspaceId, keyspace.id));
    }
    all.push_back(keyspace);
  }
  return all;
}

RocksDbEngineOptions RocksDbOptions(const Location& location) {
  RocksDbEngineOptions options{.folder = location.path, .open_stored_keyspaces = true};
  options.least_durability = location.durability.value_or(options.least_durability);
  options.cache_bytes = location.cache_bytes.value_or(options.cache_bytes);
  options.write_buffer_bytes = location.write_buffer_bytes.value_or(options.write_buffer_bytes);
  options.log_bytes = location.log_bytes.value_or(options.log_bytes);
  if (location.open_files) options.open_files = static_cast<int>(*location.open_files);
  options.compression = location.compression.value_or(options.compression);
  if (location.threads) options.background_threads = static_cast<int>(*location.threads);
  return options;
}

// One in memory that starts from nothing is always created, and so is its tenant.
bool Creates(const Location& location, const DatabaseOptions& options) {
  const bool always = location.scheme == Location::Scheme::memory && location.path.empty();
  return always || options.create.value_or(location.create.value_or(true));
}

}  // namespace

Result<std::shared_ptr<Engine>> OpenHost(const Location& location, const DatabaseOptions& options) {
  std::vector<Keyspace> keyspaces = TALEA_TRY(AllKeyspaces(options.keyspaces));
  if (location.scheme == Location::Scheme::memory) {
    MemoryEngineOptions memory{.keyspaces = std::move(keyspaces), .checkpoint = {}};
    if (!location.path.empty()) memory.checkpoint = location.path;
    return TALEA_TRY(OpenMemoryEngine(std::move(memory)));
  }
  RocksDbEngineOptions rocksdb = RocksDbOptions(location);
  rocksdb.create = Creates(location, options);
  rocksdb.keyspaces = std::move(keyspaces);
  rocksdb.warn = options.warn;
  return TALEA_TRY(OpenRocksDbEngine(std::move(rocksdb)));
}

Result<std::unique_ptr<Engine>> OpenTenantOf(Tenants& tenants, const Location& location,
                                             const DatabaseOptions& options) {
  return tenants.Open(*location.tenant, Creates(location, options));
}

Result<std::shared_ptr<Engine>> OpenLocation(const Location& location,
                                             const DatabaseOptions& options) {
  std::shared_ptr<Engine> host = TALEA_TRY(OpenHost(location, options));
  if (!location.tenant) return host;
  Tenants tenants = TALEA_TRY(Tenants::Over(host));
  std::unique_ptr<Engine> tenant = TALEA_TRY(OpenTenantOf(tenants, location, options));
  return std::make_shared<TenantWithHost>(std::move(host), std::move(tenant));
}

Result<std::shared_ptr<Engine>> OpenEngine(std::string_view location, DatabaseOptions options) {
  histograms::SetUndoRules();  // tools take steps back without a Database
  std::shared_ptr<Engine> engine =
      TALEA_TRY(OpenLocation(TALEA_TRY(ParseLocation(location)), options));
  // Where the mark cannot be read the database is damaged, which tools have to be able to look at.
  const Status whole = CheckIsWhole(*engine);
  if (!whole && whole.error().code() == ErrorCode::precondition_failed) {
    return std::unexpected(whole.error());
  }
  return engine;
}

Result<std::unique_ptr<Database>> Database::Open(std::string_view location,
                                                 DatabaseOptions options) {
  std::shared_ptr<Engine> engine = TALEA_TRY(OpenEngine(location, options));
  return Over(std::move(engine), std::move(options));
}

}  // namespace talea
