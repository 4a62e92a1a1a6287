// Damage in the write-ahead log: told from what a power cut leaves, and refused.
#include "engine/rocksdb/log_check.h"

#include <gmock/gmock.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>

#include "engine/rocksdb/crc32c.h"
#include "engine/rocksdb/log_reader.h"
#include "engine/rocksdb/rocksdb_engine_internal.h"
#include "engine/rocksdb/testing.h"
#include "talea/testing/random.h"

namespace talea {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class LogCheckTest : public RocksDbTest {
 protected:
  // Commits of many sizes, some of which take several blocks of the log. Afterwards ends_[n] is the
  // size of the log with n commits.
  void MakeLog(int commits, bool shut_down = false) {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    for (int commit = 1; commit <= commits; ++commit) {
      const std::size_t bytes =
          commit % 30 == 0 ? 40'000 : static_cast<std::size_t>(commit * 7 % 300);
      ASSERT_OK(Put(*engine, std::to_string(commit), std::string(bytes, 'x')));
      log_ = ASSERT_VALUE(ListLogs(folder())).back();
      ends_.resize(static_cast<std::size_t>(commit) + 1);
      ends_.back() = fs::file_size(log_);
    }
    if (shut_down) {
      ASSERT_OK(engine->Shutdown(std::chrono::seconds(10)));
    }
  }

  // How many commits are whole in the first bytes of the log.
  std::uint64_t CommitsWithin(std::uint64_t bytes) const {
    return static_cast<std::uint64_t>(std::ranges::upper_bound(ends_, bytes) - ends_.begin()) - 1;
  }

  // Opens a copy of the database with this log: it must hold the first commits and no others.
  void ExpectCommits(std::string_view log, std::uint64_t commits) {
    RocksDbEngineOptions options = Options();
    options.folder = Path("copy");
    fs::remove_all(options.folder);
    fs::copy(folder(), options.folder);
    WriteAll(options.folder / log_.filename(), log);
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
    EXPECT_EQ(snapshot->version().number, commits);
    for (std::uint64_t commit = 1; commit < ends_.size(); ++commit) {
      const std::string key = std::to_string(commit);
      EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kTestPoints, key)).has_value(), commit <= commits);
      EXPECT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, key)), commit <= commits ? 1 : 0);
    }
  }

  void ExpectRefused(const fs::path& log, std::string_view bytes) {
    WriteAll(log, bytes);
    const auto before = Contents(folder());
    const auto opened = Open();
    ASSERT_ERROR(opened, ErrorCode::corruption);
    EXPECT_THAT(opened.error().message(), HasSubstr(log.filename().native()));
    EXPECT_EQ(before, Contents(folder()));
  }

  // How far apart the places are that are tried, at most.
  const std::uint64_t step_ = LongTests() ? 20 : 500;

  static std::string Flipped(std::string bytes, std::uint64_t at, int bit) {
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
    return bytes;
  }

  fs::path log_;
  std::vector<std::uint64_t> ends_ = {0};
};

// RocksDB recovered up to a flipped bit in the middle of its log, and dropped every commit after it
// without a word.
TEST_F(LogCheckTest, AFlippedBitIsRefusedUnlessItIsInTheLastCommit) {
  MakeLog(100);
  const std::string log = ReadAll(log_);
  const std::uint64_t last = ends_[99];
  Random random(TestSeed());
  for (std::uint64_t at = 0; at < log.size(); at += 1 + random.Below(step_)) {
    WriteAll(log_, Flipped(log, at, static_cast<int>(random.Below(8))));
    const Status checked = CheckLogs(folder());
    if (at >= last) {
      EXPECT_OK(checked) << at;
    } else {
      EXPECT_ERROR(checked, ErrorCode::corruption) << at;
    }
  }
  for (int times = 0; times < 10; ++times) {
    ExpectRefused(log_, Flipped(log, random.Below(last), 3));
    ExpectCommits(Flipped(log, last + random.Below(log.size() - last), 3), 99);
  }
}

