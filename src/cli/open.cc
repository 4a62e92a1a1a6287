#include "cli/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace talea::cli {

Result<std::shared_ptr<Engine>> OpenExisting(const Context& context) {
  return OpenEngine(context.location, {.create = false});
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
