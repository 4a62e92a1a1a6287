#include "cli/backup_list.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ranges>

namespace talea::cli {

std::string UtcTime(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

JsonObject AsJson(const BackupDescription& backup) {
  JsonObject object;
  object.Add("id", backup.id);
  if (backup.damage) return object.Add("damage", *backup.damage);
  return object.Add("taken", UtcTime(backup.taken)).Add("bytes", backup.bytes);
}

Result<BackupDescription> FindBackup(const std::string& folder, std::uint64_t id) {
  const auto backups = TALEA_TRY(ListBackups(folder));
  if (id == 0 && !backups.empty()) return backups.back();
  for (const BackupDescription& backup : backups) {
    if (backup.id == id) return backup;
  }
  const std::string wanted = id == 0 ? "a backup" : fmt::format("backup {}", id);
  const std::string found =
      backups.empty() ? "none" : fmt::format("{} to {}", backups.front().id, backups.back().id);
  return Fail(ErrorCode::not_found,
              fmt::format("folder {}: expected {}, found {}", Quoted(folder), wanted, found));
}

Status CheckFolder(std::string_view parameter, const std::string& folder) {
  if (!folder.empty()) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected the name of a folder, found nothing", parameter));
}

std::vector<BackupDescription> VerifyEach(const std::string& folder,
                                          std::vector<BackupDescription> backups) {
  for (BackupDescription& backup : backups) {
    if (backup.damage) continue;
    const Status verified = VerifyBackup(folder, backup.id);
    if (!verified) backup.damage = verified.error().message();
  }
  return backups;
}

std::string NewestWhole(const std::string& folder) {
  const Result<std::vector<BackupDescription>> backups = ListBackups(folder);
  if (!backups) return backups.error().message();
  for (const BackupDescription& backup : *backups | std::views::reverse) {
    if (backup.damage || !VerifyBackup(folder, backup.id)) continue;
    return fmt::format("the newest that is whole is {0}: --id {0} restores it", backup.id);
  }
  return "no backup in this folder is whole";
}

}  // namespace talea::cli
