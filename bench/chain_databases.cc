#include "bench/chain_databases.h"

#include <fmt/format.h>
#include <rocksdb/env.h>

#include <algorithm>
#include <chrono>
#include <fstream>
#include <thread>

#include "base/check.h"
#include "engine/rocksdb/tuning.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

namespace fs = std::filesystem;
using Properties = rocksdb::DB::Properties;

RocksDbEngineOptions OptionsFor(const std::string& folder) {
  return {.folder = folder, .keyspaces = {kAllKeyspaces.begin(), kAllKeyspaces.end()}};
}

// Background work is over when nobody is at it for some time: one compaction may call for the next.
void AwaitQuiet(const std::function<bool()>& busy) {
  constexpr int kQuietFor = 5;
  for (int quiet = 0; quiet < kQuietFor;) {
    quiet = busy() ? 0 : quiet + 1;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

std::uint64_t BytesIn(const fs::path& folder) {
  std::uint64_t bytes = 0;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file()) bytes += entry.file_size();
  }
  return bytes;
}

std::uint64_t StatusBytes(std::string_view name) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(name)) return std::stoull(line.substr(name.size())) * 1024;
  }
  return 0;
}

}  // namespace

void Must(const rocksdb::Status& status) {
  if (!status.ok()) fmt::print(stderr, "{}\n", status.ToString());
  TALEA_CHECK(status.ok());
}

std::string Footprint::ToString() const {
  return fmt::format("cache {}B, write buffers {}B, disk {}B",
                     ShortNumber(static_cast<double>(cache_bytes)),
                     ShortNumber(static_cast<double>(write_buffer_bytes)),
                     ShortNumber(static_cast<double>(disk_bytes)));
}

std::unique_ptr<RocksDbEngine> OpenEngine(const std::string& folder) {
  return Must(OpenRocksDbEngine(OptionsFor(folder)));
}

void OurLedger::Apply(Block& block, const ApplyOptions& options) {
  block.parent = CursorAfter(blocks_);
  block.point = *CursorAfter(++blocks_);
  const Applied applied = Must(store_.Apply(block, options));
  TALEA_CHECK(applied == Applied{});
}

void OurLedger::ApplyRows(const OutputRows& rows, std::size_t batch, const ApplyOptions& options,
                          const std::function<void(std::size_t, Output&)>& decorate) {
  Block block;
  for (std::size_t row = 0; row < rows.size();) {
    block.produced.clear();
    for (const std::size_t end = std::min(row + batch, rows.size()); row < end; ++row) {
      block.produced.push_back(rows.output(row));
      if (decorate) decorate(row, block.produced.back());
    }
    Apply(block, options);
  }
}

void OurLedger::Settle() {
  const Folder scratch;  // a checkpoint writes out all that is in memory; there is no other call
  Must(engine_->Checkpoint(scratch.path() + "/checkpoint"));
  AwaitBackgroundWork();
}

void OurLedger::AwaitBackgroundWork() {
  AwaitQuiet([&] {
    return Metric("talea_engine_flushes_running") + Metric("talea_engine_compactions_running") > 0;
  });
}

Footprint OurLedger::Measure() {
  return {
      .cache_bytes = static_cast<std::uint64_t>(Metric("talea_engine_cache_bytes")),
      .write_buffer_bytes = static_cast<std::uint64_t>(Metric("talea_engine_write_buffer_bytes")),
      .disk_bytes = BytesIn(folder_)};
}

std::uint64_t OurLedger::Weight() {
  const auto snapshot = Must(engine_->OpenSnapshot());
  std::uint64_t weight = 0;
  std::uint64_t rows = 0;
  Scanner scanner(*snapshot, kStateUtxosKeyspace, {});
  while (const std::optional<Row> row = Must(scanner.Next())) {
    weight += WeighRow(row->key, row->value);
    ++rows;
  }
  TALEA_CHECK(Must(Must(store_.Open()).CountOutputs()) == rows);
  return weight;
}

