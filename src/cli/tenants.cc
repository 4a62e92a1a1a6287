// talea tenants: the databases that share one engine.
#include "talea/tenants.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/copy.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

Result<ExitCode> List(Context& context) {
  Tenants tenants = TALEA_TRY(Tenants::Over(TALEA_TRY(OpenExisting(context))));
  const std::vector<std::string> names = TALEA_TRY(tenants.List());
  JsonArray all;
  JsonArray unfinished;
  for (const std::string& name : names) {
    const auto tenant = TALEA_TRY(tenants.Open(name, false));
    const bool half = TALEA_TRY(HoldsUnfinishedCopy(*tenant));
    all.Add(name);
    if (half) unfinished.Add(name);
    if (context.json) continue;
    context.out << Showable(name) << (half ? " (a copy that was not finished)" : "") << "\n";
  }
  if (context.json) {
    context.out << JsonObject().Add("tenants", all).Add("unfinished", unfinished).text() << "\n";
  }
  return ExitCode::done;
}

struct EraseArguments {
  std::string name;
  bool yes = false;
};

Result<ExitCode> Erase(Context& context, const EraseArguments& arguments) {
  if (!arguments.yes) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("tenant {}: erasing cannot be taken back; say --yes to do it",
                            Quoted(arguments.name)));
  }
  Tenants tenants = TALEA_TRY(Tenants::Over(TALEA_TRY(OpenExisting(context))));
  TALEA_TRY(tenants.Erase(arguments.name));
  if (context.json) {
    context.out << JsonObject().Add("erased", arguments.name).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Erased tenant {}.\n", Quoted(arguments.name));
  }
  return ExitCode::done;
}

Command ListCommand() {
  return {.name = "list",
          .summary = "Lists the tenants of a database",
          .examples = {"talea --db rocksdb:/var/lib/all tenants list"},
          .parameters = {},
          .run = List};
}

Command EraseCommand() {
  const auto arguments = std::make_shared<EraseArguments>();
  return {
      .name = "erase",
      .summary = "Erases a tenant and all that it has, in one commit",
      .examples = {"talea --db rocksdb:/var/lib/all tenants erase visits --yes"},
      .parameters =
          {{.name = "NAME", .target = &arguments->name, .help = "The tenant", .required = true},
           {.name = "--yes", .target = &arguments->yes, .help = "Really: it cannot be taken back"}},
      .run = [arguments](Context& context) { return Erase(context, *arguments); }};
}

}  // namespace

Command TenantsCommand() {
  return {.name = "tenants",
          .summary = "Lists the tenants that share a database, or erases one",
          .examples = {"talea --db rocksdb:/var/lib/all tenants list"},
          .parameters = {},
          .commands = {ListCommand(), EraseCommand()}};
}

}  // namespace talea::cli
