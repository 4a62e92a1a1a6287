// Kills a writing process at random moments, again and again on the same database, and checks what
// it left.
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "tests/crash/killed_process.h"
#include "tests/crash/workload.h"

namespace talea::crash {
namespace {

// What has been acknowledged so far, over all rounds.
struct Acknowledged {
  std::array<std::uint64_t, kThreads + 1> numbers{};
  std::uint64_t version = 0;

  void Take(const Acknowledgement& news) {
    numbers[news.thread] = news.number;
    version = std::max(version, news.version);
  }
};

// Lets the writer run until some moment: while it opens the database, or after some commits and a
// bit more.
void RunAndKill(KilledProcess& writer, Random& random, Acknowledged& acknowledged) {
  const auto commits = random.Chance(0.2) ? 0 : random.Between(1, 200);
  const std::chrono::microseconds pause(random.Between(0, commits == 0 ? 40'000 : 3'000));
  for (std::int64_t commit = 0; commit < commits; ++commit) {
    const std::optional<Acknowledgement> news = writer.Next<Acknowledgement>();
    ASSERT_TRUE(news) << "the writer ended by itself";
    acknowledged.Take(*news);
  }
  std::this_thread::sleep_for(pause);
  ASSERT_TRUE(writer.Kill()) << "the writer ended by itself";
  while (const std::optional<Acknowledgement> news = writer.Next<Acknowledgement>())
    acknowledged.Take(*news);
}

void CheckWhatIsLeft(const std::filesystem::path& folder, bool small_buffers,
                     Acknowledged& acknowledged) {
  const std::unique_ptr<RocksDbEngine> engine = ASSERT_VALUE(OpenDatabase(folder, small_buffers));
  {
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
    EXPECT_EQ(ASSERT_VALUE(FindHalfCommits(*snapshot)), "");
    EXPECT_GE(snapshot->version().number, acknowledged.version);
    const auto stored = ASSERT_VALUE(LastNumbers(*snapshot));
    for (std::size_t thread = 0; thread < stored.size(); ++thread) {
      // A thread makes one commit at a time, so one at most was made and not told.
      EXPECT_GE(stored[thread], acknowledged.numbers[thread]) << "thread " << thread;
      EXPECT_LE(stored[thread], acknowledged.numbers[thread] + 1) << "thread " << thread;
    }
    acknowledged.numbers = stored;
    acknowledged.version = snapshot->version().number;
  }
  const std::uint64_t next = acknowledged.numbers[0] + 1;
  const Version version = ASSERT_VALUE(WriteNumber(*engine, 0, next, Durability::buffered));
  EXPECT_GT(version.number, acknowledged.version);
  acknowledged.Take({0, 0, next, version.number});
}

TEST(Kill, LosesNoAcknowledgedCommitAndLeavesNoHalf) {
  const std::uint64_t seed = TestSeed();
  const int rounds = LongTests() ? 200 : 40;
  std::cout << "TALEA_SEED=" << seed << ", " << rounds << " kills\n";
  std::string folder = (std::filesystem::temp_directory_path() / "talea-crash-XXXXXX").string();
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);

  Random random(seed);
  Acknowledged acknowledged;
  for (int round = 0; round < rounds && !::testing::Test::HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << ", kill " << round);
    const bool small_buffers = random.Chance(0.5);
    KilledProcess writer(
        {TALEA_CRASH_WRITER, folder, std::to_string(random.Next()), small_buffers ? "1" : "0"});
    ASSERT_TRUE(writer.started());
    RunAndKill(writer, random, acknowledged);
    if (!::testing::Test::HasFailure()) CheckWhatIsLeft(folder, small_buffers, acknowledged);
  }
  std::cout << "commits: " << acknowledged.numbers[0] + acknowledged.numbers[1]
            << ", ingests: " << acknowledged.numbers[kIngests]
            << ", version: " << acknowledged.version << "\n";
  if (!::testing::Test::HasFailure()) std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace talea::crash
