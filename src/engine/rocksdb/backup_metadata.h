// What Talea stores with each backup, as RocksDB's metadata: of which database it is, and the file
// TALEA, which RocksDB does not know. docs/formats/rocksdb.md describes its bytes.
#pragma once

#include <string>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

struct BackupMetadata {
  std::string database;     // RocksDB's identity of it; empty in backups of an earlier Talea
  std::string format_file;  // the contents of TALEA, which can be decoded
  friend bool operator==(const BackupMetadata&, const BackupMetadata&) = default;
};

std::string EncodeBackupMetadata(const BackupMetadata& metadata);

// The bytes are untrusted. A newer format is `unsupported`, everything else that is wrong
// `corruption`.
Result<BackupMetadata> DecodeBackupMetadata(ByteView bytes);

}  // namespace talea
