// What the parts of `talea chain` take alike: points, keys, namespaces, and the state to look at.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "talea/chain.h"
#include "talea/database.h"
#include "talea/engine.h"
#include "talea/result.h"

namespace talea::cli {

// A ledger to be looked at: at its newest state, or at an older one.
struct Ledger {
  std::shared_ptr<Engine> engine;
  ChainView view;
};

// Opens what --db names, at the point that --at says, or at the newest state if it says none.
Result<Ledger> OpenLedger(const Context& context, const std::optional<std::string>& at = {});

// The database that an import fills. Where it is not there it is created, if `create` says so, but
// only after `rehearse` went well with an empty ledger in memory: what cannot be imported leaves no
// database behind.
Result<std::unique_ptr<Database>> OpenToImport(const Context& context, bool create,
                                               const std::function<Status(ChainStore&)>& rehearse);

Parameter AtParameter(std::optional<std::string>& at);

// A point, or "none" for the state before all. `name` is that of the argument.
Result<Cursor> ParseCursor(std::string_view name, std::string_view argument);

Result<OutputReference> ParseOutput(std::string_view name, std::string_view argument);
Result<EntityKey> ParseKey(std::string_view name, std::string_view argument);
Result<std::string> ParseDigits(std::string_view name, std::string_view argument);

// Fails with not_found, and the names that there are, unless the ledger has this namespace.
Status CheckNamespace(const ChainView& view, std::string_view name);

Parameter NamespaceParameter(std::string& name);
Parameter LimitParameter(std::uint64_t& limit, std::string_view what);

}  // namespace talea::cli
