// talea backup: adds a backup to a folder of them.
#include <fmt/format.h>

#include <memory>
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
  std::uint64_t keep = 0;
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

Result<ExitCode> Backup(Context& context, const Arguments& arguments) {
  const auto engine = TALEA_TRY(OpenExisting(context));
  RocksDbEngine& files = *TALEA_TRY(BackupEngine(*engine, context.location));
  const BackupDescription backup = TALEA_TRY(files.BackUp(arguments.folder));
  TALEA_TRY(VerifyOrDrop(arguments.folder, backup.id));
  if (arguments.keep > 0) {
    const auto kept = static_cast<std::uint32_t>(arguments.keep);
    TALEA_TRY(DropOldBackups(arguments.folder, kept));
  }
  if (context.json) {
    context.out << AsJson(backup).text() << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Backup {} in {}: {}, read again and found whole.\n", backup.id,
                               arguments.folder, ShortBytes(static_cast<double>(backup.bytes)));
  }
  return ExitCode::done;
}

}  // namespace

Command BackupCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "backup",
          .summary = "Adds a backup to a folder of backups, and reads it again to be sure",
          .examples = {"talea --db rocksdb:/var/lib/visits backup /mnt/backups",
                       "talea backup /mnt/backups --keep 7"},
          .parameters = {{.name = "FOLDER",
                          .target = &arguments->folder,
                          .help = "Where the backups are; created if absent",
                          .required = true,
                          .completion = Completion::folder},
                         {.name = "--keep",
                          .target = &arguments->keep,
                          .help = "Drop all but the newest N afterwards (none if not given)",
                          .value = "N"}},
          .run = [arguments](Context& context) { return Backup(context, *arguments); }};
}

}  // namespace talea::cli
