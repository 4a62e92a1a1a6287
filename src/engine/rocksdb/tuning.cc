#include "engine/rocksdb/tuning.h"

#include <rocksdb/cache.h>
#include <rocksdb/env.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <rocksdb/write_buffer_manager.h>
#include <sys/resource.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>

#include "engine/rocksdb/counter.h"
#include "engine/rocksdb/insert_hint.h"

namespace talea {
namespace {

constexpr std::size_t kLargestWriteBuffer = 64 << 20;
constexpr std::size_t kBookkeepingWriteBuffer = 16 << 20;
constexpr int kFewestOpenFiles = 32;
constexpr int kMostOpenFiles = 8192;
constexpr double kBloomBitsPerKey = 10;

// Hands warnings on. Having one also keeps RocksDB from writing LOG files, which it would start,
// and rotate, before it has found out whether the database can be opened at all.
class WarningLogger final : public rocksdb::Logger {
 public:
  explicit WarningLogger(std::function<void(std::string_view)> warn)
      : Logger(warn ? rocksdb::WARN_LEVEL : rocksdb::FATAL_LEVEL), warn_(std::move(warn)) {}

  void Logv(const char* format, std::va_list arguments) override {
    if (!warn_) return;
    char line[1024];
    const int size = std::vsnprintf(line, sizeof line, format, arguments);
    if (size > 0) warn_({line, std::min<std::size_t>(static_cast<std::size_t>(size), 1023)});
  }

 private:
  const std::function<void(std::string_view)> warn_;
};

std::uint64_t ProcessFileLimit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) return 256;
  return limit.rlim_cur;
}

}  // namespace

int OpenFilesWithin(std::uint64_t limit) {
  return static_cast<int>(std::clamp<std::uint64_t>(limit / 2, kFewestOpenFiles, kMostOpenFiles));
}

Tuning::Tuning(rocksdb::Env& environment, const RocksDbEngineOptions& options)
    : cache_(rocksdb::NewLRUCache(options.cache_bytes)),
      write_buffer_bytes_(options.write_buffer_bytes),
      compression_(options.compression) {
  database_.env = &environment;
  database_.info_log = std::make_shared<WarningLogger>(options.warn);
  database_.max_open_files = options.open_files.value_or(OpenFilesWithin(ProcessFileLimit()));
  database_.max_background_jobs = std::max(2, options.background_threads);
  // A keyspace with few writes holds on to the log that has them. These two write it out in time.
  database_.max_total_wal_size = options.log_bytes;
  database_.write_buffer_manager =
      std::make_shared<rocksdb::WriteBufferManager>(options.write_buffer_bytes);
  // What a power cut leaves is a prefix of the commits; where a whole log that was synced is
  // missing or too short, opening fails. Whether it was a power cut is found out before (see
  // log_check.h). kTolerateCorruptedTailRecords would refuse torn ends that hold zeros or garbage,
  // and would go on with the next log after one that ends too early.
  database_.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  database_.track_and_verify_wals_in_manifest = true;
  // Writes go to the disk as they come, rather than all at once at the next sync.
  database_.bytes_per_sync = 1 << 20;
  database_.recycle_log_file_num = 0;      // a recycled log cannot tell where its records end
  database_.max_bgerror_resume_count = 0;  // after a failed write the engine is opened again
  database_.keep_log_file_num = 1;
  database_.max_manifest_file_size = 16 << 20;
  database_.stats_dump_period_sec = 0;
  database_.stats_persist_period_sec = 0;
}

rocksdb::ColumnFamilyOptions Tuning::Common() const {
  rocksdb::ColumnFamilyOptions family;
  family.write_buffer_size = std::min(kLargestWriteBuffer, write_buffer_bytes_ / 2);
  family.max_write_buffer_number = 3;
  family.memtable_insert_with_hint_prefix_extractor = InsertHint();
  family.level_compaction_dynamic_level_bytes = true;
  family.compression = compression_ == Compression::none  //
                           ? rocksdb::kNoCompression
                           : rocksdb::kLZ4Compression;
  // Level 0 and the one below it are rewritten before long.
  if (compression_ != Compression::none) {
    family.compression_per_level.assign(7, rocksdb::kLZ4Compression);
    family.compression_per_level[0] = rocksdb::kNoCompression;
  }
  if (compression_ == Compression::zstd) {
    family.bottommost_compression = rocksdb::kZSTD;
    family.bottommost_compression_opts.level = 1;
    family.bottommost_compression_opts.enabled = true;
  }
  return family;
}

rocksdb::ColumnFamilyOptions Tuning::Family(AccessPattern pattern) const {
  rocksdb::ColumnFamilyOptions family = Common();
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache_;
  table.cache_index_and_filter_blocks = true;  // so that memory is bounded
  table.pin_l0_filter_and_index_blocks_in_cache = true;
  table.pin_top_level_index_and_filter = true;
  table.format_version = 5;
  table.filter_policy.reset(rocksdb::NewBloomFilterPolicy(kBloomBitsPerKey));
  table.whole_key_filtering = true;
  switch (pattern) {
    case AccessPattern::point:
      table.block_size = 4 << 10;
      table.data_block_index_type = rocksdb::BlockBasedTableOptions::kDataBlockBinaryAndHash;
      table.data_block_hash_table_util_ratio = 0.75;
      // Most keys that are looked up are in files, or new: to find that a memory table does not
      // have one takes as long as all else. About 16 bits for each key of 100 bytes with its value.
      family.memtable_prefix_bloom_size_ratio = 0.01;
      family.memtable_whole_key_filtering = true;
      break;
    case AccessPattern::scan:
      table.block_size = 16 << 10;
      family.optimize_filters_for_hits = true;  // keys that are asked for singly mostly exist
      break;
    case AccessPattern::counter:
      table.block_size = 4 << 10;
      family.merge_operator = CounterMergeOperator();
      family.compaction_filter = ZeroCounterFilter();
      break;
  }
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

rocksdb::ColumnFamilyOptions Tuning::Bookkeeping() const {
  rocksdb::ColumnFamilyOptions family = Common();
  family.write_buffer_size = kBookkeepingWriteBuffer;
  rocksdb::BlockBasedTableOptions table;
  table.block_cache = cache_;
  table.cache_index_and_filter_blocks = true;
  table.format_version = 5;
  family.table_factory.reset(rocksdb::NewBlockBasedTableFactory(table));
  return family;
}

}  // namespace talea
