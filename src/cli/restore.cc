// talea restore: a backup becomes a database again.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/backup_list.h"
#include "cli/commands.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string backups;
  std::string folder;
  std::uint64_t id = 0;
};

// As a location has to write it.
std::string LocationOf(std::string_view folder) {
  std::string location = "rocksdb:";
  for (const char byte : folder) {
    location += byte == '%' ? "%25" : byte == '?' ? "%3F" : std::string(1, byte);
  }
  return location;
}

Status RestoreOrAdvise(const Arguments& arguments, std::uint32_t id) {
  Status restored = RestoreBackup(arguments.backups, id, arguments.folder);
  if (restored || restored.error().code() != ErrorCode::corruption) return restored;
  return Fail(ErrorCode::corruption,
              fmt::format("{}; {}", restored.error().message(), NewestWhole(arguments.backups)));
}

Result<ExitCode> Restore(Context& context, const Arguments& arguments) {
  const BackupDescription backup = TALEA_TRY(FindBackup(arguments.backups, arguments.id));
  TALEA_TRY(RestoreOrAdvise(arguments, backup.id));
  const std::string location = LocationOf(arguments.folder);
  if (context.json) {
    context.out << AsJson(backup).Add("location", location).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Backup {} of {} is now in {}.\n", backup.id, UtcTime(backup.taken),
                               location);
  }
  return ExitCode::done;
}

}  // namespace

Command RestoreCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "restore",
          .summary = "Writes a backup to a new folder, all or nothing",
          .examples = {"talea restore /mnt/backups /var/lib/visits-restored",
                       "talea restore /mnt/backups /var/lib/visits-restored --id 3"},
          .parameters = {{.name = "BACKUPS",
                          .target = &arguments->backups,
                          .help = "Where the backups are",
                          .required = true,
                          .completion = Completion::folder},
                         {.name = "FOLDER",
                          .target = &arguments->folder,
                          .help = "The folder to create",
                          .required = true,
                          .completion = Completion::folder},
                         {.name = "--id",
                          .target = &arguments->id,
                          .help = "Which one (the newest if not given)",
                          .value = "ID"}},
          .needs_database = false,
          .run = [arguments](Context& context) { return Restore(context, *arguments); }};
}

}  // namespace talea::cli
