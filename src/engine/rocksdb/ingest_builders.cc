#include "engine/rocksdb/ingest_builders.h"

#include <rocksdb/sst_file_writer.h>

#include <algorithm>
#include <system_error>
#include <thread>

#include "base/coding.h"
#include "engine/rocksdb/status.h"

namespace talea {
namespace {

constexpr std::size_t kMostBuilders = 4;
constexpr std::size_t kWorthAThread = 1 << 20;  // bytes

// As in the levels above the last one. RocksDB would take the last level's for these files, but
// Zstandard takes as long as all else together; a compaction that rewrites them makes up for it.
rocksdb::Options FileOptions(Store& store, rocksdb::ColumnFamilyHandle* family) {
  rocksdb::Options options = store.db().GetOptions(family);
  options.bottommost_compression = rocksdb::kDisableCompressionOption;
  return options;
}

rocksdb::Status Append(const WriteBatch::Operation& row, rocksdb::SstFileWriter& file) {
  switch (row.kind) {
    case WriteBatch::Kind::put:
      return file.Put(AsSlice(row.key), AsSlice(row.value));
    case WriteBatch::Kind::erase:
      return file.Delete(AsSlice(row.key));
    case WriteBatch::Kind::erase_range:
      return file.DeleteRange(AsSlice(row.key), AsSlice(row.value));
    case WriteBatch::Kind::add:
      return file.Merge(AsSlice(row.key), EncodeCounter(row.delta));
  }
  return {};
}

Status WriteFile(Store& store, std::size_t family, const std::string& path,
                 const WriteBatch& rows) {
  rocksdb::ColumnFamilyHandle* handle = store.families()[family];
  // What was written stays in the system's cache, as it will be read before long.
  rocksdb::SstFileWriter file(rocksdb::EnvOptions(), FileOptions(store, handle), handle,
                              /*invalidate_page_cache=*/false);
  TALEA_TRY(Check("creating a file to ingest", file.Open(path)));
  for (const WriteBatch::Operation& row : rows) {
    TALEA_TRY(Check("writing a file to ingest", Append(row, file)));
  }
  return Check("finishing a file to ingest", file.Finish());
}

std::size_t BuildersAtOnce() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, kMostBuilders);
}

}  // namespace

IngestBuilders::~IngestBuilders() {
  for (const std::future<Built>& each : building_) each.wait();
}

WriteBatch IngestBuilders::TakeEmpty() {
  if (spare_.empty()) return {};
  WriteBatch empty = std::move(spare_.back());
  spare_.pop_back();
  return empty;
}

Status IngestBuilders::Build(std::size_t family, std::string path, WriteBatch rows) {
  TALEA_TRY(rows.status());
  if (rows.bytes() < kWorthAThread) return WriteFile(store_, family, path, rows);
  if (building_.size() >= BuildersAtOnce()) TALEA_TRY(WaitForOldest());
  auto build = [this, family, path = std::move(path), rows = std::move(rows)]() mutable {
    Status written = WriteFile(store_, family, path, rows);
    rows.Clear();
    return Built{std::move(written), std::move(rows)};
  };
  try {
    building_.push_back(std::async(std::launch::async, std::move(build)));
  } catch (const std::system_error& error) {
    return Fail(ErrorCode::unavailable,
                std::string("starting a thread to build a file to ingest: ") + error.what());
  }
  return {};
}

Status IngestBuilders::WaitForOldest() {
  Built built = building_.front().get();
  building_.pop_front();
  spare_.push_back(std::move(built.emptied));
  return built.status;
}

Status IngestBuilders::Finish() {
  while (!building_.empty()) TALEA_TRY(WaitForOldest());
  return {};
}

}  // namespace talea
