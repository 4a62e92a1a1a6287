// The contents of a memory engine: one map for each keyspace, at one version.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/persistent_map.h"
#include "talea/engine.h"

namespace talea {

// Copies are cheap and independent; see PersistentMap.
class MemoryState {
 public:
  explicit MemoryState(const KeyspaceSet& keyspaces)
      : keyspaces_(&keyspaces), maps_(keyspaces.all().size()) {}

  Version version;

  void Apply(const WriteBatch::Operation& operation);
  void Put(const Keyspace& keyspace, ByteView key, ByteView value);
  std::optional<ByteView> Get(const Keyspace& keyspace, ByteView key) const;
  Page Range(const Keyspace& keyspace, const KeyRange& range, const PageOptions& options) const;
  const PersistentMap& map(const Keyspace& keyspace) const {
    return maps_[keyspaces_->Position(keyspace.id)];
  }

 private:
  const KeyspaceSet* keyspaces_;
  std::vector<PersistentMap> maps_;  // by position in keyspaces_
};

}  // namespace talea
