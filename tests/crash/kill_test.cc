// Kills a writing process at random moments, again and again on the same database, and checks what
// it left.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "tests/crash/workload.h"

extern char** environ;

namespace talea::crash {
namespace {

// The writer, until it is killed.
class Writer {
 public:
  Writer(const std::filesystem::path& folder, std::uint64_t seed, bool small_buffers) {
    std::array<int, 2> ends{};
    if (::pipe2(ends.data(), O_CLOEXEC) != 0) std::abort();
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    const std::string program = TALEA_CRASH_WRITER;
    const std::string seed_text = std::to_string(seed);
    const std::string small = small_buffers ? "1" : "0";
    const std::array<const char*, 5> arguments{program.c_str(), folder.c_str(), seed_text.c_str(),
                                               small.c_str(), nullptr};
    const int error = ::posix_spawn(&process_, program.c_str(), &actions, nullptr,
                                    const_cast<char* const*>(arguments.data()), environ);
    if (error != 0) process_ = -1;
    posix_spawn_file_actions_destroy(&actions);
    ::close(ends[1]);
    output_ = ends[0];
  }
  ~Writer() {
    if (process_ > 0) Kill();
    ::close(output_);
  }

  bool started() const { return process_ > 0; }

  // Waits for one more acknowledgement; nothing once the process is gone.
  std::optional<Acknowledgement> Next() const {
    Acknowledgement acknowledgement;
    const ssize_t count = ::read(output_, &acknowledgement, sizeof acknowledgement);
    if (count != sizeof acknowledgement) return std::nullopt;
    return acknowledgement;
  }

  // Whether it was the signal that ended it.
  bool Kill() {
    ::kill(process_, SIGKILL);
    int status = 0;
    ::waitpid(std::exchange(process_, -1), &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
  }

 private:
  pid_t process_ = -1;
  int output_ = -1;
};

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
void RunAndKill(Writer& writer, Random& random, Acknowledged& acknowledged) {
  const auto commits = random.Chance(0.2) ? 0 : random.Between(1, 200);
  const std::chrono::microseconds pause(random.Between(0, commits == 0 ? 40'000 : 3'000));
  for (std::int64_t commit = 0; commit < commits; ++commit) {
    const std::optional<Acknowledgement> news = writer.Next();
    ASSERT_TRUE(news) << "the writer ended by itself";
    acknowledged.Take(*news);
  }
  std::this_thread::sleep_for(pause);
  ASSERT_TRUE(writer.Kill()) << "the writer ended by itself";
  while (const std::optional<Acknowledgement> news = writer.Next()) acknowledged.Take(*news);
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
    Writer writer(folder, random.Next(), small_buffers);
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
