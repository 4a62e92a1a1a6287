// The file TALEA in a database's folder: says that it is ours, in which format, and what it holds.
//
// It stands outside of RocksDB so that it can be read, and a database refused, before RocksDB
// touches anything. docs/formats/rocksdb.md describes its bytes.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "talea/bytes.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea {

inline constexpr char kFormatFileName[] = "TALEA";
inline constexpr std::uint32_t kRocksDbFormat = 1;

struct StoredKeyspace {
  std::uint8_t id;
  AccessPattern pattern;
  std::string name;
  friend bool operator==(const StoredKeyspace&, const StoredKeyspace&) = default;
};

// In the order in which they are stored: that of their ids.
std::string EncodeFormatFile(const std::vector<StoredKeyspace>& keyspaces);

// The bytes are untrusted. A newer format is `unsupported`, everything else that is wrong
// `corruption`.
Result<std::vector<StoredKeyspace>> DecodeFormatFile(ByteView bytes);

// Reads it; nothing if there is none.
Result<std::optional<std::vector<StoredKeyspace>>> ReadFormatFile(
    const std::filesystem::path& folder);

// Replaces it, all or nothing, and syncs.
Status WriteFormatFile(const std::filesystem::path& folder, ByteView encoded);

// What it is to hold once these keyspaces are opened; fails, naming the culprit, if one that is
// stored is missing from them or differs.
Result<std::vector<StoredKeyspace>> MatchKeyspaces(const std::vector<StoredKeyspace>& stored,
                                                   const KeyspaceSet& wanted);

}  // namespace talea
