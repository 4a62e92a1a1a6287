// An iterator of RocksDB that stands somewhere in a range, between two pages.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "talea/engine.h"

namespace talea {

// To make and to position an iterator is not free, so the one that ends a page is kept for the page
// after it. It is good for one snapshot. Whoever asks for a second page, forwards, will want many:
// from then on files are read ahead.
class RangeCursor {
 public:
  RangeCursor(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family,
              const rocksdb::Snapshot* snapshot, const Keyspace& keyspace, KeyRange range,
              bool reverse);
  RangeCursor(const RangeCursor&) = delete;  // RocksDB has pointers to the bounds
  RangeCursor& operator=(const RangeCursor&) = delete;

  // Whether it can go on with this range: the rest after the page before, or, forwards, a range
  // that begins later but leaves out no row of that, as layers ask for whose keys are all of one
  // size.
  bool TakeOn(const Keyspace& keyspace, const KeyRange& range, bool reverse);

  // Reads one page, and stands after it. The page ends early, and may be empty, after
  // kMostHiddenRows counters whose sum is 0.
  Result<Page> Read(const Keyspace& keyspace, const PageOptions& options, Version version);

  static constexpr std::size_t kMostHiddenRows = 10'000;

 private:
  Page EndAt(ByteView key, Page page);
  void Start(std::size_t read_ahead_bytes);

  rocksdb::DB& db_;
  rocksdb::ColumnFamilyHandle* const family_;
  const rocksdb::Snapshot* const snapshot_;
  const std::uint8_t keyspace_;
  const bool reverse_;
  const KeyRange range_;
  const rocksdb::Slice lower_;
  const rocksdb::Slice upper_;
  KeyRange rest_;
  std::size_t pages_ = 0;
  std::unique_ptr<rocksdb::Iterator> rows_;
};

}  // namespace talea
