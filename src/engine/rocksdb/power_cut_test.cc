// Cuts the power at random moments, again and again on the same database, and checks what is left.
#include <rocksdb/env.h>

#include <algorithm>
#include <atomic>
#include <iostream>
#include <thread>
#include <vector>

#include "base/coding.h"
#include "engine/rocksdb/power_cut_for_test.h"
#include "engine/rocksdb/rocksdb_engine_internal.h"
#include "engine/rocksdb/testing.h"

namespace talea {
namespace {

constexpr std::uint64_t kRows = 64;

// Commit n puts n as the last number and into row n % 64, adds n to a sum, and counts itself. So
// from the last number alone follows everything else, if no commit before it is missing.
class PowerCutTest : public RocksDbTest {
 protected:
  struct Written {
    std::uint64_t tried = 0;
    std::uint64_t synced = 0;
  };

  static std::string RowKey(std::uint64_t number) { return EncodeCounter(number % kRows); }
  static std::string RowValue(std::uint64_t number) {
    const std::size_t padding = number % 40 == 0 ? 80'000 : number * 37 % 3000;
    return std::to_string(number) + ":" +
           std::string(padding, static_cast<char>('a' + number % 26));
  }

  class OneRow final : public SortedRun {
   public:
    explicit OneRow(std::uint64_t number) : key_(RowKey(number)), value_(RowValue(number)) {}
    Result<std::optional<Row>> Next() override {
      if (std::exchange(read_, true)) return std::nullopt;
      return Row{key_, value_};
    }

   private:
    const std::string key_;
    const std::string value_;
    bool read_ = false;
  };

  static Status Commit(Engine& engine, std::uint64_t number, Durability durability) {
    CommitRequest request{.durability = durability};
    request.batch.Put(kTestPoints, "last", std::to_string(number));
    request.batch.Put(kTestScans, RowKey(number), RowValue(number));
    request.batch.Add(kTestCounters, "sum", static_cast<std::int64_t>(number));
    request.batch.Add(kTestCounters, "commits", 1);
    TALEA_TRY(engine.Commit(std::move(request)));
    return {};
  }

  static Status Ingest(Engine& engine, std::uint64_t number) {
    OneRow row(number);
    IngestRequest request;
    request.runs.push_back({&kTestScans, &row});
    request.batch.Put(kTestPoints, "last", std::to_string(number));
    request.batch.Add(kTestCounters, "sum", static_cast<std::int64_t>(number));
    request.batch.Add(kTestCounters, "commits", 1);
    TALEA_TRY(engine.Ingest(std::move(request)));
    return {};
  }

  // Until the power is off.
  static void Write(Engine& engine, PowerCut& disk, Random& random, Written& written) {
    while (!disk.off()) {
      const std::uint64_t number = ++written.tried;
      const bool ingest = random.Chance(0.02);
      const bool synced = random.Chance(0.05);
      const Status done =
          ingest ? Ingest(engine, number)
                 : Commit(engine, number, synced ? Durability::synced : Durability::buffered);
      if (!done) break;
      if (ingest || synced) written.synced = number;
    }
    EXPECT_TRUE(disk.off());
  }

  // Checks that the state is the one after some commit, and tells which.
  static void CheckPrefix(Engine& engine, std::uint64_t& last) {
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine.OpenSnapshot());
    last = std::stoull(ASSERT_VALUE(snapshot->Get(kTestPoints, "last")).value_or("0"));
    EXPECT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, "sum")),
              static_cast<std::int64_t>(last * (last + 1) / 2));
    EXPECT_EQ(ASSERT_VALUE(snapshot->GetCounter(kTestCounters, "commits")),
              static_cast<std::int64_t>(last));
    for (std::uint64_t number = last - std::min(last, kRows - 1); number <= last; ++number) {
      if (number == 0) continue;
      EXPECT_EQ(ASSERT_VALUE(snapshot->Get(kTestScans, RowKey(number))), RowValue(number));
    }
  }

  void CutAgainAndAgain(const std::filesystem::path& folder, std::uint64_t seed, int cuts,
                        std::atomic<std::uint64_t>& commits, std::atomic<std::uint64_t>& lost) {
    Random random(seed);
    RocksDbEngineOptions options = Options();
    options.folder = folder;
    options.write_buffer_bytes = 512 << 10;
    Written written;
    for (int cut = 0; cut < cuts && !HasFailure(); ++cut) {
      const auto kind = static_cast<PowerCut::Kind>(random.Below(4));
      SCOPED_TRACE(testing::Message() << "cut " << cut << ", kind " << static_cast<int>(kind));
      const std::uint64_t operations = random.Below(random.Chance(0.2) ? 60 : 1500);
      const auto disk = std::make_shared<PowerCut>(operations, kind, random.Next());
      const std::unique_ptr<rocksdb::Env> environment = rocksdb::NewCompositeEnv(disk);
      if (auto engine = OpenRocksDbEngineOn(*environment, options)) {
        Write(**engine, *disk, random, written);
      }
      disk->Lose();
      const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenRocksDbEngine(options));
      std::uint64_t left = 0;
      CheckPrefix(*engine, left);
      EXPECT_GE(left, written.synced);
      EXPECT_LE(left, written.tried);
      lost += written.tried - left;
      written = {.tried = left, .synced = left};  // this engine has written all of it to files
    }
    commits += written.tried;
  }
};

// RocksDB sleeps for a second after a flush that failed, so several databases take turns.
constexpr int kDatabases = 5;

TEST_F(PowerCutTest, KeepsAPrefixOfTheCommitsWithEverySyncedOne) {
  const std::uint64_t seed = TestSeed();
  const int cuts = LongTests() ? 400 : 30;
  std::cout << "TALEA_SEED=" << seed << ", " << cuts << " power cuts\n";
  std::atomic<std::uint64_t> commits = 0;
  std::atomic<std::uint64_t> lost = 0;
  {
    std::vector<std::jthread> threads;
    for (int database = 0; database < kDatabases; ++database) {
      threads.emplace_back([&, database] {
        SCOPED_TRACE(testing::Message() << "TALEA_SEED=" << seed << ", database " << database);
        CutAgainAndAgain(Path(std::to_string(database)), seed + static_cast<unsigned>(database),
                         cuts / kDatabases, commits, lost);
      });
    }
  }
  std::cout << "commits: " << commits << ", lost: " << lost << "\n";
  EXPECT_GT(lost, 0u);
}

}  // namespace
}  // namespace talea
