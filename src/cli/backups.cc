// talea backups: lists a folder of backups.
#include <fmt/format.h>

#include <algorithm>
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
  if (backups.empty()) return "No backups.\n";
  Table table{.columns = {{"id", Align::right}, {"taken"}, {"size", Align::right}}, .rows = {}};
  std::string problems;
  for (const BackupDescription& backup : backups) {
    std::vector<std::string> row = {FullNumber(std::uint64_t{backup.id})};
    if (backup.damage) {
      row.insert(row.end(), {"damaged", ""});
      problems += fmt::format("\nproblem: backup {}: {}", backup.id, *backup.damage);
    } else {
      row.insert(row.end(), {UtcTime(backup.taken), ShortBytes(static_cast<double>(backup.bytes))});
    }
    table.rows.push_back(std::move(row));
  }
  return DrawTable(table, screen) + (problems.empty() ? "" : problems + "\n");
}

Result<ExitCode> Backups(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckFolder("FOLDER", arguments.folder));
  std::vector<BackupDescription> backups = TALEA_TRY(ListBackups(arguments.folder));
  if (arguments.verify) backups = VerifyEach(arguments.folder, std::move(backups));
  const bool well = std::ranges::none_of(
      backups, [](const BackupDescription& backup) { return backup.damage.has_value(); });
  if (context.json) {
    JsonArray list;
    for (const BackupDescription& backup : backups) list.Add(AsJson(backup));
    context.out << JsonObject().Add("backups", list).Add("well", well).text() << "\n";
  } else {
    context.out << ForPeople(backups, context.screen);
    if (well && arguments.verify && !backups.empty()) {
      context.out << "\nEvery file of each was read, and has the checksum it was written with.\n";
    }
  }
  return well ? ExitCode::done : ExitCode::no;
}

}  // namespace

Command BackupsCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "backups",
          .summary = "Lists the backups in a folder, oldest first; ends with 3 if one is damaged",
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
