// talea chain: the state of a ledger.
#include "cli/commands.h"

namespace talea::cli {

Command ChainCommand() {
  return {
      .name = "chain",
      .summary = "Looks into the state of a ledger, takes blocks back, exports and imports it",
      .examples = {"talea chain stats", "talea chain scan changes --since 4492800.HASH",
                   "talea chain rollback 4492800.HASH --yes", "talea chain export ledger.talea"},
      .parameters = {},
      .commands = {ChainStatsCommand(), ChainGetCommand(), ChainScanCommand(), ChainShowCommand(),
                   ChainVerifyCommand(), ChainRollbackCommand(), ChainPruneCommand(),
                   ChainExportCommand(), ChainImportCommand(), ChainImportCardanoCommand()}};
}

}  // namespace talea::cli
