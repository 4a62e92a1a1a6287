#include "talea/backup.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <thread>

#include "database/folder_for_test.h"
#include "talea/database.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

constexpr Keyspace kPairs{200, AccessPattern::point, "pairs"};
constexpr Keyspace kTotals{201, AccessPattern::counter, "totals"};
constexpr int kWriters = 3;

// Every commit, in the order of versions once they are sorted.
struct Written {
  Version version;
  int writer;
  friend auto operator<=>(const Written&, const Written&) = default;
};

// Writers that each count up in two rows and in a counter that all share, until it is destroyed.
class Load {
 public:
  explicit Load(Engine& engine) {
    for (int writer = 0; writer < kWriters; ++writer) {
      threads_.emplace_back([this, &engine, writer](const std::stop_token& stop) {
        for (int number = 1; !stop.stop_requested(); ++number) Write(engine, writer, number);
      });
    }
  }

  std::size_t acknowledged() {
    const std::lock_guard lock(mutex_);
    return written_.size();
  }
  void AwaitMore(std::size_t count) {
    const std::size_t enough = acknowledged() + count;
    while (acknowledged() < enough) std::this_thread::yield();
  }
  std::vector<Written> Stop() {
    threads_.clear();
    std::ranges::sort(written_);
    return written_;
  }

 private:
  void Write(Engine& engine, int writer, int number) {
    const std::string name = std::to_string(writer);
    CommitRequest request;
    request.batch.Put(kPairs, "first " + name, std::to_string(number));
    request.batch.Add(kTotals, "all", 1);
    request.batch.Put(kPairs, "second " + name, std::to_string(number));
    if (number % 16 == 0) request.durability = Durability::synced;
    const Result<Version> version = engine.Commit(std::move(request));
    ASSERT_OK(version);
    const std::lock_guard lock(mutex_);
    written_.push_back({*version, writer});
  }

  std::mutex mutex_;
  std::vector<Written> written_;
  std::vector<std::jthread> threads_;
};

// What the restored database holds must be what the first `total` commits have left.
void ExpectStateOfSomeCommit(Engine& engine, const std::vector<Written>& written,
                             std::size_t at_least) {
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine.OpenSnapshot());
  const auto total = static_cast<std::size_t>(ASSERT_VALUE(snapshot->GetCounter(kTotals, "all")));
  EXPECT_GE(total, at_least) << "all that was acknowledged before";
  ASSERT_LE(total, written.size());
  for (int writer = 0; writer < kWriters; ++writer) {
    const auto count = std::count_if(written.begin(), written.begin() + static_cast<long>(total),
                                     [&](const Written& one) { return one.writer == writer; });
    const std::string name = std::to_string(writer);
    EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kPairs, "first " + name)).value_or("0"),
              std::to_string(count));
    EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kPairs, "second " + name)).value_or("0"),
              std::to_string(count));
  }
}

TEST(Backup, UnderLoadIsTheStateOfSomeCommit) {
  const FolderForTest folder;
  const DatabaseOptions options{.keyspaces = {kPairs, kTotals}};
  std::vector<std::pair<std::uint32_t, std::size_t>> taken;  // and what was acknowledged before
  std::vector<Written> written;
  {
    const std::unique_ptr<Database> database =
        ASSERT_VALUE(Database::Open(folder.RocksDb("database", "?write-buffer=1M"), options));
    Load load(database->engine());
    for (int backup = 0; backup < 6; ++backup) {
      load.AwaitMore(300);
      const std::size_t before = load.acknowledged();
      const BackupDescription description =
          ASSERT_VALUE(BackUpDatabase(database->engine(), folder.Path("backups")));
      taken.emplace_back(description.id, before);
    }
    load.AwaitMore(100);
    written = load.Stop();
  }
  EXPECT_EQ(ASSERT_VALUE(ListBackups(folder.Path("backups"))).size(), taken.size());
  for (const auto& [id, before] : taken) {
    const std::string name = "restored " + std::to_string(id);
    ASSERT_OK(VerifyBackup(folder.Path("backups"), id));
    ASSERT_OK(RestoreBackup(folder.Path("backups"), id, folder.Path(name)));
    const std::unique_ptr<Database> restored =
        ASSERT_VALUE(Database::Open(folder.RocksDb(name, "?create=no"), options));
    ExpectStateOfSomeCommit(restored->engine(), written, before);
  }
}

TEST(Backup, OfAnotherEngineIsUnsupported) {
  const FolderForTest folder;
  const std::unique_ptr<Database> memory = ASSERT_VALUE(Database::Open("memory:"));
  EXPECT_ERROR(BackUpDatabase(memory->engine(), folder.Path("backups")), ErrorCode::unsupported);
  const std::unique_ptr<Database> tenant =
      ASSERT_VALUE(Database::Open(folder.RocksDb("database", "?tenant=a")));
  EXPECT_ERROR(BackUpDatabase(tenant->engine(), folder.Path("backups")), ErrorCode::unsupported);
  EXPECT_FALSE(std::filesystem::exists(folder.Path("backups")));
}

}  // namespace
}  // namespace talea
