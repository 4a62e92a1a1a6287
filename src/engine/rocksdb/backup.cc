#include "engine/rocksdb/backup.h"

#include <fmt/format.h>
#include <rocksdb/utilities/backup_engine.h>

#include <algorithm>
#include <ranges>

#include "base/file.h"
#include "engine/rocksdb/backup_metadata.h"
#include "engine/rocksdb/format_file.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

namespace fs = std::filesystem;

rocksdb::BackupEngineOptions OptionsFor(const fs::path& folder) {
  rocksdb::BackupEngineOptions options(folder);
  options.sync = true;
  options.share_table_files = true;
  options.share_files_with_checksum = true;
  return options;
}

// RocksDB takes a folder that it may not read for one that is absent.
Status CheckExists(const fs::path& folder) {
  std::error_code error;
  const fs::directory_iterator readable(folder / "meta", error);
  if (!error) return {};
  if (error == std::errc::no_such_file_or_directory || error == std::errc::not_a_directory) {
    return Fail(ErrorCode::not_found,
                fmt::format("folder {}: expected backups, found none", Quoted(folder.native())));
  }
  return Fail(ErrorCode::io_error,
              fmt::format("reading the backups in {}: {}: {}", Quoted(folder.native()),
                          Quoted((folder / "meta").native()), error.message()));
}

// A folder that holds something else than backups was named by mistake. What a file system, or a
// first backup that was killed, leaves in it does not count.
Status CheckContents(const fs::path& folder) {
  Status exists = CheckExists(folder);
  if (exists || exists.error().code() != ErrorCode::not_found) return exists;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
    const fs::path name = entries->path().filename();
    if (name == "private" || name == "shared_checksum" || name == "lost+found") continue;
    return Fail(ErrorCode::invalid_argument,
                fmt::format("folder {}: expected backups or nothing at all, found {}",
                            Quoted(folder.native()), Quoted(name.native())));
  }
  if (!error) return {};
  return Fail(ErrorCode::io_error,
              fmt::format("reading folder {}: {}", Quoted(folder.native()), error.message()));
}

// One who writes to a folder of backups, alone: two would give their backups the same number, and
// each take the other's unfinished files for garbage.
struct BackupWriter {
  FolderLock lock;
  std::unique_ptr<rocksdb::BackupEngine> backups;
};

Result<BackupWriter> OpenToWrite(const fs::path& folder) {
  const std::string what = fmt::format("backups in {}", Quoted(folder.native()));
  Result<FolderLock> lock = FolderLock::Take(folder);
  if (!lock) return Fail(lock.error().code(), what + ": " + lock.error().message());
  TALEA_TRY(CheckContents(folder));
  rocksdb::BackupEngine* opened = nullptr;
  TALEA_TRY(
      Check("opening the " + what,
            rocksdb::BackupEngine::Open(OptionsFor(folder), rocksdb::Env::Default(), &opened)));
  return BackupWriter{std::move(*lock), std::unique_ptr<rocksdb::BackupEngine>(opened)};
}

// Creates nothing, so that a misspelt name does not become a folder.
Result<std::unique_ptr<rocksdb::BackupEngineReadOnly>> OpenToRead(const fs::path& folder) {
  TALEA_TRY(CheckExists(folder));
  rocksdb::BackupEngineReadOnly* opened = nullptr;
  TALEA_TRY(Check(
      fmt::format("opening the backups in {}", Quoted(folder.native())),
      rocksdb::BackupEngineReadOnly::Open(OptionsFor(folder), rocksdb::Env::Default(), &opened)));
  return std::unique_ptr<rocksdb::BackupEngineReadOnly>(opened);
}

BackupDescription Describe(const rocksdb::BackupInfo& info) {
  return {info.backup_id, Timestamp(std::chrono::seconds(info.timestamp)), info.size};
}

BackupDescription Damaged(std::uint32_t id, std::string damage) {
  return {id, Timestamp(), 0, std::move(damage)};
}

// In ascending order, with those that RocksDB found damaged when it opened the folder.
std::vector<rocksdb::BackupID> AllIds(const auto& backups) {
  std::vector<rocksdb::BackupID> ids;
  backups.GetCorruptedBackups(&ids);
  std::vector<rocksdb::BackupInfo> found;
  backups.GetBackupInfo(&found);
  for (const rocksdb::BackupInfo& info : found) ids.push_back(info.backup_id);
  std::ranges::sort(ids);
  return ids;
}

std::string NameOf(const fs::path& folder, std::uint32_t id) {
  return fmt::format("backup {} in {}", id, Quoted(folder.native()));
}

Result<rocksdb::BackupInfo> FindBackup(const fs::path& folder, auto& backups, std::uint32_t id) {
  rocksdb::BackupInfo info;
  TALEA_TRY(Check(NameOf(folder, id), backups.GetBackupInfo(id, &info)));
  return info;
}

Status CreateFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (!error) return {};
  return Fail(ErrorCode::io_error,
              fmt::format("creating folder {}: {}", Quoted(folder.native()), error.message()));
}

std::string DatabaseName(const BackupMetadata& metadata) {
  return metadata.database.empty() ? "one that an earlier Talea did not name" : metadata.database;
}

