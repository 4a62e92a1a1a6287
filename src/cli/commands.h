// The list of all subcommands. To add one: a file with its function, a line here, and one in
// commands.cc, where they stand in the order of the help.
#pragma once

#include <vector>

#include "cli/command.h"

namespace talea::cli {

Command BackupCommand();
Command BackupsCommand();
Command CopyCommand();
Command GetCommand();
Command RestoreCommand();
Command ScanCommand();
Command ShellCompletionCommand();
Command StatsCommand();
Command TenantsCommand();
Command VerifyCommand();

std::vector<Command> AllCommands();

}  // namespace talea::cli
