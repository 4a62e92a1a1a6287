// Many threads on one database, with unknown outcomes all the time.
#include <gtest/gtest.h>

#include <thread>

#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "talea/database.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

constexpr int kThreads = 4;
constexpr int kCalls = 300;

class DatabaseConcurrent : public ::testing::Test {
 protected:
  DatabaseConcurrent() {
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.faults.crash = profile.faults.power_cut = 0;
    profile.faults.unknown_applied = profile.faults.unknown_lost = profile.faults.unknown_later =
        0.1;
    profile.limits.transaction_age = std::chrono::hours(1);  // the threads move one clock
    simulation_.emplace(Simulation::Make(KeyspacesForTest(), profile, 1).value());
    const RetryOptions retry{.attempts = 100'000, .within = std::chrono::minutes(5)};
    database_ = Database::Over(simulation_->Open().value(), {.retry = retry}).value();
  }

  template <class Call>
  void InThreads(Call call) {
    std::vector<std::jthread> threads;
    for (int thread = 0; thread < kThreads; ++thread) {
      threads.emplace_back([=] {
        for (int number = 0; number < kCalls; ++number) call(thread, number);
      });
    }
  }

  Snapshot& Look() {
    simulation_->InjectFaults(false);
    snapshot_ = database_->OpenSnapshot().value();
    return *snapshot_;
  }

  std::optional<Simulation> simulation_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Snapshot> snapshot_;
};

TEST_F(DatabaseConcurrent, EachBlindCallCountsOnce) {
  InThreads([&](int, int) {
    EXPECT_OK(database_->Transact([](Transaction& transaction) -> Status {
      transaction.Add(kCounts, "n", 1);
      return {};
    }));
  });
  EXPECT_EQ(ASSERT_VALUE(Look().GetCounter(kCounts, "n")), kThreads * kCalls);
}

TEST_F(DatabaseConcurrent, NoCallIsLostOrMadeTwiceAndAllReturnDifferentNumbers) {
  std::vector<std::atomic<int>> returned(kThreads * kCalls);
  InThreads([&](int, int) {
    const Result<int> number = database_->Transact([](Transaction& transaction) -> Result<int> {
      const int old = std::stoi(TALEA_TRY(transaction.Get(kRows, "n")).value_or("0"));
      transaction.Put(kRows, "n", std::to_string(old + 1));
      return old;
    });
    ASSERT_OK(number);
    ++returned[static_cast<std::size_t>(*number)];
  });
  for (const std::atomic<int>& times : returned) EXPECT_EQ(times, 1);
  EXPECT_EQ(ASSERT_VALUE(Look().Get(kRows, "n")), std::to_string(kThreads * kCalls));
}

TEST_F(DatabaseConcurrent, ARequestOfAllThreadsIsCarriedOutOnce) {
  std::vector<std::atomic<int>> first(kCalls);
  InThreads([&](int, int number) {
    const Result<RequestAnswer> answer = database_->TransactOnce(
        {.key = std::to_string(number)}, [](Transaction& transaction, Timestamp) {
          transaction.Add(kCounts, "n", 1);
          return Result<std::string>("done");
        });
    ASSERT_OK(answer);
    if (!answer->replayed) ++first[static_cast<std::size_t>(number)];
  });
  for (const std::atomic<int>& times : first) EXPECT_EQ(times, 1);
  EXPECT_EQ(ASSERT_VALUE(Look().GetCounter(kCounts, "n")), kCalls);
}

// A call has its slot to itself from before its snapshot on, so the session makes nobody conflict.
TEST_F(DatabaseConcurrent, CallsThatHaveNothingInCommonNeverConflict) {
  simulation_->InjectFaults(false);
  std::atomic<int> runs = 0;
  InThreads([&](int thread, int number) {
    EXPECT_OK(database_->Transact([&](Transaction& transaction) -> Status {
      ++runs;
      const std::string key = std::to_string(thread) + "/" + std::to_string(number);
      TALEA_TRY(transaction.Get(kRows, key));
      transaction.Put(kRows, key, "");
      return {};
    }));
  });
  EXPECT_LE(runs, kThreads * kCalls + kThreads);  // the first of each may come before the session
}

}  // namespace
}  // namespace talea
