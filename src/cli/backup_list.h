// Backups, as they are shown.
#pragma once

#include <string>

#include "json/json.h"
#include "talea/result.h"
#include "talea/rocksdb_engine.h"

namespace talea::cli {

// 2026-03-31T17:05:00Z
std::string UtcTime(Timestamp time);

JsonObject AsJson(const BackupDescription& backup);

// The backup of that number, or the newest if it is 0; not_found if there is none.
Result<BackupDescription> FindBackup(const std::string& folder, std::uint64_t id);

}  // namespace talea::cli
