// Turns commits into RocksDB's write batches.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/commit_queue.h"
#include "talea/engine.h"

namespace talea {

// RocksDB erases only up to an end, so "to the end of the keyspace" needs an end that no key
// reaches. One that is above every possible key would be longer than the longest key, and each such
// erasure would log all of it. This one is short, and the few keys that may lie beyond it are
// known.
inline constexpr std::size_t kFarBytes = 64;
bool IsFar(ByteView key);

// Which families hold, or have held, a key beyond the short end.
class FarKeys {
 public:
  explicit FarKeys(std::size_t families) : seen_(families) {}
  void Note(std::size_t family, ByteView key) {
    if (!key.empty() && key.front() == '\xff' && IsFar(key)) seen_[family].store(true);
  }
  bool seen(std::size_t family) const { return seen_[family].load(); }

  // Looks for such keys in what is stored.
  Status Load(rocksdb::DB& db, const std::vector<rocksdb::ColumnFamilyHandle*>& families);

 private:
  std::vector<std::atomic<bool>> seen_;
};

// The ranges that RocksDB is to erase, as [begin, end) with an end each; never empty or inverted.
struct ErasedRange {
  std::string begin;
  std::string end;
};
std::vector<ErasedRange> RangesToErase(const KeyRange& range, bool far_keys,
                                       std::size_t longest_key);

// Builds one batch for a group of commits: a write for each key at most, in the order of keys,
// which RocksDB's memory tables take faster than random order. Adds to one counter become one.
class BatchWriter {
 public:
  BatchWriter(const KeyspaceSet& keyspaces,
              const std::vector<rocksdb::ColumnFamilyHandle*>& families, std::size_t longest_key,
              FarKeys& far_keys)
      : keyspaces_(keyspaces),
        families_(families),
        longest_key_(longest_key),
        far_keys_(far_keys) {}

  // Valid until the next call.
  rocksdb::WriteBatch& Build(std::span<const AcceptedCommit> group);

 private:
  using Operation = WriteBatch::Operation;

  void AppendInOrder(const WriteBatch& batch);
  void AppendRange(const Operation& erased);
  void AppendPoints(std::span<const Operation> points);
  std::span<const Operation> MergedPoints(std::span<const AcceptedCommit> group);

  // Several writes to one key, in order.
  void AppendFolded(std::span<const Operation> writes);
  void AppendOne(const Operation& write);

  const KeyspaceSet& keyspaces_;
  const std::vector<rocksdb::ColumnFamilyHandle*>& families_;
  const std::size_t longest_key_;
  FarKeys& far_keys_;
  rocksdb::WriteBatch batch_;
  std::vector<Operation> merged_;
};

}  // namespace talea
