#include "cli/open.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <vector>

namespace talea::cli {
std::string WithoutCreating(const std::string& location) {
  const std::size_t options = location.find('?');
  const bool says =
      options != std::string::npos && location.find("create=", options) != std::string::npos;
  if (says || !location.starts_with("rocksdb:")) return location;
  return location + (options == std::string::npos ? "?" : "&") + "create=no";
}

Result<std::shared_ptr<Engine>> OpenExisting(const Context& context) {
  const std::string location = WithoutCreating(context.location);
  Result<std::shared_ptr<Engine>> engine = OpenEngine(location);
  if (engine) return engine;
  // The message should quote what was written, not what we made of it.
  std::string message = engine.error().message();
  if (const std::size_t place = message.find(location); place != std::string::npos) {
    message.replace(place, location.size(), context.location);
  }
  return Fail(engine.error().code(), std::move(message));
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
