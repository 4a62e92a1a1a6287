// What bench/chain_bench.cc measures: a ledger on our engine, and RocksDB opened by hand with the
// same options.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "bench/chain_data.h"
#include "bench/support.h"
#include "keyspace/registry.h"
#include "talea/chain.h"
#include "talea/chain_transfer.h"
#include "talea/rocksdb_engine.h"

namespace talea::bench {

void Must(const rocksdb::Status& status);

// What a database takes, beside the process itself.
struct Footprint {
  std::uint64_t cache_bytes = 0;         // blocks, their indexes and filters
  std::uint64_t write_buffer_bytes = 0;  // memory tables
  std::uint64_t disk_bytes = 0;          // files and logs
  std::string ToString() const;
};

std::unique_ptr<RocksDbEngine> OpenEngine(const std::string& folder);

// A ledger in a folder, and the chain that is applied to it.
class OurLedger {
 public:
  explicit OurLedger(const std::string& folder, ChainOptions options = {})
      : folder_(folder), engine_(OpenEngine(folder)), store_(*engine_, options) {}

  // Applies the next block; its parent and its point are filled in here.
  void Apply(Block& block, const ApplyOptions& options = {});
  // The outputs of these rows, in blocks of `batch`.
  void ApplyRows(const OutputRows& rows, std::size_t batch, const ApplyOptions& options,
                 const std::function<void(std::size_t row, Output&)>& decorate = {});

  // Writes everything out, and returns when there is nothing left to compact.
  void Settle();
  // The same of who has nothing in memory: what is ingested is in files when that returns.
  void AwaitBackgroundWork();
  Footprint Measure();
  // A number for all rows of outputs, after checking that they are as many as the ledger counts.
  std::uint64_t Weight();

  ChainStore& store() { return store_; }
  Engine& engine() { return *engine_; }
  void SetBlocks(std::uint64_t blocks) { blocks_ = blocks; }

 private:
  double Metric(std::string_view name);

  std::string folder_;
  std::unique_ptr<RocksDbEngine> engine_;
  ChainStore store_;
  std::uint64_t blocks_ = 0;
};

// Outputs for a bulk ingest: of rows in memory, or the first ones, made as they are asked for.
class RowsSource final : public OutputSource {
 public:
  explicit RowsSource(const OutputRows& rows) : rows_(rows) {}
  Result<std::optional<Output>> Next() override;

 private:
  const OutputRows& rows_;
  std::size_t next_ = 0;
};

class GeneratedSource final : public OutputSource {
 public:
  GeneratedSource(std::uint64_t count, std::size_t value_bytes)
      : count_(count), value_bytes_(value_bytes) {}
  Result<std::optional<Output>> Next() override;

 private:
  const std::uint64_t count_;
  const std::size_t value_bytes_;
  std::uint64_t next_ = 0;
  std::string value_;
};

// RocksDB with our options and these column families; rows of outputs are all that it has.
class RawLedger {
 public:
  // An empty folder, where the family of outputs is made; or a copy of a folder of ours.
  explicit RawLedger(const std::string& folder, std::span<const Keyspace> keyspaces = kOutputsOnly);
  ~RawLedger();
  RawLedger(const RawLedger&) = delete;
  RawLedger& operator=(const RawLedger&) = delete;

  void PutRows(const OutputRows& rows, std::size_t batch);

  void Settle();
  Footprint Measure();
  std::uint64_t Weight();

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* outputs() const { return outputs_; }

 private:
  static constexpr Keyspace kOutputsOnly[] = {kStateUtxosKeyspace};
  std::uint64_t Property(const std::string& name);

  std::string folder_;
  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  rocksdb::ColumnFamilyHandle* outputs_ = nullptr;
};

// A copy of the folder of a closed database, in an empty folder. Files of rows never change, so
// both have the same.
void LinkFolder(const std::string& from, const std::string& to);

// Of the process: what it has in memory now, and what it had at most.
std::uint64_t ResidentBytes();
std::uint64_t MostResidentBytes();

}  // namespace talea::bench