TEST_F(LogCheckTest, AfterAShutdownAFlippedBitInTheLastCommitIsRefusedToo) {
  MakeLog(10, true);
  const std::string log = ReadAll(log_);
  ASSERT_GT(log.size(), ends_[10]);
  for (std::uint64_t at = 0; at < ends_[10]; ++at) {
    WriteAll(log_, Flipped(log, at, 5));
    EXPECT_ERROR(CheckLogs(folder()), ErrorCode::corruption) << at;
  }
  for (std::uint64_t at = ends_[10]; at < log.size(); at += 9)
    ExpectCommits(Flipped(log, at, 5), 10);
  ExpectCommits(log, 10);
}

TEST_F(LogCheckTest, ALogThatEndsAnywhereKeepsTheCommitsBefore) {
  MakeLog(100);
  const std::string log = ReadAll(log_);
  Random random(TestSeed());
  for (std::uint64_t end = 0; end < log.size(); end += 1 + random.Below(step_)) {
    WriteAll(log_, log.substr(0, end));
    EXPECT_OK(CheckLogs(folder())) << end;
  }
  for (int times = 0; times < 20; ++times) {
    const std::uint64_t end = random.Below(log.size());
    ExpectCommits(log.substr(0, end), CommitsWithin(end));
  }
}

TEST_F(LogCheckTest, ZerosAndGarbageAfterTheEndAreDropped) {
  MakeLog(100);
  const std::string log = ReadAll(log_);
  Random random(TestSeed());
  for (int times = 0; times < 400; ++times) {
    const std::uint64_t end = random.Below(log.size());
    std::string torn = log.substr(0, end);
    const std::uint64_t more = 1 + random.Below(random.Chance(0.5) ? 30 : 70'000);
    const bool zeros = random.Chance(0.5);
    for (std::uint64_t byte = 0; byte < more; ++byte) {
      torn.push_back(zeros ? '\0' : static_cast<char>(random.Next()));
    }
    WriteAll(log_, torn);
    EXPECT_OK(CheckLogs(folder())) << end << " " << more << " " << zeros;
    if (times % 20 == 0) ExpectCommits(torn, CommitsWithin(end));
  }
}

TEST_F(LogCheckTest, SectorsThatWereNeverWrittenEndTheLog) {
  MakeLog(200);
  const std::string log = ReadAll(log_);
  for (std::uint64_t sector = 512; sector + 512 < log.size(); sector += 512 * 17) {
    std::string torn = log;
    std::fill_n(torn.begin() + static_cast<long>(sector), 512, '\0');
    ExpectCommits(torn, CommitsWithin(sector));
  }
}

// RocksDB skips zeros in a log up to the next block, and goes on there: the commits in between were
// missing, those after them were not.
TEST_F(LogCheckTest, ZerosUpToTheNextBlockEndTheLog) {
  constexpr std::uint64_t kBlock = 32 << 10;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    for (int commit = 1; commit <= 8; ++commit) {
      const std::uint64_t overhead = commit == 1 ? 0 : ends_[1] - 1000;
      // The fifth ends where its block does.
      const std::uint64_t bytes = commit == 4   ? 16'000
                                  : commit == 5 ? kBlock - ends_[4] - overhead
                                                : 1000;
      ASSERT_OK(Put(*engine, std::to_string(commit), std::string(bytes, 'x')));
      log_ = ASSERT_VALUE(ListLogs(folder())).back();
      ends_.push_back(fs::file_size(log_));
    }
  }
  ASSERT_EQ(ends_[5], kBlock);
  std::string log = ReadAll(log_);
  std::fill(log.begin() + static_cast<long>(ends_[3]), log.begin() + kBlock, '\0');
  ExpectCommits(log, 3);
}

