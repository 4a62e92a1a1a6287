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

// The bytes of a location's path, in which %25 stands for % and %3F for a question mark.
std::string Unescaped(std::string_view path) {
  std::string folder;
  for (std::size_t at = 0; at < path.size(); ++at) {
    const std::string_view escape = path.substr(at, 3);
    const bool percent = escape == "%25";
    const bool question = escape == "%3F" || escape == "%3f";
    folder += percent ? '%' : question ? '?' : path[at];
    if (percent || question) at += 2;
  }
  return folder;
}

// The folder that is meant, which may be given as the location that it is going to have.
Result<std::string> TargetFolder(const std::string& given) {
  constexpr std::string_view kScheme = "rocksdb:";
  const std::size_t colon = given.find(':');
  const bool folder = colon == std::string::npos || given.find('/') < colon;
  if (!folder && !given.starts_with(kScheme)) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("FOLDER: expected a folder, or rocksdb:FOLDER, found {}; a folder of "
                            "that name is written {}",
                            Quoted(given), Quoted("./" + given)));
  }
  if (folder) return given;
  const std::string path = given.substr(kScheme.size());
  if (path.find('?') == std::string::npos) return Unescaped(path);
  return Fail(ErrorCode::invalid_argument,
              fmt::format("FOLDER: expected a location without options, found {}", Quoted(given)));
}

Status RestoreOrAdvise(const std::string& backups, std::uint32_t id, const std::string& folder) {
  Status restored = RestoreBackup(backups, id, folder);
  if (restored || restored.error().code() != ErrorCode::corruption) return restored;
  return Fail(ErrorCode::corruption,
              fmt::format("{}; {}", restored.error().message(), NewestWhole(backups)));
}

Result<ExitCode> Restore(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckFolder("BACKUPS", arguments.backups));
  const std::string folder = TALEA_TRY(TargetFolder(arguments.folder));
  TALEA_TRY(CheckFolder("FOLDER", folder));
  const BackupDescription backup = TALEA_TRY(FindBackup(arguments.backups, arguments.id));
  TALEA_TRY(RestoreOrAdvise(arguments.backups, backup.id, folder));
  const std::string location = LocationOf(folder);
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
                          .help = "The folder to create, or rocksdb:FOLDER",
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
