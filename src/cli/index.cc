// talea index: secondary indexes that know how many entries match.
#include "cli/commands.h"

namespace talea::cli {

Command IndexCommand() {
  return {.name = "index",
          .summary = "Makes, fills and looks into indexes, and tells how many entries match",
          .examples = {"talea index create people-by-city",
                       "talea index load people-by-city people.csv --value city --document id",
                       "talea index estimate people-by-city --starts-with Lon"},
          .parameters = {},
          .commands = {IndexListCommand(), IndexStatsCommand(), IndexEstimateCommand(),
                       IndexExplainCommand(), IndexScanCommand(), IndexVerifyCommand(),
                       IndexCreateCommand(), IndexAddCommand(), IndexRemoveCommand(),
                       IndexLoadCommand(), IndexBuildCommand(), IndexChangeCommand(),
                       IndexDropCommand()}};
}

}  // namespace talea::cli
