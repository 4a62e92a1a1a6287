#include "engine/rocksdb/metrics.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>
#include <string>

namespace talea {
namespace {

namespace fs = std::filesystem;

using Properties = rocksdb::DB::Properties;

// A number that RocksDB keeps, and how it is called here.
struct Property {
  std::string property;
  std::string name;
  std::string help;
};

std::vector<Property> FamilyProperties() {
  return {
      {Properties::kEstimateNumKeys, "talea_engine_rows_estimate",
       "Rows stored, as RocksDB estimates them."},
      {Properties::kLiveSstFilesSize, "talea_engine_bytes",
       "Bytes of the files that hold the newest state."},
      {Properties::kTotalSstFilesSize, "talea_engine_file_bytes",
       "Bytes of all files, with those that only old snapshots need."},
      {Properties::kCurSizeAllMemTables, "talea_engine_write_buffer_bytes",
       "Bytes in memory that are not in a file yet."},
      {Properties::kEstimatePendingCompactionBytes, "talea_engine_compaction_pending_bytes",
       "Bytes that compactions have yet to rewrite."},
  };
}

std::vector<Property> DatabaseProperties() {
  return {
      {Properties::kIsWriteStopped, "talea_engine_write_stopped",
       "1 while writes wait for flushes or compactions."},
      {Properties::kActualDelayedWriteRate, "talea_engine_write_delayed_bytes_per_second",
       "The rate to which writes are held back; 0 if they are not."},
      {Properties::kNumRunningFlushes, "talea_engine_flushes_running", "Flushes under way."},
      {Properties::kNumRunningCompactions, "talea_engine_compactions_running",
       "Compactions under way."},
      {Properties::kBackgroundErrors, "talea_engine_background_errors_total",
       "Flushes and compactions that failed."},
      {Properties::kBlockCacheUsage, "talea_engine_cache_bytes", "Bytes in the block cache."},
      {Properties::kEstimateTableReadersMem, "talea_engine_table_reader_bytes",
       "Bytes of memory that open files take outside of the cache."},
  };
}

void AddProperty(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const Property& property,
                 std::string label, std::vector<Metric>& metrics) {
  std::uint64_t value = 0;
  if (!db.GetIntProperty(family, property.property, &value)) return;
  metrics.push_back({property.name, std::move(label), static_cast<double>(value), property.help});
}

void AddLevels(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& label,
               std::vector<Metric>& metrics) {
  int used = 0;
  for (int level = 0; level < db.NumberLevels(family); ++level) {
    std::string files;
    const std::string name = Properties::kNumFilesAtLevelPrefix + std::to_string(level);
    if (!db.GetProperty(family, name, &files)) continue;
    if (files != "0") ++used;
    if (level == 0) {
      metrics.push_back({"talea_engine_level0_files", label, std::stod(files),
                         "Files that were flushed and not compacted yet."});
    }
  }
  metrics.push_back({"talea_engine_levels", label, static_cast<double>(used),
                     "Levels of the tree that hold files."});
}

void AddStalls(rocksdb::DB& db, rocksdb::ColumnFamilyHandle* family, const std::string& label,
               std::vector<Metric>& metrics) {
  std::map<std::string, std::string> values;
  if (!db.GetMapProperty(family, Properties::kCFStats, &values)) return;
  const auto add = [&](const char* key, const char* name, const char* help) {
    if (const auto found = values.find(key); found != values.end()) {
      metrics.push_back({name, label, std::stod(found->second), help});
    }
  };
  add("io_stalls.total_slowdown", "talea_engine_write_slowdowns_total",
      "Times that writes were held back.");
  add("io_stalls.total_stop", "talea_engine_write_stops_total", "Times that writes were stopped.");
}

// Asked of the file system: to list its logs RocksDB would hold up the removal of old files, and
// warn of it where two callers ask at once.
double LogBytes(const fs::path& folder) {
  std::error_code error;
  std::uintmax_t bytes = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    std::error_code removed_meanwhile;
    const std::uintmax_t size =
        entry.path().extension() == ".log" ? entry.file_size(removed_meanwhile) : 0;
    if (!removed_meanwhile) bytes += size;
  }
  return static_cast<double>(bytes);
}

// Counted where Linux lists them: RocksDB does not tell.
double OpenFiles(const fs::path& folder) {
  std::error_code error;
  const std::string prefix = fs::canonical(folder, error).native() + "/";
  int count = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc/self/fd", error)) {
    std::error_code closed_meanwhile;
    const fs::path target = fs::read_symlink(entry.path(), closed_meanwhile);
    if (!closed_meanwhile && target.native().starts_with(prefix)) ++count;
  }
  return count;
}

}  // namespace

std::vector<Metric> CollectMetrics(Store& store, const KeyspaceSet& keyspaces) {
  rocksdb::DB& db = store.db();
  std::vector<Metric> metrics;
  for (const Keyspace& keyspace : keyspaces.all()) {
    rocksdb::ColumnFamilyHandle* family = store.families()[keyspaces.Position(keyspace.id)];
    const std::string label(keyspace.name);
    for (const Property& property : FamilyProperties()) {
      AddProperty(db, family, property, label, metrics);
    }
    AddLevels(db, family, label, metrics);
    AddStalls(db, family, label, metrics);
  }
  for (const Property& property : DatabaseProperties()) {
    AddProperty(db, store.families().empty() ? store.bookkeeping() : store.families().front(),
                property, "", metrics);
  }
  metrics.push_back(
      {"talea_engine_log_bytes", "", LogBytes(store.folder()), "Bytes of the write-ahead log."});
  metrics.push_back(
      {"talea_engine_open_files", "", OpenFiles(store.folder()), "Files of the database open."});
  return metrics;
}

std::string DescribeBackgroundWork(rocksdb::DB& db) {
  std::uint64_t flushes = 0;
  std::uint64_t compactions = 0;
  db.GetIntProperty(Properties::kNumRunningFlushes, &flushes);
  db.GetIntProperty(Properties::kNumRunningCompactions, &compactions);
  return fmt::format("{} flushes and {} compactions", flushes, compactions);
}

}  // namespace talea