TEST_F(LogCheckTest, SectorsOfZerosInWhatWasSyncedAreRefused) {
  MakeLog(50);
  {
    // A new engine has a new log, which starts with its first commit.
    ends_ = {0};
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    for (int commit = 0; commit < 40; ++commit) {
      CommitRequest request;
      request.batch.Put(kTestPoints, std::to_string(commit), std::string(500, 'x'));
      if (commit == 30) request.durability = Durability::synced;
      ASSERT_OK(engine->Commit(std::move(request)));
    }
    log_ = ASSERT_VALUE(ListLogs(folder())).back();
  }
  std::string log = ReadAll(log_);
  const std::string whole = log;
  std::fill_n(log.begin() + 512 * 10, 1024, '\0');
  ExpectRefused(log_, log);
  log = whole;
  std::fill_n(log.begin() + static_cast<long>(log.size() / 512 * 512) - 1024, 512, '\0');
  WriteAll(log_, log);
  EXPECT_OK(Open());
}

TEST_F(LogCheckTest, DamageInAnOlderLogIsRefused) {
  RocksDbEngineOptions options = Options();
  options.write_buffer_bytes = 2 << 20;
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
    for (int commit = 0; ASSERT_VALUE(ListLogs(folder())).size() < 2; ++commit) {
      ASSERT_LT(commit, 1000);
      ASSERT_OK(Put(*engine, std::to_string(commit), std::string(10'000, 'x')));
    }
    // Without this a log that is cut short may be what a power cut has left, unless a flush
    // happened to sync it before the engine was closed.
    CommitRequest synced{.durability = Durability::synced};
    synced.batch.Put(kTestPoints, "synced", "x");
    ASSERT_OK(engine->Commit(std::move(synced)));
    for (int commit = 0; commit < 5; ++commit) ASSERT_OK(Put(*engine, "more", "x"));
  }
  const fs::path older = ASSERT_VALUE(ListLogs(folder())).front();
  const std::string log = ReadAll(older);
  Random random(TestSeed());
  for (int times = 0; times < 20; ++times) {
    ExpectRefused(older, Flipped(log, random.Below(log.size()), 1));
  }
  ExpectRefused(older, Flipped(log, log.size() - 1, 1));
  WriteAll(older, log.substr(0, log.size() / 2));
  const auto cut = Contents(folder());
  ASSERT_ERROR(Open(), ErrorCode::corruption);
  EXPECT_EQ(cut, Contents(folder()));
  fs::remove(older);
  const auto before = Contents(folder());
  ASSERT_ERROR(Open(), ErrorCode::corruption);
  EXPECT_EQ(before, Contents(folder()));
}

// Logs that cannot be synced until they are let go: what was written to them may be lost.
class UnsyncedLogs final : public rocksdb::FileSystemWrapper {
 public:
  UnsyncedLogs() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  // Lets them go at its end.
  class Guard {
   public:
    explicit Guard(UnsyncedLogs& disk) : disk_(disk) {}
    ~Guard() {
      disk_.let_go_ = true;
      disk_.let_go_.notify_all();
    }
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    UnsyncedLogs& disk_;
  };

  const char* Name() const override { return "UnsyncedLogs"; }
  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* context) override {
    const rocksdb::IOStatus made = target()->NewWritableFile(path, options, file, context);
    if (made.ok() && path.ends_with(".log")) *file = std::make_unique<Log>(*this, std::move(*file));
    return made;
  }

 private:
  class Log final : public rocksdb::FSWritableFileOwnerWrapper {
   public:
    Log(UnsyncedLogs& disk, std::unique_ptr<rocksdb::FSWritableFile> file)
        : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}
    rocksdb::IOStatus Sync(const rocksdb::IOOptions&, rocksdb::IODebugContext*) override {
      disk_.let_go_.wait(false);
      return rocksdb::IOStatus::OK();
    }
    rocksdb::IOStatus Fsync(const rocksdb::IOOptions& options,
                            rocksdb::IODebugContext* context) override {
      return Sync(options, context);
    }
    bool IsSyncThreadSafe() const override { return true; }

   private:
    UnsyncedLogs& disk_;
  };

  std::atomic<bool> let_go_ = false;
};

