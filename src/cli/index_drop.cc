// talea index drop: an index and all its entries.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  bool yes = false;
};

Result<ExitCode> Drop(Context& context, const Arguments& arguments) {
  if (!arguments.yes) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("index {}: dropping cannot be taken back; say --yes to do it",
                            Quoted(arguments.name)));
  }
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  TALEA_TRY(indexes.Drop(arguments.name));
  if (context.json) {
    context.out << JsonObject().Add("dropped", arguments.name).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Dropped index {}.\n", Quoted(arguments.name));
  }
  return ExitCode::done;
}

}  // namespace

Command IndexDropCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "drop",
          .summary = "Drops an index and all its entries",
          .examples = {"talea index drop people-by-city --yes"},
          .parameters = {IndexNameParameter(arguments->name),
                         {.name = "--yes",
                          .target = &arguments->yes,
                          .help = "Really: it cannot be taken back"}},
          .run = [arguments](Context& context) { return Drop(context, *arguments); }};
}

}  // namespace talea::cli
