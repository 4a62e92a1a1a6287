#include "cli/backup_list.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

namespace talea::cli {

std::string UtcTime(Timestamp time) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(time);
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(seconds)));
}

JsonObject AsJson(const BackupDescription& backup) {
  return JsonObject()
      .Add("id", backup.id)
      .Add("taken", UtcTime(backup.taken))
      .Add("bytes", backup.bytes);
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

}  // namespace talea::cli
