// Builds the files of an Ingest in a few threads, beside the one that collects their rows.
#pragma once

#include <deque>
#include <filesystem>
#include <future>
#include <string>
#include <vector>

#include "engine/rocksdb/store.h"
#include "talea/write_batch.h"

namespace talea {

// To sort rows into blocks, compress and checksum these takes several times as long as to bring
// them, so each file's rows are collected and then built by a thread of their own. As many are
// built at once as there are processors, and four at most: that, and kIngestFileBytes, bound the
// memory.
//
// For one thread.
class IngestBuilders {
 public:
  explicit IngestBuilders(Store& store) : store_(store) {}
  ~IngestBuilders();  // waits for those that are still at work
  IngestBuilders(const IngestBuilders&) = delete;
  IngestBuilders& operator=(const IngestBuilders&) = delete;

  // Empty, to collect the rows of a file in: one that was used before, if there is one, as it takes
  // a good part of the time to get new memory from the system.
  WriteBatch TakeEmpty();

  // Writes these, of one keyspace and in strictly ascending order of their keys, to a new file of
  // the column family. Waits while enough are being built. Also fails where an earlier one did.
  Status Build(std::size_t family, std::string path, WriteBatch rows);

  // Waits until all files are there.
  Status Finish();

 private:
  Status WaitForOldest();

  // What became of a file, and the memory that its rows were in.
  struct Built {
    Status status;
    WriteBatch emptied;
  };

  Store& store_;
  std::deque<std::future<Built>> building_;
  std::vector<WriteBatch> spare_;
};

// How many bytes of rows go into one file, about: as large as RocksDB's own files become once they
// are compressed.
inline constexpr std::size_t kIngestFileBytes = 32 << 20;

}  // namespace talea
