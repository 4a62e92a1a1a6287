// talea backup: adds a backup to a folder of them.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/backup_list.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "talea/rocksdb_engine.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string folder;
  std::optional<std::uint64_t> keep;
};

// Only this engine has files that can be shared between backups.
Result<RocksDbEngine*> BackupEngine(Engine& engine, const std::string& location) {
  if (auto* found = dynamic_cast<RocksDbEngine*>(&engine)) return found;
  return Fail(ErrorCode::unsupported,
              fmt::format("database {}: expected one that is a rocksdb: folder as a whole; "
                          "`talea copy` takes every other",
                          Quoted(location)));
}

// One that is not whole must not be the newest, which is restored if nothing else is said.
Status VerifyOrDrop(const std::string& folder, std::uint32_t id) {
  const Status verified = VerifyBackup(folder, id);
  if (verified) return {};
  const Status dropped = DropBackup(folder, id);
  return Fail(verified.error().code(),
              fmt::format("{}; {}. A file of the folder that earlier backups share may be damaged: "
                          "`talea backups {} --verify` tells, and a new folder takes new files",
                          verified.error().message(),
                          dropped ? "this backup was dropped" : dropped.error().message(), folder));
}

// Before anything is opened.
Status CheckArguments(const Arguments& arguments) {
  TALEA_TRY(CheckFolder("FOLDER", arguments.folder));
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  if (!arguments.keep || (*arguments.keep >= 1 && *arguments.keep <= kMost)) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("--keep: expected a number from 1 to {}, found {}", kMost, *arguments.keep));
}

Result<ExitCode> Backup(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckArguments(arguments));
  const auto engine = TALEA_TRY(OpenExisting(context));
  RocksDbEngine& files = *TALEA_TRY(BackupEngine(*engine, context.location));
  const BackupDescription backup = TALEA_TRY(files.BackUp(arguments.folder));
  TALEA_TRY(VerifyOrDrop(arguments.folder, backup.id));
  if (arguments.keep) {
    TALEA_TRY(DropOldBackups(arguments.folder, static_cast<std::uint32_t>(*arguments.keep)));
  }
  if (context.json) {
    context.out << AsJson(backup).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format(
        "Backup {} in {}: {}, read again: every file is as it was copied. "
        "`talea verify` checks what they hold.\n",
        backup.id, arguments.folder, ShortBytes(static_cast<double>(backup.bytes)));
  }
  return ExitCode::done;
}

}  // namespace

Command BackupCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "backup",
          .summary = "Adds a backup to a folder of backups, and compares it with what was copied",
          .examples = {"talea --db rocksdb:/var/lib/visits backup /mnt/backups",
                       "talea backup /mnt/backups --keep 7"},
          .parameters = {{.name = "FOLDER",
                          .target = &arguments->folder,
                          .help = "Where the backups are; created if absent",
                          .required = true,
                          .completion = Completion::folder},
                         {.name = "--keep",
                          .target = &arguments->keep,
                          .help = "Drop all older than the newest N afterwards (none if not given)",
                          .value = "N"}},
          .run = [arguments](Context& context) { return Backup(context, *arguments); }};
}

}  // namespace talea::cli
