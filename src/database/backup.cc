#include "talea/backup.h"

namespace talea {

Result<BackupDescription> BackUpDatabase(Engine& engine, const std::filesystem::path& folder) {
  if (auto* rocksdb = dynamic_cast<RocksDbEngine*>(&engine)) return rocksdb->BackUp(folder);
  return Fail(ErrorCode::unsupported,
              "backup: expected an engine on RocksDB, and not a tenant's part of one; take a "
              "checkpoint of an engine in memory, or copy the database");
}

}  // namespace talea
