// Ingests of several files, which are built in threads.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <rocksdb/db.h>
#include <rocksdb/table_properties.h>

#include <filesystem>
#include <string>

#include "engine/rocksdb/ingest_builders.h"
#include "engine/rocksdb/testing.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

constexpr std::size_t kValueBytes = 64 << 10;
constexpr std::size_t kRowCount = 3 * kIngestFileBytes / kValueBytes + 10;

// Large rows, each of them different, and at the end nothing or an error.
class LargeRows final : public SortedRun {
 public:
  explicit LargeRows(std::optional<Error> end = {}) : end_(std::move(end)) {}

  static std::string Key(std::size_t row) { return fmt::format("{:08}", row); }
  static std::string Value(std::size_t row) {
    return std::string(kValueBytes, static_cast<char>(row));
  }

  Result<std::optional<Row>> Next() override {
    if (next_ == kRowCount) {
      if (end_) return std::unexpected(*end_);
      return std::nullopt;
    }
    key_ = Key(next_);
    value_ = Value(next_++);
    return Row{key_, value_};
  }

 private:
  std::optional<Error> end_;
  std::size_t next_ = 0;
  std::string key_;
  std::string value_;
};

class LargeIngest : public RocksDbTest {
 protected:
  std::size_t IngestFolders() const {
    std::size_t count = 0;
    for (const auto& each : std::filesystem::directory_iterator(Options().folder)) {
      count += each.path().filename().native().starts_with("ingest-");
    }
    return count;
  }
};

TEST_F(LargeIngest, OfSeveralFilesHasEveryRow) {
  const auto engine = ASSERT_VALUE(OpenRocksDbEngine(Options()));
  LargeRows rows;
  WriteBatch batch;
  batch.Erase(kTestScans, LargeRows::Key(kRowCount / 2));
  batch.Put(kTestScans, LargeRows::Key(kRowCount), "last");
  ASSERT_OK(engine->Ingest({.runs = {{&kTestScans, &rows}}, .batch = batch}));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  Scanner found(*snapshot, kTestScans, KeyRange::All());
  for (std::size_t row = 0; row <= kRowCount; ++row) {
    if (row == kRowCount / 2) continue;
    const std::optional<Row> next = ASSERT_VALUE(found.Next());
    ASSERT_TRUE(next.has_value());
    ASSERT_EQ(next->key, LargeRows::Key(row));
    ASSERT_TRUE(next->value == (row == kRowCount ? "last" : LargeRows::Value(row)));
  }
  EXPECT_EQ(ASSERT_VALUE(found.Next()), std::nullopt);
  EXPECT_EQ(IngestFolders(), 0);
}

TEST_F(LargeIngest, ThatFailsWhileFilesAreBeingBuiltLeavesNothing) {
  const auto engine = ASSERT_VALUE(OpenRocksDbEngine(Options()));
  LargeRows rows(Error(ErrorCode::corruption, "a bad row"));
  EXPECT_ERROR(engine->Ingest({.runs = {{&kTestScans, &rows}}, .batch = {}}),
               ErrorCode::corruption);
  EXPECT_EQ(IngestFolders(), 0);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  Scanner found(*snapshot, kTestScans, KeyRange::All());
  EXPECT_EQ(ASSERT_VALUE(found.Next()), std::nullopt);
}

// The engine always has a snapshot of RocksDB's for the next reader, and where there is any RocksDB
// gives the rows of an ingest a sequence number. Files of the last level that have one are written
// again as soon as no snapshot needs it: each bulk ingest was written twice, the second time with
// the slowest compression.
TEST_F(LargeIngest, ThatReplacesNothingIsNotWrittenAgain) {
  {
    const auto engine = ASSERT_VALUE(OpenRocksDbEngine(Options()));
    CommitRequest before;
    before.batch.Put(kTestPoints, "key", "value");
    ASSERT_OK(engine->Commit(std::move(before)));
    LargeRows rows;
    ASSERT_OK(engine->Ingest({.runs = {{&kTestScans, &rows}}, .batch = {}}));
    ASSERT_OK(engine->Shutdown(std::chrono::seconds(10)));
  }
  rocksdb::ColumnFamilyOptions as_it_is;
  as_it_is.disable_auto_compactions = true;
  std::vector<rocksdb::ColumnFamilyDescriptor> families;
  for (const char* name : {"default", "scans", "points", "counters"}) {
    families.emplace_back(name, as_it_is);
  }
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open({}, folder(), families, &handles, &opened);
  ASSERT_TRUE(status.ok()) << status.ToString();
  const std::unique_ptr<rocksdb::DB> database(opened);
  rocksdb::ColumnFamilyMetaData files;
  database->GetColumnFamilyMetaData(handles[1], &files);
  EXPECT_GE(files.file_count, 3u);
  EXPECT_EQ(files.levels.back().files.size(), files.file_count);
  for (const rocksdb::SstFileMetaData& file : files.levels.back().files) {
    EXPECT_EQ(file.largest_seqno, 0u);
  }
  rocksdb::TablePropertiesCollection properties;
  ASSERT_TRUE(database->GetPropertiesOfAllTables(handles[1], &properties).ok());
  for (const auto& [file, of_file] : properties) {
    // What only files have that came from outside.
    EXPECT_TRUE(of_file->user_collected_properties.contains("rocksdb.external_sst_file.version"));
  }
  for (rocksdb::ColumnFamilyHandle* handle : handles) {
    EXPECT_TRUE(database->DestroyColumnFamilyHandle(handle).ok());
  }
}

TEST_F(LargeIngest, IsNotSeenByASnapshotOfBefore) {
  const auto engine = ASSERT_VALUE(OpenRocksDbEngine(Options()));
  const std::unique_ptr<Snapshot> before = ASSERT_VALUE(engine->OpenSnapshot());
  LargeRows rows;
  ASSERT_OK(engine->Ingest({.runs = {{&kTestScans, &rows}}, .batch = {}}));
  EXPECT_EQ(ASSERT_VALUE(before->Get(kTestScans, LargeRows::Key(0))), std::nullopt);
  const std::unique_ptr<Snapshot> after = ASSERT_VALUE(engine->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(after->Get(kTestScans, LargeRows::Key(0))), LargeRows::Value(0));
}

}  // namespace
}  // namespace talea
