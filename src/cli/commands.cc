#include "cli/commands.h"

namespace talea::cli {

Command TaleaCommand(GlobalArguments& globals) {
  return {
      .name = "talea",
      .summary = "Looks into, checks, backs up and copies Talea databases",
      .examples = {"talea --db rocksdb:/var/lib/visits stats",
                   "TALEA_DB=rocksdb:/var/lib/visits talea scan visits --limit 10"},
      .parameters = {{.name = "--db",
                      .target = &globals.location,
                      .help = "The database, such as rocksdb:FOLDER (or the variable TALEA_DB)",
                      .value = "LOCATION",
                      .completion = Completion::location,
                      .variable = "TALEA_DB"},
                     {.name = "--json",
                      .target = &globals.json,
                      .help = "Answer, or fail, with one JSON document"},
                     {.name = "--quiet",
                      .target = &globals.quiet,
                      .help = "No progress and no remarks",
                      .letter = 'q'},
                     {.name = "--no-color",
                      .target = &globals.no_color,
                      .help = "No colours (as with the variable NO_COLOR)"}},
      .commands = {StatsCommand(), GetCommand(), ScanCommand(), VerifyCommand(), IndexCommand(),
                   ChainCommand(), BackupCommand(), BackupsCommand(), RestoreCommand(),
                   CopyCommand(), TenantsCommand(), ServeCommand(), ShellCompletionCommand()},
  };
}

}  // namespace talea::cli
