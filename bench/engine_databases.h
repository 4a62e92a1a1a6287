// What bench/engine_bench.cc measures: our engine, and RocksDB opened by hand with the same
// options.
#pragma once

#include <fmt/format.h>
#include <rocksdb/db.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "engine/rocksdb/tuning.h"
#include "talea/rocksdb_engine.h"
#include "talea/testing/random.h"

namespace talea::bench {

namespace fs = std::filesystem;

inline constexpr Keyspace kPoints{200, AccessPattern::point, "points"};
inline constexpr Keyspace kScans{201, AccessPattern::scan, "scans"};
inline constexpr Keyspace kCounters{202, AccessPattern::counter, "counters"};
inline constexpr std::size_t kValueBytes = 100;

template <class T>
T Must(Result<T> result) {
  if (!result) fmt::print(stderr, "{}\n", result.error().message());
  TALEA_CHECK(result.has_value());
  return std::move(result).value();
}
inline void Must(const rocksdb::Status& status) {
  if (!status.ok()) fmt::print(stderr, "{}\n", status.ToString());
  TALEA_CHECK(status.ok());
}

// A folder that is gone with it.
class Folder {
 public:
  Folder() : path_((fs::temp_directory_path() / "talea-bench-XXXXXX").string()) {
    TALEA_CHECK(::mkdtemp(path_.data()) != nullptr);
  }
  ~Folder() { fs::remove_all(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

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

// Runs the body in that many threads at once, and adds up what they return.
template <class Body>
std::uint64_t InThreads(int count, Body body) {
  std::vector<std::uint64_t> sums(static_cast<std::size_t>(count));
  std::vector<std::jthread> threads;
  for (int thread = 1; thread < count; ++thread) {
    threads.emplace_back([&, thread] { sums[static_cast<std::size_t>(thread)] = body(thread); });
  }
  sums[0] = body(0);
  threads.clear();
  std::uint64_t sum = 0;
  for (const std::uint64_t each : sums) sum += each;
  return sum;
}

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

inline std::uint64_t Weigh(ByteView key, ByteView value) {
  std::uint64_t weight = value.size();
  weight = weight * 31 + static_cast<unsigned char>(key.empty() ? 0 : key.back());
  return weight * 31 + static_cast<unsigned char>(value.empty() ? 0 : value.front());
}

inline std::uint64_t ScanOurs(Reader& reader, const Keyspace& keyspace, KeyRange range) {
  std::uint64_t weight = 0;
  for (std::optional<KeyRange> rest = std::move(range); rest;) {
    const Page page = Must(reader.Range(keyspace, *rest));
    for (const Row row : page) weight += Weigh(row.key, row.value);
    rest = page.rest();
  }
  return weight;
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
