// Disks that are full and writes that fail, by the operating system's own doing.
#include <gmock/gmock.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include "engine/rocksdb/file_size_limit_for_test.h"
#include "engine/rocksdb/testing.h"
#include "engine/rocksdb/tuning.h"
#include "talea/testing/random.h"

namespace talea {
namespace {

class FailureTest : public RocksDbTest {
 protected:
  // Commits rows until one fails, and returns how many did not.
  static int FillUp(Engine& engine, std::optional<Error>& failure) {
    for (int row = 0; row < 100'000; ++row) {
      const Result<Version> version = Put(engine, std::to_string(row), std::string(10'000, 'x'));
      if (version) continue;
      failure = version.error();
      return row;
    }
    return 100'000;
  }

  static void ExpectRows(Engine& engine, int rows) {
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine.OpenSnapshot());
    for (int row = 0; row < rows; ++row) {
      const std::string key = std::to_string(row);
      ASSERT_EQ(ASSERT_VALUE(snapshot->Get(kTestPoints, key)), std::string(10'000, 'x')) << row;
      ASSERT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, key)), 1) << row;
    }
  }
};

TEST_F(FailureTest, AFailedWriteOfTheLogClosesTheEngineAndReadsGoOn) {
  int rows = 0;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    const FileSizeLimit limit(1 << 20);
    std::optional<Error> failure;
    rows = FillUp(*engine, failure);
    ASSERT_TRUE(failure.has_value());
    EXPECT_EQ(failure->code(), ErrorCode::outcome_unknown);
    EXPECT_THAT(failure->message(), testing::HasSubstr("File too large"));
    EXPECT_GT(rows, 50);
    ExpectRows(*engine, rows);

    const Result<Version> next = Put(*engine, "next", "value");
    ASSERT_ERROR(next, ErrorCode::closed);
    EXPECT_THAT(next.error().message(), testing::HasSubstr("open it again"));
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "next")), std::nullopt);
  }
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
  ExpectRows(*engine, rows);
  EXPECT_EQ(ASSERT_VALUE(Get(*engine, "next")), std::nullopt);
  EXPECT_OK(Put(*engine, "next", "value"));
}

// A disk of its own, where that may be mounted.
class SmallDisk {
 public:
  SmallDisk(std::filesystem::path path, const char* size) : path_(std::move(path)) {
    std::filesystem::create_directory(path_);
    mounted_ = ::mount("none", path_.c_str(), "tmpfs", 0, size) == 0;
  }
  ~SmallDisk() {
    if (mounted_) ::umount2(path_.c_str(), MNT_DETACH);
  }
  bool mounted() const { return mounted_; }

 private:
  const std::filesystem::path path_;
  bool mounted_;
};

TEST_F(FailureTest, AFullDiskLeavesAReadableDatabaseThatGoesOnOnceThereIsSpace) {
  const SmallDisk disk(Path("disk"), "size=8m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a disk";
  RocksDbEngineOptions options = Options();
  options.folder = Path("disk") / "database";
  options.write_buffer_bytes = 1 << 20;
  const std::string ballast = Path("disk") / "ballast";
  WriteAll(ballast, std::string(2 << 20, 'b'));
  int rows = 0;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    std::optional<Error> failure;
    rows = FillUp(*engine, failure);
    ASSERT_TRUE(failure.has_value());
    EXPECT_THAT(failure->message(), testing::HasSubstr("No space left on device"));
    ExpectRows(*engine, rows);
    EXPECT_ERROR(Put(*engine, "next", "value"), ErrorCode::closed);
    ExpectRows(*engine, rows);
  }
  std::filesystem::remove(ballast);
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
  ExpectRows(*engine, rows);
  EXPECT_OK(Put(*engine, "next", "value"));
}

// Rows that do not compress, more than the disk holds.
class ManyRows final : public SortedRun {
 public:
  Result<std::optional<Row>> Next() override {
    if (row_ == 3000) return std::nullopt;
    key_ = std::to_string(100'000 + row_++);
    value_.clear();
    while (value_.size() < 10'000) {
      const std::uint64_t word = random_.Next();
      value_.append(reinterpret_cast<const char*>(&word), sizeof word);
    }
    return Row{key_, value_};
  }

 private:
  int row_ = 0;
  Random random_{1};
  std::string key_;
  std::string value_;
};

TEST_F(FailureTest, AnIngestThatFillsTheDiskLeavesNothingBehindAndCommitsGoOn) {
  const SmallDisk disk(Path("disk"), "size=8m");
  if (!disk.mounted()) GTEST_SKIP() << "may not mount a disk";
  RocksDbEngineOptions options = Options();
  options.folder = Path("disk") / "database";
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    ASSERT_OK(Put(*engine, "before", "value"));
    const auto files = Contents(options.folder).size();
    ManyRows rows;
    IngestRequest request;
    request.runs.push_back({&kTestScans, &rows});
    request.batch.Put(kTestPoints, "cursor", "moved");
    const Result<Version> ingested = engine->Ingest(std::move(request));
    ASSERT_ERROR(ingested, ErrorCode::io_error);
    EXPECT_THAT(ingested.error().message(), testing::HasSubstr("No space left on device"));
    EXPECT_EQ(Contents(options.folder).size(), files);
    EXPECT_OK(Put(*engine, "after", "value"));
    EXPECT_EQ(ASSERT_VALUE(Get(*engine, "cursor")), std::nullopt);
  }
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
  EXPECT_EQ(ASSERT_VALUE(Get(*engine, "before")), "value");
  EXPECT_EQ(ASSERT_VALUE(Get(*engine, "after")), "value");
  EXPECT_EQ(ASSERT_VALUE(Get(*engine, "cursor")), std::nullopt);
}

TEST_F(FailureTest, TwoHundredAndFiftySixOpenFilesAreEnough) {
  rlimit before{};
  ::getrlimit(RLIMIT_NOFILE, &before);
  rlimit few = before;
  few.rlim_cur = 256;
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
  RocksDbEngineOptions options = Options();
  options.write_buffer_bytes = 64 << 10;  // many small files
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    for (int row = 0; row < 1000; ++row) {
      ASSERT_OK(Put(*engine, std::to_string(row), std::string(10'000, 'x')));
    }
    ExpectRows(*engine, 1000);
    for (const Metric& metric : ASSERT_VALUE(engine->GetStatistics()).metrics) {
      if (metric.name != "talea_engine_open_files") continue;
      EXPECT_GT(metric.value, 2);
      EXPECT_LE(metric.value, 200);
    }
  }
  ::setrlimit(RLIMIT_NOFILE, &before);
  EXPECT_EQ(OpenFilesWithin(256), 128);
}

}  // namespace
}  // namespace talea
