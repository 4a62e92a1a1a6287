// Backups by RocksDB's BackupEngine.
//
// Why not checkpoints: a backup has to outlive the disk, to be told from a damaged one, and to be
// taken often. BackupEngine copies only files that the folder does not hold yet, checksums all it
// copies, and keeps several backups at once. What it does not know, the file TALEA, travels as its
// metadata.
#pragma once

#include <filesystem>

#include "engine/rocksdb/store.h"
#include "talea/rocksdb_engine.h"

namespace talea {

Result<BackupDescription> CreateBackup(Store& store, const std::filesystem::path& folder);

}  // namespace talea
