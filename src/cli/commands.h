// The list of all subcommands. To add one: a file with its function, a line here, and one in
// commands.cc, where they stand in the order of the help.
#pragma once

#include "cli/command.h"

namespace talea::cli {

Command BackupCommand();
Command BackupsCommand();
Command ChainCommand();
Command CopyCommand();
Command GetCommand();
Command IndexCommand();
Command RestoreCommand();
Command ScanCommand();
Command ServeCommand();
Command ShellCompletionCommand();
Command StatsCommand();
Command TenantsCommand();
Command VerifyCommand();

// The parts of `talea index`.
Command IndexAddCommand();
Command IndexBuildCommand();
Command IndexChangeCommand();
Command IndexCreateCommand();
Command IndexDropCommand();
Command IndexEstimateCommand();
Command IndexExplainCommand();
Command IndexListCommand();
Command IndexLoadCommand();
Command IndexRemoveCommand();
Command IndexScanCommand();
Command IndexStatsCommand();
Command IndexVerifyCommand();

// The parts of `talea chain`.
Command ChainExportCommand();
Command ChainGetCommand();
Command ChainImportCommand();
Command ChainImportCardanoCommand();
Command ChainPruneCommand();
Command ChainRollbackCommand();
Command ChainScanCommand();
Command ChainShowCommand();
Command ChainStatsCommand();
Command ChainVerifyCommand();

// What may be said beside any subcommand.
struct GlobalArguments {
  std::string location;
  bool json = false;
  bool quiet = false;
  bool no_color = false;
};

// `talea` itself: all of the above, and the options that they share.
Command TaleaCommand(GlobalArguments& globals);

}  // namespace talea::cli
