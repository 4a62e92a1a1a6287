// Backups of a database that is in use.
#pragma once

#include <filesystem>

#include "talea/engine.h"
#include "talea/result.h"
#include "talea/rocksdb_engine.h"

namespace talea {

// Adds a backup to `folder`, which is created if absent, while reads and writes go on: one state,
// that of some commit, with all that was acknowledged before. See RocksDbEngine::BackUp; its
// ListBackups, VerifyBackup, RestoreBackup and DropOldBackups deal with the folder, and a restored
// backup is opened like any database: Database::Open("rocksdb:RESTORED").
//
// For engines on RocksDB, with all tenants that it holds. Others fail with `unsupported`: an engine
// in memory has Checkpoint, and every engine CopyDatabase (talea/copy.h), a tenant's too.
Result<BackupDescription> BackUpDatabase(Engine& engine, const std::filesystem::path& folder);

}  // namespace talea
