#include "cli/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

#include "talea/tenants.h"

namespace talea::cli {

Result<std::shared_ptr<Engine>> OpenExisting(const Context& context) {
  return OpenEngine(context.location, {.create = false});
}

Result<std::shared_ptr<Engine>> OpenOne(const Context& context) {
  std::shared_ptr<Engine> engine = TALEA_TRY(OpenExisting(context));
  if (!TALEA_TRY(HoldsTenants(*engine))) return engine;
  return Fail(ErrorCode::precondition_failed,
              fmt::format("database {}: expected one database, found tenants: name one of them by "
                          "?tenant=NAME; `talea tenants list` lists them",
                          Quoted(context.location)));
}

Result<std::unique_ptr<Database>> OpenToWrite(const Context& context) {
  return Database::Open(context.location, {.create = false});
}

Result<const Keyspace*> FindKeyspace(const Engine& engine, const std::string& name) {
  std::vector<std::string_view> names;
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    if (keyspace.name == name) return &keyspace;
    names.push_back(keyspace.name);
  }
  return Fail(ErrorCode::not_found,
              fmt::format("keyspace {}: expected one of {}", Quoted(name), fmt::join(names, ", ")));
}

}  // namespace talea::cli
