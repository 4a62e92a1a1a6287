// Backups, as they are shown.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/json.h"
#include "talea/result.h"
#include "talea/rocksdb_engine.h"

namespace talea::cli {

// 2026-03-31T17:05:00Z
std::string UtcTime(Timestamp time);

JsonObject AsJson(const BackupDescription& backup);

// The backup of that number, or the newest if it is 0; not_found if there is none.
Result<BackupDescription> FindBackup(const std::string& folder, std::uint64_t id);

// Refuses a folder without a name, as an unset variable of a script makes it.
Status CheckFolder(std::string_view parameter, const std::string& folder);

// Reads all files of each, and tells the damage of those that are not whole.
std::vector<BackupDescription> VerifyEach(const std::string& folder,
                                          std::vector<BackupDescription> backups);

// Which backup to restore where another is damaged, as the end of a sentence. Reads all files of as
// many as it takes.
std::string NewestWhole(const std::string& folder);

}  // namespace talea::cli
