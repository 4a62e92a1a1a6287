#include "talea/keyspace.h"

#include <fmt/format.h>

#include <algorithm>

#include "talea/bytes.h"

namespace talea {
namespace {

constexpr std::size_t kMostKeyspaces = 128;
constexpr std::size_t kLongestName = 64;

bool WellFormed(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
  };
  return !name.empty() && name.size() <= kLongestName && std::ranges::all_of(name, allowed);
}

std::string Describe(const Keyspace& keyspace) {
  return fmt::format("{} (id {}, {})", Quoted(keyspace.name), keyspace.id, Name(keyspace.pattern));
}

}  // namespace

std::string_view Name(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::point:
      return "point";
    case AccessPattern::scan:
      return "scan";
    case AccessPattern::counter:
      return "counter";
  }
  return "unknown";
}

Result<KeyspaceSet> KeyspaceSet::Make(std::span<const Keyspace> keyspaces) {
  if (keyspaces.size() > kMostKeyspaces) {
    return Fail(ErrorCode::invalid_argument, fmt::format("expected at most {} keyspaces, found {}",
                                                         kMostKeyspaces, keyspaces.size()));
  }
  KeyspaceSet set;
  set.keyspaces_.assign(keyspaces.begin(), keyspaces.end());
  std::ranges::sort(set.keyspaces_, {}, &Keyspace::id);
  for (std::size_t position = 0; position < set.keyspaces_.size(); ++position) {
    const Keyspace& keyspace = set.keyspaces_[position];
    if (!WellFormed(keyspace.name)) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("keyspace {}: expected a name of 1 to {} letters a-z, digits and '-'",
                              Describe(keyspace), kLongestName));
    }
    for (const Keyspace& earlier : std::span(set.keyspaces_).first(position)) {
      if (earlier.id == keyspace.id || earlier.name == keyspace.name) {
        return Fail(ErrorCode::invalid_argument,
                    fmt::format("keyspace {}: expected its id and name to be its own, found {}",
                                Describe(keyspace), Describe(earlier)));
      }
    }
    set.position_[keyspace.id] = static_cast<std::uint8_t>(position);
  }
  return set;
}

Status KeyspaceSet::Check(const Keyspace& keyspace) const {
  const Keyspace* found = Find(keyspace.id);
  if (found != nullptr && *found == keyspace) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("keyspace {}: expected one that the engine was opened with, found {}",
                          Describe(keyspace), found ? Describe(*found) : "none of that id"));
}

}  // namespace talea