// Backups of two databases in one folder would count as each other's, to drop and to restore.
Status CheckSameDatabase(const fs::path& folder, const rocksdb::BackupEngine& backups,
                         const std::string& database) {
  const std::vector<rocksdb::BackupID> ids = AllIds(backups);
  bool known = ids.empty();
  for (const rocksdb::BackupID id : ids) {
    rocksdb::BackupInfo info;
    if (!backups.GetBackupInfo(id, &info).ok()) continue;
    const Result<BackupMetadata> metadata = DecodeBackupMetadata(info.app_metadata);
    if (!metadata) continue;
    known = true;
    if (metadata->database == database) continue;
    return Fail(ErrorCode::invalid_argument,
                fmt::format("folder {}: expected backups of this database, {}, found that backup "
                            "{} is of another, {}; each database, a restored one too, needs a "
                            "folder of its own",
                            Quoted(folder.native()), database, id, DatabaseName(*metadata)));
  }
  if (known) return {};
  return Fail(ErrorCode::corruption,
              fmt::format("folder {}: expected backups of this database, found only damaged ones, "
                          "which do not tell of which they are; name another folder",
                          Quoted(folder.native())));
}

}  // namespace

Result<BackupDescription> CreateBackup(Store& store, const fs::path& folder) {
  TALEA_TRY(CreateFolder(folder));
  const BackupWriter writer = TALEA_TRY(OpenToWrite(folder));
  BackupMetadata metadata{.database = {}, .format_file = store.format_file()};
  TALEA_TRY(
      Check("reading the identity of the database", store.db().GetDbIdentity(metadata.database)));
  TALEA_TRY(CheckSameDatabase(folder, *writer.backups, metadata.database));
  rocksdb::CreateBackupOptions options;
  options.flush_before_backup = false;  // the log is copied, so nobody waits
  rocksdb::BackupID id = 0;
  TALEA_TRY(Check("backing up to " + Quoted(folder.native()),
                  writer.backups->CreateNewBackupWithMetadata(
                      options, &store.db(), EncodeBackupMetadata(metadata), &id)));
  return Describe(TALEA_TRY(FindBackup(folder, *writer.backups, id)));
}

Result<std::vector<BackupDescription>> ListBackups(const fs::path& folder) {
  const std::unique_ptr<rocksdb::BackupEngineReadOnly> backups = TALEA_TRY(OpenToRead(folder));
  std::vector<BackupDescription> list;
  for (const rocksdb::BackupID id : AllIds(*backups)) {
    rocksdb::BackupInfo info;
    const rocksdb::Status found = backups->GetBackupInfo(id, &info);
    const Result<BackupMetadata> metadata = DecodeBackupMetadata(info.app_metadata);
    list.push_back(!found.ok() ? Damaged(id, found.ToString())
                   : !metadata ? Damaged(id, metadata.error().message())
                               : Describe(info));
  }
  return list;
}

Status VerifyBackup(const fs::path& folder, std::uint32_t id) {
  const std::unique_ptr<rocksdb::BackupEngineReadOnly> backups = TALEA_TRY(OpenToRead(folder));
  return Check("verifying " + NameOf(folder, id), backups->VerifyBackup(id, true));
}

Status RestoreBackup(const fs::path& folder, std::uint32_t id, const fs::path& target) {
  std::unique_ptr<rocksdb::BackupEngineReadOnly> backups = TALEA_TRY(OpenToRead(folder));
  const rocksdb::BackupInfo info = TALEA_TRY(FindBackup(folder, *backups, id));
  const Result<BackupMetadata> metadata = DecodeBackupMetadata(info.app_metadata);
  if (!metadata) {
    return Fail(metadata.error().code(), NameOf(folder, id) + ": " + metadata.error().message());
  }
  return CreateFolderWhole(target, [&](const fs::path& temporary) -> Status {
    // After a failure its threads still write, until it is destroyed: into a folder that is being
    // removed, if it outlived this.
    const std::unique_ptr<rocksdb::BackupEngineReadOnly> restoring = std::move(backups);
    const rocksdb::Status restored =
        restoring->RestoreDBFromBackup(rocksdb::RestoreOptions(), id, temporary, temporary);
    // Of a damaged file RocksDB does not tell the name here, only when it verifies.
    if (restored.IsCorruption()) TALEA_TRY(VerifyBackup(folder, id));
    TALEA_TRY(Check(fmt::format("restoring {} to {}", NameOf(folder, id), Quoted(target.native())),
                    restored));
    return WriteFormatFile(temporary, metadata->format_file);
  });
}

Status DropBackup(const fs::path& folder, std::uint32_t id) {
  TALEA_TRY(CheckExists(folder));
  const BackupWriter writer = TALEA_TRY(OpenToWrite(folder));
  TALEA_TRY(Check("dropping " + NameOf(folder, id), writer.backups->DeleteBackup(id)));
  return Check("dropping " + NameOf(folder, id), writer.backups->GarbageCollect());
}

Status DropOldBackups(const fs::path& folder, std::uint32_t kept) {
  TALEA_TRY(CheckExists(folder));
  const BackupWriter writer = TALEA_TRY(OpenToWrite(folder));
  std::uint32_t newer = 0;  // than the one at hand, and not seen to be damaged
  for (const rocksdb::BackupID id : AllIds(*writer.backups) | std::views::reverse) {
    rocksdb::BackupInfo info;
    if (newer >= kept) {
      TALEA_TRY(Check("dropping " + NameOf(folder, id), writer.backups->DeleteBackup(id)));
    } else if (writer.backups->GetBackupInfo(id, &info).ok()) {
      ++newer;
    }
  }
  return Check("dropping old backups", writer.backups->GarbageCollect());
}

}  // namespace talea
