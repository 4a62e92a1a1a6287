// Makes RocksDB's memory tables take sorted batches faster.
#pragma once

#include <rocksdb/slice_transform.h>
#include <rocksdb/write_batch.h>

#include <memory>

namespace talea {

// With a hint a memory table looks for a key's place from where the last one went, which for sorted
// keys is near. RocksDB keeps its hints by prefix of the key, and asks this for the prefix: one of
// no bytes, so that all keys share a hint; or none, outside of a HintedWrite.
//
// Not every write may use it: RocksDB 7.8 has the same hints for the table of range erasures, which
// is another one, and the first erasure would follow a pointer into the wrong one.
std::shared_ptr<const rocksdb::SliceTransform> InsertHint();

// While it lives, writes of this thread use the hint, if the batch that is to be written may: it
// erases no range, and has enough rows to be worth it. To a single one, which is near nothing, a
// hint is a detour.
class HintedWrite {
 public:
  explicit HintedWrite(const rocksdb::WriteBatch& batch);
  ~HintedWrite();
  HintedWrite(const HintedWrite&) = delete;
  HintedWrite& operator=(const HintedWrite&) = delete;
};

}  // namespace talea
