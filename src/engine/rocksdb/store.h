// An open RocksDB that is ours: the folder is locked, its format is known, its column families are
// there.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/rocksdb/format_file.h"
#include "engine/rocksdb/log_mark.h"
#include "engine/rocksdb/tuning.h"
#include "talea/rocksdb_engine.h"

namespace talea {

// Holds a folder for one engine, in this process or any other, until it is destroyed. It leaves no
// trace.
class FolderLock {
 public:
  static Result<FolderLock> Take(const std::filesystem::path& folder);
  FolderLock(FolderLock&& other) noexcept;
  FolderLock& operator=(FolderLock&&) = delete;
  ~FolderLock();

 private:
  explicit FolderLock(int descriptor) : descriptor_(descriptor) {}
  int descriptor_;
};

class Store {
 public:
  // Opens or creates. `listener` is told of background errors; `keyspaces` must outlive the store.
  static Result<std::unique_ptr<Store>> Open(rocksdb::Env& environment,
                                             const RocksDbEngineOptions& options,
                                             const KeyspaceSet& keyspaces,
                                             std::shared_ptr<rocksdb::EventListener> listener);
  ~Store();

  rocksdb::DB& db() { return *db_; }
  const std::filesystem::path& folder() const { return folder_; }
  const std::string& format_file() const { return format_file_; }
  rocksdb::ColumnFamilyHandle* bookkeeping() const { return bookkeeping_; }

  // By the position of their keyspaces in the set.
  const std::vector<rocksdb::ColumnFamilyHandle*>& families() const { return families_; }

  // The version of the newest commit.
  Result<Version> ReadVersion();

  // Fails if this is the database's own folder or one inside of it, where nobody else may write.
  Status CheckOutside(const std::filesystem::path& folder) const;

  // A name for a folder to prepare an Ingest in. What a killed process left there is removed by
  // Open.
  std::filesystem::path NewIngestFolder();

 private:
  Store(rocksdb::Env& environment, const RocksDbEngineOptions& options,
        const KeyspaceSet& keyspaces, FolderLock lock)
      : folder_(options.folder),
        keyspaces_(keyspaces),
        tuning_(environment, options),
        lock_(std::move(lock)),
        families_(keyspaces.all().size()) {}

  // The steps of Open. Until OpenRocksDb has succeeded nothing is changed in a folder that has
  // anything.
  Status Identify(const RocksDbEngineOptions& options);
  Status CheckOwnLogs();
  Result<std::vector<rocksdb::ColumnFamilyDescriptor>> StoredFamilies();
  Status OpenRocksDb(std::shared_ptr<rocksdb::EventListener> listener);
  Status AddMissingFamilies();
  void RemoveIngestLeftovers();
  void RemoveEmptyLogs();
  void Place(rocksdb::ColumnFamilyHandle* handle);

  const std::filesystem::path folder_;
  const KeyspaceSet& keyspaces_;
  const Tuning tuning_;
  FolderLock lock_;                     // outlives db_
  std::vector<StoredKeyspace> stored_;  // what the folder held when it was opened
  bool exists_ = false;                 // whether it then held a RocksDB
  std::string format_file_;             // as it is now
  std::atomic<std::uint64_t> ingests_ = 0;
  StopAtGap stop_at_gap_;  // outlives db_
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* bookkeeping_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// The row of the bookkeeping family that holds the version: 8 bytes, little-endian.
inline constexpr char kVersionKey[] = "version";

}  // namespace talea
