// talea backups: lists a folder of backups.
#include <memory>
#include <ostream>

#include "cli/backup_list.h"
#include "cli/commands.h"
#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string folder;
  bool verify = false;
};

std::string ForPeople(const std::vector<BackupDescription>& backups, const Screen& screen) {
  Table table{.columns = {{"id", Align::right}, {"taken"}, {"size", Align::right}}, .rows = {}};
  for (const BackupDescription& backup : backups) {
    table.rows.push_back({FullNumber(std::uint64_t{backup.id}), UtcTime(backup.taken),
                          ShortBytes(static_cast<double>(backup.bytes))});
  }
  return backups.empty() ? "No backups.\n" : DrawTable(table, screen);
}

Result<ExitCode> Backups(Context& context, const Arguments& arguments) {
  const auto backups = TALEA_TRY(ListBackups(arguments.folder));
  if (arguments.verify) {
    for (const BackupDescription& backup : backups) {
      TALEA_TRY(VerifyBackup(arguments.folder, backup.id));
    }
  }
  if (context.json) {
    JsonArray list;
    for (const BackupDescription& backup : backups) list.Add(AsJson(backup));
    context.out << JsonObject().Add("backups", list).text() << "\n";
  } else {
    context.out << ForPeople(backups, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command BackupsCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "backups",
          .summary = "Lists the backups in a folder, oldest first",
          .examples = {"talea backups /mnt/backups", "talea backups /mnt/backups --verify"},
          .parameters = {{.name = "FOLDER",
                          .target = &arguments->folder,
                          .help = "Where the backups are",
                          .required = true,
                          .completion = Completion::folder},
                         {.name = "--verify",
                          .target = &arguments->verify,
                          .help = "Read every file of each, and compare its checksum"}},
          .needs_database = false,
          .run = [arguments](Context& context) { return Backups(context, *arguments); }};
}

}  // namespace talea::cli
