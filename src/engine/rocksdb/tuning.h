// How RocksDB is set up: once for the database, and for each keyspace by its access pattern.
#pragma once

#include <rocksdb/options.h>

#include <memory>

#include "talea/rocksdb_engine.h"

namespace talea {

// What all column families of one database share.
class Tuning {
 public:
  Tuning(rocksdb::Env& environment, const RocksDbEngineOptions& options);

  const rocksdb::DBOptions& database() const { return database_; }

  // The column family of a keyspace.
  rocksdb::ColumnFamilyOptions Family(AccessPattern pattern) const;

  // The one of the engine's own few rows.
  rocksdb::ColumnFamilyOptions Bookkeeping() const;

 private:
  rocksdb::ColumnFamilyOptions Common() const;

  rocksdb::DBOptions database_;
  std::shared_ptr<rocksdb::Cache> cache_;
  std::size_t write_buffer_bytes_;
  Compression compression_;
};

// How many files RocksDB may keep open where the process may open `limit`.
int OpenFilesWithin(std::uint64_t limit);

}  // namespace talea