double OurLedger::Metric(std::string_view name) {
  const Statistics statistics = Must(engine_->GetStatistics());
  double sum = 0;
  for (const talea::Metric& metric : statistics.metrics) {
    if (metric.name == name) sum += metric.value;
  }
  return sum;
}

Result<std::optional<Output>> RowsSource::Next() {
  if (next_ == rows_.size()) return std::nullopt;
  return rows_.output(next_++);
}

Result<std::optional<Output>> GeneratedSource::Next() {
  if (next_ == count_) return std::nullopt;
  value_.clear();
  AppendValue(value_, next_, value_bytes_);
  return Output{
      .reference = ReferenceTo(next_++), .era = kEra, .cbor = ByteView(value_).substr(sizeof kEra)};
}

RawLedger::RawLedger(const std::string& folder, std::span<const Keyspace> keyspaces)
    : folder_(folder) {
  const Tuning tuning(*rocksdb::Env::Default(), OptionsFor(folder));
  rocksdb::DBOptions options = tuning.database();
  options.create_if_missing = options.create_missing_column_families = true;
  std::vector<rocksdb::ColumnFamilyDescriptor> families{{"default", tuning.Bookkeeping()}};
  for (const Keyspace& keyspace : keyspaces) {
    families.emplace_back(std::string(keyspace.name), tuning.Family(keyspace.pattern));
  }
  rocksdb::DB* opened = nullptr;
  Must(rocksdb::DB::Open(options, folder, families, &handles_, &opened));
  db_.reset(opened);
  outputs_ = *std::ranges::find(handles_, kStateUtxosKeyspace.name,
                                [](const auto* handle) { return handle->GetName(); });
}

RawLedger::~RawLedger() {
  for (rocksdb::ColumnFamilyHandle* handle : handles_) Must(db_->DestroyColumnFamilyHandle(handle));
}

void RawLedger::PutRows(const OutputRows& rows, std::size_t batch) {
  for (std::size_t row = 0; row < rows.size();) {
    rocksdb::WriteBatch writes;
    for (const std::size_t end = std::min(row + batch, rows.size()); row < end; ++row) {
      Must(writes.Put(outputs_, rows.key(row), rows.value(row)));
    }
    Must(db_->Write({}, &writes));
  }
}

void RawLedger::Settle() {
  Must(db_->Flush({}, handles_));
  AwaitQuiet([&] {
    return Property(Properties::kNumRunningFlushes) + Property(Properties::kNumRunningCompactions) >
           0;
  });
}

Footprint RawLedger::Measure() {
  Footprint footprint{.cache_bytes = Property(Properties::kBlockCacheUsage),
                      .disk_bytes = BytesIn(folder_)};
  for (rocksdb::ColumnFamilyHandle* handle : handles_) {
    std::uint64_t bytes = 0;
    db_->GetIntProperty(handle, Properties::kCurSizeAllMemTables, &bytes);
    footprint.write_buffer_bytes += bytes;
  }
  return footprint;
}

std::uint64_t RawLedger::Weight() {
  std::uint64_t weight = 0;
  const std::unique_ptr<rocksdb::Iterator> rows(db_->NewIterator({}, outputs_));
  for (rows->SeekToFirst(); rows->Valid(); rows->Next()) {
    weight += WeighRow(rows->key().ToStringView(), rows->value().ToStringView());
  }
  Must(rows->status());
  return weight;
}

std::uint64_t RawLedger::Property(const std::string& name) {
  std::uint64_t value = 0;
  TALEA_CHECK(db_->GetIntProperty(outputs_, name, &value));
  return value;
}

void LinkFolder(const std::string& from, const std::string& to) {
  for (const fs::directory_entry& entry : fs::directory_iterator(from)) {
    const fs::path copy = to / entry.path().filename();
    if (entry.path().extension() == ".sst") {
      fs::create_hard_link(entry.path(), copy);
    } else {
      fs::copy_file(entry.path(), copy);
    }
  }
}

std::uint64_t ResidentBytes() { return StatusBytes("VmRSS:"); }
std::uint64_t MostResidentBytes() { return StatusBytes("VmHWM:"); }

}  // namespace talea::bench
