#include "talea/tenants.h"

#include <fmt/format.h>

#include <map>
#include <mutex>

#include "coordination/attempts.h"
#include "coordination/keys.h"
#include "coordination/schema.h"
#include "coordination/tenant_engine.h"
#include "coordination/tenant_keys.h"
#include "keyspace/registry.h"
#include "talea/transaction.h"

namespace talea {
namespace {

std::unexpected<Error> NoTenant(std::string_view name) {
  return Fail(ErrorCode::not_found,
              fmt::format("tenant {}: expected one of that name, found none", Quoted(name)));
}

Result<std::optional<std::uint64_t>> ReadNumber(Reader& reader, ByteView key) {
  const auto value = TALEA_TRY(reader.Get(kTaleaKeyspace, key));
  if (!value) return std::nullopt;
  return TALEA_TRY(DecodeTenantNumber(key, *value));
}

// Gives the tenant the next number; what an unknown outcome left is found by its row.
Result<std::uint64_t> FindOrCreate(Engine& host, std::string_view name, ByteView row_key,
                                   bool create) {
  Transaction transaction(host);
  const std::optional<std::uint64_t> found = TALEA_TRY(ReadNumber(transaction, row_key));
  if (found) return *found;
  if (!create) return NoTenant(name);
  const std::string next_key = NextTenantKey();
  const std::uint64_t number = TALEA_TRY(ReadNumber(transaction, next_key))
  .value_or(1);
  transaction.Put(kTaleaKeyspace, row_key, EncodeTenantNumber(number));
  transaction.Put(kTaleaKeyspace, next_key, EncodeTenantNumber(number + 1));
  TALEA_TRY(transaction.Commit(Durability::synced));
  return number;
}

// The erasure of one number. It is done when that number's row is gone, whoever took it.
Status EraseNumber(Engine& host, std::string_view row_key, std::uint64_t number) {
  Transaction transaction(host);
  if (TALEA_TRY(ReadNumber(transaction, row_key)) != number) return {};
  const KeyRange keys = TenantPrefix(number).AllKeys();
  for (const Keyspace& keyspace : host.keyspaces().all()) transaction.EraseRange(keyspace, keys);
  transaction.Erase(kTaleaKeyspace, row_key);
  TALEA_TRY(transaction.Commit(Durability::synced));
  return {};
}

}  // namespace

// An engine with tenants, and those of them that are open in this process. There is one for each
// engine, however many Tenants there are: an erasure through one stops the writers of another.
class Tenants::Host {
 public:
  explicit Host(std::shared_ptr<Engine> host) : engine(std::move(host)) {}

  static std::shared_ptr<Host> Of(std::shared_ptr<Engine> engine) {
    static std::mutex all_mutex;
    static std::map<const Engine*, std::weak_ptr<Host>> all;
    const std::lock_guard lock(all_mutex);
    std::erase_if(all, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<Host>& known = all[engine.get()];
    std::shared_ptr<Host> host = known.lock();  // which keeps its engine: none other is there
    if (host == nullptr) known = host = std::make_shared<Host>(std::move(engine));
    return host;
  }

  std::shared_ptr<OpenTenant> Share(std::string_view name, std::string row_key,
                                    std::uint64_t number) {
    const std::lock_guard lock(mutex_);
    std::erase_if(tenants_, [](const auto& entry) { return entry.second.expired(); });
    std::weak_ptr<OpenTenant>& known = tenants_[number];
    std::shared_ptr<OpenTenant> tenant = known.lock();
    if (tenant == nullptr) {
      known = tenant = std::make_shared<OpenTenant>(std::string(name), std::move(row_key), number);
    }
    return tenant;
  }

  const std::shared_ptr<Engine> engine;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<OpenTenant>> tenants_;
};

Result<Tenants> Tenants::Over(std::shared_ptr<Engine> host) {
  TALEA_TRY(OpenSchema(*host, Layout::tenants));
  return Tenants(Host::Of(std::move(host)));
}

Engine& Tenants::host() { return *host_->engine; }

Result<std::unique_ptr<Engine>> Tenants::Open(std::string_view name, bool create) {
  const std::string row_key = TALEA_TRY(TenantRowKey(name));
  PagedReader reader(host());
  while (true) {
    const std::uint64_t number =
        TALEA_TRY(TryUntilDecided([&] { return FindOrCreate(host(), name, row_key, create); }));
    std::shared_ptr<OpenTenant> tenant = host_->Share(name, row_key, number);
    // An erasure that is over by now did not know that it has to stop this one. A later one does.
    if (TALEA_TRY(TryUntilDecided([&] { return ReadNumber(reader, row_key); })) == number) {
      return MakeTenantEngine(host(), std::move(tenant), host_);
    }
  }
}

Result<std::vector<std::string>> Tenants::List() {
  return TryUntilDecided([&]() -> Result<std::vector<std::string>> {
    std::vector<std::string> names;
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(host().OpenSnapshot());
    Scanner rows(*snapshot, kTaleaKeyspace, TenantRowKeys());
    while (const std::optional<Row> row = TALEA_TRY(rows.Next()))
      names.push_back(TALEA_TRY(TenantOfRowKey(row->key)));
    return names;
  });
}

Status Tenants::Erase(std::string_view name) {
  const std::string row_key = TALEA_TRY(TenantRowKey(name));
  const std::uint64_t number =
      TALEA_TRY(TryUntilDecided([&] { return FindOrCreate(host(), name, row_key, false); }));
  const std::shared_ptr<OpenTenant> tenant = host_->Share(name, row_key, number);
  const std::unique_lock lock(tenant->mutex);
  TALEA_TRY(TryUntilDecided([&] { return EraseNumber(host(), row_key, number); }));
  tenant->erased = true;
  return {};
}

Result<bool> HoldsTenants(Engine& engine) {
  PagedReader reader(engine);
  const auto row =
      TALEA_TRY(TryUntilDecided([&] { return reader.Get(kTaleaKeyspace, SchemaKey()); }));
  return row && TALEA_TRY(DecodeSchema(*row))
  .layout == Layout::tenants;
}

}  // namespace talea
