// The files with which an Ingest enters RocksDB.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/rocksdb/batch_writer.h"
#include "engine/rocksdb/ingest_builders.h"
#include "engine/rocksdb/store.h"
#include "engine/write_overlay.h"
#include "talea/engine.h"

namespace talea {

// The rows and the batch of an ingest, folded into sorted files for each keyspace, which RocksDB
// takes in as one step: readers see all of it or nothing, and so does a crash.
//
// The batch is applied to the rows while they are written, so each key stands in one file once.
// What the batch does to keys that are not among the rows becomes a put, a deletion or an add in
// the same files; ranges that it erases get a file that RocksDB puts before them.
class IngestFiles {
 public:
  // Files are written to a folder of their own, which is removed with this object.
  IngestFiles(Store& store, const KeyspaceSet& keyspaces, const Limits& limits, FarKeys& far_keys);
  IngestFiles(const IngestFiles&) = delete;
  IngestFiles& operator=(const IngestFiles&) = delete;

  // Writes all files; the database is not touched.
  Status Prepare(const IngestRequest& request);

  // Takes them in, with the version, as one step. Where nobody has a snapshot, and nobody can take
  // one before that is over, rows that replace none enter as if they had always been there.
  // Otherwise RocksDB gives them a sequence number, and rewrites all of them later to be rid of it.
  Status Enter(Version version, bool nobody_reads);

 private:
  class FileSequence;
  struct OwnFolder {
    explicit OwnFolder(std::filesystem::path name) : path(std::move(name)) {}
    ~OwnFolder();
    OwnFolder(const OwnFolder&) = delete;
    OwnFolder& operator=(const OwnFolder&) = delete;
    const std::filesystem::path path;
  };

  Status WriteKeyspace(const Keyspace& keyspace, SortedRun* rows, const KeyspaceOverlay* writes);
  Status WriteErasedRanges(const Keyspace& keyspace, const KeyspaceOverlay& writes,
                           std::vector<std::string>& files);
  Status WritePoints(const Keyspace& keyspace, SortedRun* rows, const KeyspaceOverlay* writes,
                     std::vector<std::string>& files);
  std::string NewFile();

  Store& store_;
  const KeyspaceSet& keyspaces_;
  const Limits& limits_;
  FarKeys& far_keys_;
  const OwnFolder folder_;
  IngestBuilders builders_;  // after the folder: it goes when nobody writes to it any more
  int file_count_ = 0;
  std::vector<rocksdb::IngestExternalFileArg> arguments_;
};

}  // namespace talea
