// Importing real blocks of Cardano against merely decoding the CBOR they are made of.
//
//   import   the blocks of a chunk into an empty ledger on RocksDB, many in a commit, with undo
//            and records, against libcbor's cbor_load, which makes a tree of each block
//   import-without-records   the same without records of blocks and transactions
//   rows     what RocksDB alone takes for the rows of such an import, in the same commits: opened
//   by
//            hand with the same options, all batches ready before the clock starts
//   rows-without-undo   the same without the undo records: what it would be if these took nothing
//   read     what an import does before the ledger: the file is read, transactions and blocks
//            are hashed, outputs and their tags are found; against cbor_stream_decode, which
//            walks over the same bytes from item to item and does nothing with them
//
// The blocks are not part of the project: see docs/hacking.md.
#include <cbor.h>
#include <fmt/format.h>
#include <rocksdb/db.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "base/file.h"
#include "bench/harness.h"
#include "bench/support.h"
#include "engine/forwarding_engine.h"
#include "engine/prepared_commit.h"
#include "engine/rocksdb/tuning.h"
#include "keyspace/registry.h"
#include "talea/cardano_import.h"
#include "talea/memory_engine.h"
#include "talea/rocksdb_engine.h"

namespace talea::bench {
namespace {

using Files = std::vector<std::filesystem::path>;

cbor_data DataOf(ByteView bytes) { return reinterpret_cast<cbor_data>(bytes.data()); }

// Makes a tree of each block, and returns how many there are.
std::uint64_t LoadTrees(ByteView bytes) {
  std::uint64_t blocks = 0;
  for (; !bytes.empty(); ++blocks) {
    cbor_load_result result;
    cbor_item_t* tree = cbor_load(DataOf(bytes), bytes.size(), &result);
    TALEA_CHECK(tree != nullptr && result.error.code == CBOR_ERR_NONE);
    cbor_decref(&tree);
    bytes.remove_prefix(result.read);
  }
  return blocks;
}

void Walk(ByteView bytes) {
  while (!bytes.empty()) {
    const cbor_decoder_result result =
        cbor_stream_decode(DataOf(bytes), bytes.size(), &cbor_empty_callbacks, nullptr);
    TALEA_CHECK(result.status == CBOR_DECODER_FINISHED);
    bytes.remove_prefix(result.read);
  }
}

std::uint64_t ReadBlocks(const Files& files) {
  std::uint64_t blocks = 0;
  for (const std::filesystem::path& path : files) {
    CardanoFile file = Must(CardanoFile::Open(path));
    while (Must(file.Next()) != nullptr) ++blocks;
  }
  return blocks;
}

// Into a new database, which is gone afterwards.
void TimeImport(Round& round, const Files& files, std::uint64_t blocks, bool keep_records) {
  const Folder folder;
  const auto engine = Must(OpenRocksDbEngine(
      {.folder = folder.path(), .keyspaces = {kAllKeyspaces.begin(), kAllKeyspaces.end()}}));
  ChainStore store(*engine);
  CardanoImportReport report;
  const CardanoImportOptions options{.allow_missing_inputs = true, .keep_records = keep_records};
  round.Time([&] { report = Must(ImportCardano(store, files, options)); }, blocks);
  TALEA_CHECK(report.finished);
  round.Answer(report.blocks);
}

// Keeps what is committed.
class KeepingEngine final : public ForwardingEngine {
 public:
  using ForwardingEngine::ForwardingEngine;
  Result<Version> Commit(CommitRequest request) override {
    batches.push_back(request.batch);
    return inner().Commit(std::move(request));
  }
  std::vector<WriteBatch> batches;
};

// The commits of an import.
std::vector<WriteBatch> CommitsOf(const Files& files) {
  KeepingEngine engine(
      Must(OpenMemoryEngine({.keyspaces = {kAllKeyspaces.begin(), kAllKeyspaces.end()}})));
  ChainStore store(engine);
  Must(ImportCardano(store, files, {.allow_missing_inputs = true}));
  return std::move(engine.batches);
}

std::vector<WriteBatch> WithoutUndo(const std::vector<WriteBatch>& commits) {
  std::vector<WriteBatch> rest(commits.size());
  for (std::size_t i = 0; i < commits.size(); ++i) {
    for (const WriteBatch::Operation& write : commits[i]) {
      if (write.keyspace == kUndoKeyspace.id) continue;
      rest[i].Append(kAllKeyspaces[write.keyspace], write);
    }
  }
  return rest;
}

// RocksDB, opened by hand with our options.
class Raw {
 public:
  explicit Raw(const std::string& folder) {
    const Tuning tuning(*rocksdb::Env::Default(), {.folder = folder});
    rocksdb::DBOptions options = tuning.database();
    options.create_if_missing = options.create_missing_column_families = true;
    std::vector<rocksdb::ColumnFamilyDescriptor> families{{"default", tuning.Bookkeeping()}};
    for (const Keyspace& keyspace : kAllKeyspaces) {
      families.emplace_back(std::string(keyspace.name), tuning.Family(keyspace.pattern));
    }
    rocksdb::DB* opened = nullptr;
    Check(rocksdb::DB::Open(options, folder, families, &handles_, &opened));
    db_.reset(opened);
  }
  ~Raw() {
    for (rocksdb::ColumnFamilyHandle* handle : handles_) db_->DestroyColumnFamilyHandle(handle);
  }

