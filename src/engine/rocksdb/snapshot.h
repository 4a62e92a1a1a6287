// Reads of one state of a RocksDB engine.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <vector>

#include "engine/rocksdb/range_cursor.h"
#include "engine/rocksdb/store.h"
#include "talea/engine.h"

namespace talea {

// A snapshot of RocksDB and the version whose state it is, exactly. Shared by all who open a
// snapshot while no commit is published in between.
class PinnedState {
 public:
  PinnedState(rocksdb::DB& db, Version version)
      : db_(db), snapshot_(db.GetSnapshot()), version_(version) {}
  PinnedState(const PinnedState&) = delete;
  PinnedState& operator=(const PinnedState&) = delete;
  ~PinnedState() { db_.ReleaseSnapshot(snapshot_); }

  const rocksdb::Snapshot* snapshot() const { return snapshot_; }
  Version version() const { return version_; }

 private:
  rocksdb::DB& db_;
  const rocksdb::Snapshot* snapshot_;
  Version version_;
};

// Reads rows; the caller has checked keyspaces and limits. Sums of 0 are hidden, and bytes in a
// counter keyspace that are no counter are reported as corruption.
class StoreReader {
 public:
  StoreReader(Store& store, const KeyspaceSet& keyspaces) : store_(store), keyspaces_(keyspaces) {}

  // With a null snapshot: the newest state.
  Result<std::optional<std::string>> Get(const rocksdb::Snapshot* snapshot,
                                         const Keyspace& keyspace, ByteView key) const;
  Result<std::vector<std::optional<std::string>>> MultiGet(
      const rocksdb::Snapshot* snapshot, std::span<const KeyReference> keys) const;
  std::unique_ptr<RangeCursor> Cursor(const rocksdb::Snapshot* snapshot, const Keyspace& keyspace,
                                      KeyRange range, bool reverse) const;

 private:
  rocksdb::ColumnFamilyHandle* Family(const Keyspace& keyspace) const {
    return store_.families()[keyspaces_.Position(keyspace.id)];
  }

  Store& store_;
  const KeyspaceSet& keyspaces_;
};

}  // namespace talea
