// Keyspaces: the few parts that an engine's data is divided into, chosen by how they are read.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/result.h"

namespace talea {

// How the rows of a keyspace are used; an engine tunes its storage by it.
enum class AccessPattern : std::uint8_t {
  point,    // looked up by whole keys, often absent ones
  scan,     // read in ranges
  counter,  // signed 64-bit sums, changed by Add
};

// The pattern's name as written above.
std::string_view Name(AccessPattern pattern);

// A named ordered map from key to value. Ids and names are part of the format on disk: never reuse
// one.
//
// Define it once, as a constant, and pass it by reference:
//   inline constexpr Keyspace kVisits{200, AccessPattern::counter, "visits"};
//
// Ids below 128 belong to Talea's own layers, the others are for whoever brings a keyspace.
struct Keyspace {
  std::uint8_t id;
  AccessPattern pattern;
  std::string_view name;  // 1 to 64 of a-z, 0-9 and '-'; outlives every use, as a literal does

  friend bool operator==(const Keyspace&, const Keyspace&) = default;
};

inline constexpr std::uint8_t kFirstUserKeyspaceId = 128;

// The keyspaces that one engine holds: their ids and names are distinct and well formed.
class KeyspaceSet {
 public:
  // Refuses a repeated or malformed id or name, naming it.
  static Result<KeyspaceSet> Make(std::span<const Keyspace> keyspaces);
  static Result<KeyspaceSet> Make(std::initializer_list<Keyspace> keyspaces) {
    return Make(std::span(keyspaces.begin(), keyspaces.size()));
  }

  // In order of their ids.
  std::span<const Keyspace> all() const { return keyspaces_; }

  // The keyspace of that id, or null.
  const Keyspace* Find(std::uint8_t id) const {
    return position_[id] == kAbsent ? nullptr : &keyspaces_[position_[id]];
  }

  // The place of a keyspace in all(); only for those it holds.
  std::size_t Position(std::uint8_t id) const { return position_[id]; }

  // Fails unless this very keyspace (id, pattern and name) is held.
  Status Check(const Keyspace& keyspace) const;

 private:
  static constexpr std::uint8_t kAbsent = 255;

  std::vector<Keyspace> keyspaces_;
  std::vector<std::uint8_t> position_ = std::vector<std::uint8_t>(256, kAbsent);
};

}  // namespace talea
