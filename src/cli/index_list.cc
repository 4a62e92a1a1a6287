// talea index list: all indexes.
#include "cli/commands.h"
#include "cli/index_table.h"
#include "cli/open.h"

namespace talea::cli {
namespace {

Result<ExitCode> List(Context& context) {
  TALEA_TRY(ShowIndexes(context, *TALEA_TRY(OpenExisting(context))));
  return ExitCode::done;
}

}  // namespace

Command IndexListCommand() {
  return {.name = "list",
          .summary = "Lists the indexes of a database",
          .examples = {"talea --db rocksdb:/var/lib/people index list",
                       "talea index list --json | jq -r '.indexes[].name'"},
          .parameters = {},
          .run = List};
}

}  // namespace talea::cli