  // The writes in the order of keys, as an engine gives them to RocksDB.
  rocksdb::WriteBatch BatchOf(const WriteBatch& writes) const {
    const PreparedCommit sorted({.batch = writes}, false);
    rocksdb::WriteBatch batch;
    for (const WriteBatch::Operation& write : sorted.points) Append(write, batch);
    return batch;
  }
  void Write(rocksdb::WriteBatch& batch) { Check(db_->Write({}, &batch)); }

 private:
  static void Check(const rocksdb::Status& status) { TALEA_CHECK(status.ok()); }
  static rocksdb::Slice AsSlice(ByteView bytes) { return {bytes.data(), bytes.size()}; }
  void Append(const WriteBatch::Operation& write, rocksdb::WriteBatch& batch) const {
    rocksdb::ColumnFamilyHandle* family = handles_[write.keyspace + 1];
    if (write.kind == WriteBatch::Kind::put) {
      Check(batch.Put(family, AsSlice(write.key), AsSlice(write.value)));
    } else if (write.kind == WriteBatch::Kind::erase) {
      Check(batch.Delete(family, AsSlice(write.key)));
    } else {
      Check(batch.Merge(family, AsSlice(write.key), AsSlice(EncodeCounter(write.delta))));
    }
  }

  std::unique_ptr<rocksdb::DB> db_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
};

void TimeRows(Round& round, const std::vector<WriteBatch>& commits, std::uint64_t blocks) {
  const Folder folder;
  Raw raw(folder.path());
  std::vector<rocksdb::WriteBatch> batches;
  for (const WriteBatch& commit : commits) batches.push_back(raw.BatchOf(commit));
  round.Time(
      [&] {
        for (rocksdb::WriteBatch& batch : batches) raw.Write(batch);
      },
      blocks);
  round.Answer(blocks);
}

void Measure(Bench& bench, const std::filesystem::path& chunk) {
  const Files files{chunk};
  const std::string bytes = Must(ReadWholeFile(chunk));
  const std::uint64_t blocks = LoadTrees(bytes);
  const int times = bench.quick() ? 3 : 20;
  const std::string size =
      fmt::format("{} blocks, {} kB, {} times", blocks, bytes.size() / 1000, times);
  const auto repeat = [times](const auto& work) {
    for (int i = 0; i < times; ++i) work();
  };
  const Side load = [&](Round& round) {
    repeat([&] { round.Time([&] { round.Answer(LoadTrees(bytes)); }, blocks); });
  };
  bench.Case(
      "import", {.unit = "blocks/s", .better = Better::higher, .size = size, .bar = 0.5},
      [&](Round& round) { repeat([&] { TimeImport(round, files, blocks, true); }); }, load);
  bench.Case(
      "import-without-records", {.unit = "blocks/s", .better = Better::higher, .size = size},
      [&](Round& round) { repeat([&] { TimeImport(round, files, blocks, false); }); }, load);
  const std::vector<WriteBatch> commits = CommitsOf(files);
  bench.Case(
      "rows", {.unit = "blocks/s", .better = Better::higher, .size = size},
      [&](Round& round) { repeat([&] { TimeRows(round, commits, blocks); }); }, load);
  const std::vector<WriteBatch> without_undo = WithoutUndo(commits);
  bench.Case(
      "rows-without-undo", {.unit = "blocks/s", .better = Better::higher, .size = size},
      [&](Round& round) { repeat([&] { TimeRows(round, without_undo, blocks); }); }, load);
  bench.Case(
      "read", {.unit = "blocks/s", .better = Better::higher, .size = size},
      [&](Round& round) {
        repeat([&] { round.Time([&] { round.Answer(ReadBlocks(files)); }, blocks); });
      },
      [&](Round& round) {
        repeat([&] { round.Time([&] { Walk(bytes); }, blocks); });
        round.Answer(blocks);
      });
}

}  // namespace
}  // namespace talea::bench

int main(int argc, char** argv) {
  talea::bench::Bench bench("cardano", talea::bench::ParseArguments(argc, argv));
  const char* folder = std::getenv("TALEA_TEST_DATA");
  const auto chunk = std::filesystem::path(folder != nullptr ? folder : "../shared/data") /
                     "cardano" / "01836.chunk";
  if (std::filesystem::exists(chunk)) {
    talea::bench::Measure(bench, chunk);
  } else {
    fmt::print(stderr, "nothing is measured: there are no blocks at {}\n", chunk.string());
  }
  return bench.Finish();
}
