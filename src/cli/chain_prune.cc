// talea chain prune: forgets how to take back old steps.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "json/json.h"
#include "talea/chain.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::uint64_t keep = 0;
};

Result<ExitCode> Prune(Context& context, const Arguments& arguments) {
  const auto database = TALEA_TRY(OpenToWrite(context));
  const std::uint64_t forgotten = TALEA_TRY(ChainStore(database->engine()).Prune(arguments.keep));
  if (context.json) {
    context.out << JsonObject().Add("forgotten", forgotten).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("{} can no longer be taken back.\n", Counted(forgotten, "step"));
  }
  return ExitCode::done;
}

}  // namespace

Command ChainPruneCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "prune",
          .summary = "Forgets how to take back all but the newest steps, which frees their space",
          .examples = {"talea chain prune --keep 2160"},
          .parameters = {{.name = "--keep",
                          .target = &arguments->keep,
                          .help = "How many steps can still be taken back",
                          .value = "N",
                          .required = true}},
          .run = [arguments](Context& context) { return Prune(context, *arguments); }};
}

}  // namespace talea::cli
