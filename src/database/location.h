// Where a database is and how it is opened, in one line: rocksdb:/var/lib/visits?cache=512M
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "talea/engine.h"
#include "talea/result.h"
#include "talea/rocksdb_engine.h"

namespace talea {

// A location that was read. What it does not say is absent, and the engine's own default then
// counts. docs/locations.md is the reference.
struct Location {
  enum class Scheme : std::uint8_t { memory, rocksdb };

  Scheme scheme = Scheme::memory;
  std::string path;                   // for memory: a checkpoint to start from, or nothing
  std::optional<std::string> tenant;  // of every scheme; all that follows is RocksDB's
  std::optional<std::uint64_t> cache_bytes;
  std::optional<std::uint64_t> write_buffer_bytes;
  std::optional<std::uint64_t> log_bytes;
  std::optional<std::uint64_t> open_files;
  std::optional<std::uint64_t> threads;
  std::optional<Compression> compression;
  std::optional<Durability> durability;
  std::optional<bool> create;

  friend bool operator==(const Location&, const Location&) = default;
};

// Reads SCHEME:PATH?OPTION=VALUE&OPTION=VALUE. Fails with invalid_argument, naming the part that is
// wrong and what is known instead: an unknown scheme, option or value, a repeated option, a missing
// path. Touches no file.
Result<Location> ParseLocation(std::string_view text);

// The one way to write it that ParseLocation reads back: options in the order of LocationOptions.
std::string ToString(const Location& location);

// What an option is, for the reference and for messages.
struct LocationOption {
  std::string name;
  std::string schemes;  // that have it: "all", or one's name
  std::string values;
  std::string fallback;  // what counts where it is not given
  std::string meaning;
};
std::vector<LocationOption> LocationOptions();

}  // namespace talea
