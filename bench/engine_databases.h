// What bench/engine_bench.cc measures: our engine, and RocksDB opened by hand with the same
// options.
#pragma once

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "bench/support.h"
#include "engine/rocksdb/tuning.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/random.h"

namespace talea::bench {

namespace fs = std::filesystem;

inline constexpr Keyspace kPoints{200, AccessPattern::point, "points"};
inline constexpr Keyspace kScans{201, AccessPattern::scan, "scans"};
inline constexpr Keyspace kCounters{202, AccessPattern::counter, "counters"};
inline constexpr std::size_t kValueBytes = 100;

inline void Must(const rocksdb::Status& status) {
  if (!status.ok()) fmt::print(stderr, "{}\n", status.ToString());
  TALEA_CHECK(status.ok());
}

inline RocksDbEngineOptions OptionsFor(const std::string& folder) {
  return {.folder = folder, .keyspaces = {kPoints, kScans, kCounters}};
}

inline std::unique_ptr<RocksDbEngine> OpenOurs(const std::string& folder) {
  return Must(OpenRocksDbEngine(OptionsFor(folder)));
}

// RocksDB with our options. With `transactions` it is an OptimisticTransactionDB.
class Raw {
 public:
  explicit Raw(const std::string& folder, bool transactions = false) {
    const Tuning tuning(*rocksdb::Env::Default(), OptionsFor(folder));
    rocksdb::DBOptions options = tuning.database();
    options.create_if_missing = options.create_missing_column_families = true;
    const std::vector<rocksdb::ColumnFamilyDescriptor> families{
        {"default", tuning.Bookkeeping()},
        {"points", tuning.Family(AccessPattern::point)},
        {"scans", tuning.Family(AccessPattern::scan)},
        {"counters", tuning.Family(AccessPattern::counter)}};
    rocksdb::DB* opened = nullptr;
    if (transactions) {
      Must(rocksdb::OptimisticTransactionDB::Open(options, folder, families, &handles_,
                                                  &optimistic));
      opened = optimistic;
    } else {
      Must(rocksdb::DB::Open(options, folder, families, &handles_, &opened));
    }
    db.reset(opened);
    points = handles_[1], scans = handles_[2], counters = handles_[3];
  }
  ~Raw() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db->DestroyColumnFamilyHandle(handle);
  }

  std::unique_ptr<rocksdb::DB> db;
  rocksdb::OptimisticTransactionDB* optimistic = nullptr;
  rocksdb::ColumnFamilyHandle *points = nullptr, *scans = nullptr, *counters = nullptr;

 private:
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

inline std::string KeyOf(std::uint64_t number) {
  std::string key;
  AppendFixed64(key, Random(number).Next());  // spread over the whole range of keys
  AppendFixed64(key, number);
  return key;
}

inline std::vector<std::string> RandomKeys(std::size_t count, std::uint64_t distinct,
                                           std::uint64_t seed) {
  Random random(seed);
  std::vector<std::string> keys;
  keys.reserve(count);
  for (std::size_t key = 0; key < count; ++key) keys.push_back(KeyOf(random.Below(distinct)));
  return keys;
}

inline std::uint64_t ScanRaw(Raw& raw, rocksdb::ColumnFamilyHandle* family, const KeyRange& range) {
  std::uint64_t weight = 0;
  rocksdb::ReadOptions options;
  const rocksdb::Slice upper = range.end().value_or("");
  if (range.end()) options.iterate_upper_bound = &upper;
  const std::unique_ptr<rocksdb::Iterator> rows(raw.db->NewIterator(options, family));
  for (rows->Seek(range.begin()); rows->Valid(); rows->Next()) {
    weight += Weigh(rows->key().ToStringView(), rows->value().ToStringView());
  }
  Must(rows->status());
  return weight;
}

}  // namespace talea::bench