// A power cut took all of a log, none of which had been synced, and left the one after it. Nothing
// stood before the first commit of that one, so it was taken for the beginning: the commits of the
// lost log were missing, those after them were not.
TEST_F(LogCheckTest, ALogOfWhichNothingIsLeftEndsTheLogs) {
  RocksDbEngineOptions options = Options();
  options.write_buffer_bytes = 2 << 20;
  const auto disk = std::make_shared<UnsyncedLogs>();
  const std::unique_ptr<rocksdb::Env> environment = rocksdb::NewCompositeEnv(disk);
  const std::unique_ptr<RocksDbEngine> engine =
      ASSERT_VALUE(OpenRocksDbEngineOn(*environment, options));
  const UnsyncedLogs::Guard let_go(*disk);
  const fs::path lost = ASSERT_VALUE(ListLogs(folder())).back();
  for (int commit = 0; ASSERT_VALUE(ListLogs(folder())).back() == lost; ++commit) {
    ASSERT_LT(commit, 1000);
    ASSERT_OK(Put(*engine, std::to_string(commit), std::string(10'000, 'x')));
  }
  for (int commit = 0; commit < 5; ++commit) ASSERT_OK(Put(*engine, "more", "x"));
  for (const bool removed : {false, true}) {
    RocksDbEngineOptions copy = Options();
    copy.folder = Path("copy");
    fs::remove_all(copy.folder);
    fs::copy(folder(), copy.folder);
    fs::resize_file(copy.folder / lost.filename(), 0);
    if (removed) fs::remove(copy.folder / lost.filename());
    const std::unique_ptr<RocksDbEngine> left = ASSERT_VALUE(OpenRocksDbEngine(copy));
    EXPECT_EQ(ASSERT_VALUE(left->OpenSnapshot())->version().number, 0u);
    EXPECT_EQ(ASSERT_VALUE(Get(*left, "more")), std::nullopt);
  }
}

// A value may hold what looks like a record of a log, such as a copy of one. A torn commit of it is
// still a torn end.
TEST_F(LogCheckTest, ALogInAValueIsNotTakenForTheLog) {
  MakeLog(20);
  const std::string copied = ReadAll(log_);
  {
    const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(Open());
    for (int commit = 0; commit < 5; ++commit) ASSERT_OK(Put(*engine, "key", "value"));
    log_ = ASSERT_VALUE(ListLogs(folder())).back();
    ASSERT_OK(Put(*engine, "log", copied));
  }
  const std::string log = ReadAll(log_);
  WriteAll(log_, log.substr(0, log.size() - 10));
  EXPECT_OK(CheckLogs(folder()));
}

// A kill test was refused its database: logs that nobody needed any more had been deleted, and not
// the oldest first.
TEST(LogHistory, AGapBetweenTwoLogsIsLeftToRocksDb) {
  LogHistory history;
  history.BeginLog("1.log");
  ASSERT_OK(history.Record(0, 1, 1, LogMark{0, 1, 0}));
  history.EndLog(100);
  history.BeginLog("5.log");
  EXPECT_OK(history.Record(0, 5, 1, LogMark{3, 4, 3}));
  EXPECT_OK(history.Record(50, 6, 1, LogMark{4, 5, 4}));
}

TEST(LogHistory, ATornEndBeforeALaterLogIsCorruptionOnlyIfItWasSynced) {
  for (const std::uint64_t synced : {1u, 2u}) {
    LogHistory history;
    history.BeginLog("1.log");
    ASSERT_OK(history.Record(0, 1, 1, LogMark{0, 1, 0}));
    history.Damage(50, true);
    history.EndLog(100);
    history.BeginLog("2.log");
    const Status next = history.Record(0, 5, 1, LogMark{3, 4, synced});
    EXPECT_EQ(next.has_value(), synced == 1) << synced;
  }
}

TEST(LogHistory, AGapInsideALogAndALogThatGoesBackAreCorruption) {
  LogHistory history;
  history.BeginLog("1.log");
  ASSERT_OK(history.Record(0, 1, 1, LogMark{0, 1, 0}));
  EXPECT_ERROR(history.Record(50, 5, 1, LogMark{3, 4, 0}), ErrorCode::corruption);
  LogHistory back;
  back.BeginLog("1.log");
  ASSERT_OK(back.Record(0, 1, 1, LogMark{0, 7, 0}));
  back.BeginLog("2.log");
  EXPECT_ERROR(back.Record(0, 2, 1, LogMark{3, 4, 0}), ErrorCode::corruption);
}

TEST(LogHistory, WhatIsMissingBetweenFilesAndLogsIsCorruptionOnlyIfItWasSynced) {
  for (const std::uint64_t synced : {2u, 3u}) {
    LogHistory history(2);
    history.BeginLog("2.log");
    EXPECT_EQ(history.Record(0, 5, 1, LogMark{4, 5, synced}).has_value(), synced == 2) << synced;
    EXPECT_FALSE(history.linked());
  }
  LogHistory history(4);
  history.BeginLog("2.log");
  EXPECT_OK(history.Record(0, 5, 1, LogMark{4, 5, 4}));
  EXPECT_OK(history.Record(50, 6, 1, LogMark{5, 6, 5}));
}

TEST(LogHistory, NothingBeforeTheFirstCommitOfAnEngineMatters) {
  LogHistory history;
  history.BeginLog("1.log");
  history.Damage(0, false);
  history.BeginLog("2.log");
  EXPECT_OK(history.Record(0, 9, 1, LogMark{0, 9, 0}));
  EXPECT_OK(history.Record(50, 10, 1, LogMark{9, 10, 9}));
}

TEST(StopAtGap, StopsWhereTheFirstGroupIsBeyondTheFiles) {
  using Option = rocksdb::WalFilter::WalProcessingOption;
  const auto found = [](StopAtGap& filter, const LogMark& mark) {
    rocksdb::WriteBatch batch;
    EXPECT_TRUE(AppendLogMark(mark, batch).ok());
    return filter.LogRecordFound(1, "1.log", batch, nullptr, nullptr);
  };
  for (const std::uint64_t in_files : {3u, 4u, 9u}) {
    StopAtGap filter;
    filter.SetInFiles(in_files);
    const Option expected = in_files == 3 ? Option::kStopReplay : Option::kContinueProcessing;
    EXPECT_EQ(found(filter, {4, 5, 0}), expected) << in_files;
  }
  StopAtGap filter;
  filter.SetInFiles(3);
  EXPECT_EQ(found(filter, {0, 4, 0}), Option::kContinueProcessing);
  EXPECT_EQ(found(filter, {4, 5, 0}), Option::kContinueProcessing);
  EXPECT_EQ(found(filter, {6, 7, 0}), Option::kStopReplay);
}

TEST(LogMark, HasTheseBytes) {
  rocksdb::WriteBatch batch;
  ASSERT_TRUE(AppendLogMark({1, 2, 3}, batch).ok());
  const std::string expected(
      "\0\0\0\0\0\0\0\0\0\0\0\0\x03\x1dtalea\x01\0\0\0\0\0\0\0\x02\0\0\0\0\0\0\0\x03\0\0\0\0\0\0\0",
      12 + 2 + 5 + 24);
  EXPECT_EQ(batch.Data(), expected);
  EXPECT_EQ(FindLogMark(expected), (LogMark{1, 2, 3}));
  EXPECT_EQ(FindLogMark(expected.substr(0, expected.size() - 1)), std::nullopt);
  EXPECT_EQ(FindLogMark(""), std::nullopt);
}

TEST(Crc32c, IsThatOfTheStandard) {
  EXPECT_EQ(Crc32c("123456789"), 0xe3069283u);
  EXPECT_EQ(Crc32c(""), 0u);
  EXPECT_EQ(Crc32c(std::string(32, '\0')), 0x8a9136aau);
}

}  // namespace
}  // namespace talea
