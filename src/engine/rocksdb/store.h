// An open RocksDB that is ours: the folder is locked, its format is known, its column families are there.
#pragma once

#include <rocksdb/db.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "talea/rocksdb_engine.h"

namespace talea {

// Holds a folder for one engine, in this process or any other, until it is destroyed. It leaves no trace.
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
  // Opens or creates. `listener` is told of background errors.
  static Result<std::unique_ptr<Store>> Open(const RocksDbEngineOptions& options,
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

  // Where files are prepared for Ingest; whatever a killed process left there is removed by Open.
  std::filesystem::path IngestFolder() const { return folder_ / "ingest"; }

 private:
  Store(std::filesystem::path folder, FolderLock lock)
      : folder_(std::move(folder)), lock_(std::move(lock)) {}

  std::filesystem::path folder_;
  FolderLock lock_;  // outlives db_
  std::string format_file_;
  std::unique_ptr<rocksdb::DB> db_;
  rocksdb::ColumnFamilyHandle* bookkeeping_ = nullptr;
  std::vector<rocksdb::ColumnFamilyHandle*> families_;
};

// The row of the bookkeeping family that holds the version: 8 bytes, little-endian.
inline constexpr char kVersionKey[] = "version";

}  // namespace talea
