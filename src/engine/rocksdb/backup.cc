#include "engine/rocksdb/backup.h"

#include <fmt/format.h>
#include <rocksdb/utilities/backup_engine.h>

#include "base/file.h"
#include "engine/rocksdb/format_file.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

Result<std::unique_ptr<rocksdb::BackupEngine>> OpenBackups(const fs::path& folder) {
  rocksdb::BackupEngineOptions options(folder);
  options.sync = true;
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  rocksdb::BackupEngine* opened = nullptr;
  TALEA_TRY(Check(fmt::format("opening the backups in {}", Quoted(folder.native())),
                  rocksdb::BackupEngine::Open(options, rocksdb::Env::Default(), &opened)));
  return std::unique_ptr<rocksdb::BackupEngine>(opened);
}

// For calls that only read, so that a misspelt name does not become a folder.
Result<std::unique_ptr<rocksdb::BackupEngine>> OpenExistingBackups(const fs::path& folder) {
  std::error_code error;
  if (fs::is_directory(folder / "meta", error)) return OpenBackups(folder);
  return Fail(ErrorCode::not_found,
              fmt::format("folder {}: expected backups, found none", Quoted(folder.native())));
}

BackupDescription Describe(const rocksdb::BackupInfo& info) {
  return {info.backup_id, Timestamp(std::chrono::seconds(info.timestamp)), info.size};
}

Result<rocksdb::BackupInfo> FindBackup(rocksdb::BackupEngine& backups, std::uint32_t id) {
  rocksdb::BackupInfo info;
  TALEA_TRY(Check(fmt::format("backup {}", id), backups.GetBackupInfo(id, &info)));
  return info;
}

}  // namespace

Result<BackupDescription> CreateBackup(Store& store, const fs::path& folder) {
  const std::unique_ptr<rocksdb::BackupEngine> backups = TALEA_TRY(OpenBackups(folder));
  rocksdb::CreateBackupOptions options;
  options.flush_before_backup = false;  // the log is copied, so nobody waits
  rocksdb::BackupID id = 0;
  TALEA_TRY(Check("backing up", backups->CreateNewBackupWithMetadata(options, &store.db(),
                                                                     store.format_file(), &id)));
  return Describe(TALEA_TRY(FindBackup(*backups, id)));
}

Result<std::vector<BackupDescription>> ListBackups(const fs::path& folder) {
  const std::unique_ptr<rocksdb::BackupEngine> backups = TALEA_TRY(OpenExistingBackups(folder));
  std::vector<rocksdb::BackupInfo> found;
  backups->GetBackupInfo(&found);
  std::vector<BackupDescription> list;
  for (const rocksdb::BackupInfo& info : found) list.push_back(Describe(info));
  return list;
}

Status VerifyBackup(const fs::path& folder, std::uint32_t id) {
  const std::unique_ptr<rocksdb::BackupEngine> backups = TALEA_TRY(OpenExistingBackups(folder));
  return Check(fmt::format("verifying backup {}", id), backups->VerifyBackup(id, true));
}

Status RestoreBackup(const fs::path& folder, std::uint32_t id, const fs::path& target) {
  const std::unique_ptr<rocksdb::BackupEngine> backups = TALEA_TRY(OpenExistingBackups(folder));
  const rocksdb::BackupInfo info = TALEA_TRY(FindBackup(*backups, id));
  TALEA_TRY(DecodeFormatFile(info.app_metadata));
  return CreateFolderWhole(target, [&](const fs::path& temporary) -> Status {
    TALEA_TRY(
        Check(fmt::format("restoring backup {}", id),
              backups->RestoreDBFromBackup(rocksdb::RestoreOptions(), id, temporary, temporary)));
    return WriteFormatFile(temporary, info.app_metadata);
  });
}

Status DropOldBackups(const fs::path& folder, std::uint32_t kept) {
  const std::unique_ptr<rocksdb::BackupEngine> backups = TALEA_TRY(OpenExistingBackups(folder));
  TALEA_TRY(Check("dropping old backups", backups->PurgeOldBackups(kept)));
  return Check("dropping old backups", backups->GarbageCollect());
}

}  // namespace talea
