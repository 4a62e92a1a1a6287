// Tenants: several independent databases in one engine.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// An engine that tenants share. A tenant's engine is whole in itself, with every keyspace to
// itself: it sees no key of another, and nothing it does touches one. Tenants share the disk, the
// commit queue and the order of versions.
//
// An engine either holds tenants or is one database of its own, without the few bytes that a
// tenant's name costs in each key; it is the first use that decides. CopyDatabase (talea/copy.h)
// leads from one to the other.
//
// Database::Open of ?tenant=NAME opens the folder for that tenant alone. A program that wants
// several at once opens the folder once, and each tenant on it:
//
//   Tenants tenants = TALEA_TRY(Tenants::Over(TALEA_TRY(OpenEngine("rocksdb:shared.db"))));
//   auto ada = TALEA_TRY(Database::Over(TALEA_TRY(tenants.Open("ada"))));
//   auto bob = TALEA_TRY(Database::Over(TALEA_TRY(tenants.Open("bob"))));
class Tenants {
 public:
  // Refuses an engine that holds a database of its own.
  static Result<Tenants> Over(std::shared_ptr<Engine> host);

  // The engine of a tenant, which is created if there is none of that name: 1 to 255 bytes of
  // UTF-8. Without `create` that is not_found. While one is open it may be opened again, and the
  // two share it as two threads share one. It keeps the host.
  //
  // Its statistics count what this process did with it. Rows and bytes by keyspace are not known
  // for a tenant; what its engine tells as a whole is the host's, and called talea_host_.
  //
  // Its limits leave room for the prefix. To open a snapshot takes one read more than on the host.
  // Checkpoint and Shutdown are the host's to call, and fail with `unsupported` here.
  Result<std::unique_ptr<Engine>> Open(std::string_view name, bool create = true);

  // Names, in order.
  Result<std::vector<std::string>> List();

  // Erases all that a tenant has, in one commit; not_found if there is none. Waits for commits of
  // the tenant that are under way. Its snapshots go on to show what was there; its transactions
  // fail, and its engine answers not_found from then on, in every process. A tenant of that name
  // that is created later is a new one, and empty.
  Status Erase(std::string_view name);

  Engine& host();

 private:
  class Host;
  explicit Tenants(std::shared_ptr<Host> host) : host_(std::move(host)) {}
  std::shared_ptr<Host> host_;  // shared by all Tenants over the same engine
};

// Whether an engine holds tenants, as one that nobody has used yet does not. Changes nothing.
Result<bool> HoldsTenants(Engine& engine);

}  // namespace talea
