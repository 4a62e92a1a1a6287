// Opens what --db names, as tools want it: nothing is created.
#pragma once

#include <memory>
#include <string>

#include "cli/command.h"
#include "talea/database.h"

namespace talea::cli {

// The engine that --db names, which must be there, whatever the location says about creating it.
// It is not opened as a Database: what a tool looks into may hold tenants, or be of an older
// version that looking must not change.
Result<std::shared_ptr<Engine>> OpenExisting(const Context& context);

// The same, of one database: where there are tenants, one of them has to be named.
Result<std::shared_ptr<Engine>> OpenOne(const Context& context);

// The same as a Database, for commands that change something of it, as a program would.
Result<std::unique_ptr<Database>> OpenToWrite(const Context& context);

// The keyspace of that name, or not_found with the names that there are.
Result<const Keyspace*> FindKeyspace(const Engine& engine, const std::string& name);

}  // namespace talea::cli
