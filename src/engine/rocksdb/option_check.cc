#include "engine/rocksdb/option_check.h"

#include <fmt/format.h>
#include <rocksdb/db.h>

#include <algorithm>

namespace talea {
namespace {

constexpr std::size_t kSmallestBuffer = 64 << 10;  // RocksDB has none that are smaller
constexpr int kFewestOpenFiles = 32;
constexpr int kMostThreads = 256;

std::unexpected<Error> Wrong(std::string_view option, std::string_view expected, auto found) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("option {}: expected {}, found {}", option, expected, found));
}

// To RocksDB 0 means "no bound", or "choose for me".
Status CheckBuffer(std::string_view option, std::size_t bytes) {
  if (bytes >= kSmallestBuffer) return {};
  return Wrong(option, fmt::format("at least {} bytes", kSmallestBuffer), bytes);
}

// The engine's own rows are in the column family of that name.
Status CheckNames(const std::vector<Keyspace>& keyspaces) {
  const auto taken =
      std::ranges::find(keyspaces, rocksdb::kDefaultColumnFamilyName, &Keyspace::name);
  if (taken == keyspaces.end()) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("keyspace {} (id {}): expected another name, as RocksDB has this one",
                          Quoted(taken->name), taken->id));
}

}  // namespace

Status CheckOptions(const RocksDbEngineOptions& options) {
  if (options.folder.empty()) return Wrong("folder", "a path", "an empty one");
  TALEA_TRY(CheckNames(options.keyspaces));
  TALEA_TRY(CheckBuffer("write_buffer_bytes", options.write_buffer_bytes));
  TALEA_TRY(CheckBuffer("log_bytes", options.log_bytes));
  if (options.open_files && *options.open_files < kFewestOpenFiles) {
    return Wrong("open_files", fmt::format("at least {}", kFewestOpenFiles), *options.open_files);
  }
  if (options.background_threads < 1 || options.background_threads > kMostThreads) {
    return Wrong("background_threads", fmt::format("1 to {}", kMostThreads),
                 options.background_threads);
  }
  if (options.compression > Compression::zstd) {
    return Wrong("compression", "none, lz4 or zstd", static_cast<int>(options.compression));
  }
  if (options.least_durability > Durability::synced) {
    return Wrong("least_durability", "buffered or synced",
                 static_cast<int>(options.least_durability));
  }
  return {};
}

}  // namespace talea
