#include "talea/database.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/database_testing.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

using std::chrono::milliseconds;
using ::testing::HasSubstr;

using DatabaseTest = ScriptedDatabase;

TEST_F(DatabaseTest, ReturnsWhatTheBodyReturnsAndCommitsIt) {
  EXPECT_EQ(ASSERT_VALUE(Count()), 1);
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(Sum(), 2);
}

TEST_F(DatabaseTest, TakesBodiesWithTheTimeAndBodiesThatReturnNothing) {
  clock_->Set(Timestamp(milliseconds(5)));
  Timestamp seen;
  EXPECT_OK(database_->Transact([&](Transaction&, Timestamp now) -> Status {
    seen = now;
    return {};
  }));
  EXPECT_EQ(seen, Timestamp(milliseconds(5)));
}

TEST_F(DatabaseTest, TakesBodiesThatReturnWhatCanOnlyBeMoved) {
  const std::unique_ptr<int> returned = ASSERT_VALUE(database_->Transact(
      [&](Transaction&) -> Result<std::unique_ptr<int>> { return std::make_unique<int>(7); }));
  EXPECT_EQ(*returned, 7);
}

TEST_F(DatabaseTest, RunsAgainWhatConflicted) {
  ASSERT_OK(Count());
  runs_ = 0;
  in_body_ = [&] {
    if (runs_ > 3) return;
    WriteBatch batch;
    batch.Put(kRows, "n", std::to_string(runs_ * 10));
    ASSERT_OK(engine_->Commit({.batch = batch}));
  };
  EXPECT_EQ(ASSERT_VALUE(Count()), 31);
  EXPECT_EQ(runs_, 4);
}

TEST_F(DatabaseTest, DoesWorkAfterwardsForTheAttemptThatWasCommittedAlone) {
  std::vector<int> worked;
  int runs = 0;
  const auto count = [&]() -> Result<int> {
    return database_->Transact([&](Transaction& transaction) -> Result<int> {
      const int run = ++runs;
      transaction.Put(kRows, "key", std::to_string(run));
      transaction.Afterwards([&, run] {
        EXPECT_EQ(Get(kRows, "key"), std::to_string(run));
        EXPECT_OK(Count());
        worked.push_back(run);
      });
      return run;
    });
  };
  ASSERT_OK(Count());  // begins the session
  engine_->Expect({Fate::refused, Fate::lost});
  EXPECT_EQ(ASSERT_VALUE(count()), 3);
  EXPECT_EQ(worked, std::vector<int>{3});
  EXPECT_EQ(Sum(), 2);

  engine_->Expect({Fate::applied});  // and then it is found out about
  EXPECT_EQ(ASSERT_VALUE(count()), 4);
  EXPECT_EQ(worked, std::vector<int>{3});
}

TEST_F(DatabaseTest, RunsAgainWhatTheBodyFoundUnavailable) {
  int runs = 0;
  EXPECT_OK(database_->Transact([&](Transaction&) -> Status {
    if (++runs < 3) return Fail(ErrorCode::snapshot_expired, "the body's");
    return {};
  }));
  EXPECT_EQ(runs, 3);
}

TEST_F(DatabaseTest, SeesTheSameTimeInEachAttempt) {
  std::vector<Timestamp> seen;
  EXPECT_OK(database_->Transact([&](Transaction&, Timestamp now) -> Status {
    seen.push_back(now);
    clock_->Advance(milliseconds(1));
    if (seen.size() < 3) return Fail(ErrorCode::conflict, "the body's");
    return {};
  }));
  EXPECT_EQ(seen, std::vector<Timestamp>(3, Timestamp{}));
}

TEST_F(DatabaseTest, ReturnsTheBodysErrorAsItIsAndChangesNothing) {
  int runs = 0;
  const Status failed = database_->Transact([&](Transaction& transaction) -> Status {
    ++runs;
    transaction.Put(kRows, "key", "value");
    return Fail(ErrorCode::already_exists, "the body's");
  });
  ASSERT_ERROR(failed, ErrorCode::already_exists);
  EXPECT_EQ(failed.error().message(), "the body's");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(Get(kRows, "key"), std::nullopt);
}

TEST_F(DatabaseTest, DoesNotTryAgainWhatTheEngineRefusesForGood) {
  ASSERT_OK(Count());
  runs_ = 0;
  engine_->Expect({Fate::denied});
  EXPECT_ERROR(Count(), ErrorCode::io_error);
  EXPECT_EQ(runs_, 1);
}

TEST_F(DatabaseTest, RefusesAWriteThatCannotBe) {
  EXPECT_ERROR(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Add(kRows, "key", 1);
    return {};
  }),
               ErrorCode::invalid_argument);
}

TEST_F(DatabaseTest, GivesUpAfterSoManyAttemptsAndTellsHowMany) {
  retry_.attempts = 3;
  Open();
  int runs = 0;
  const Status failed = database_->Transact([&](Transaction&) -> Status {
    ++runs;
    return Fail(ErrorCode::timed_out, "the body's");
  });
  ASSERT_ERROR(failed, ErrorCode::timed_out);
  EXPECT_THAT(failed.error().message(), HasSubstr("gave up after 3 attempts in "));
  EXPECT_THAT(failed.error().message(), HasSubstr("ended with timed_out: the body's"));
  EXPECT_EQ(runs, 3);
}

TEST_F(DatabaseTest, GivesUpAfterSoMuchTime) {
  retry_ = {.attempts = 1'000'000, .within = milliseconds(20)};
  Open();
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_ERROR(database_->Transact(
                   [&](Transaction&) -> Status { return Fail(ErrorCode::conflict, "ever"); }),
               ErrorCode::conflict);
  EXPECT_GE(std::chrono::steady_clock::now() - begin, milliseconds(20));
}

// Whoever asked for all the time there is got one attempt: as microseconds it overflowed, and was
// over before it began. And pauses that may grow without a bound overflowed as they doubled.
TEST_F(DatabaseTest, TriesForAsLongAsThereIsTime) {
  using std::chrono::microseconds;
  retry_ = {.within = milliseconds::max(), .longest_pause = microseconds::max()};
  Open();
  int runs = 0;
  EXPECT_OK(database_->Transact([&](Transaction&) -> Status {
    if (++runs < 100) return Fail(ErrorCode::conflict, "not yet");
    return {};
  }));
  EXPECT_EQ(runs, 100);
}

TEST_F(DatabaseTest, PausesLongerEachTimeUpToABound) {
  using std::chrono::microseconds;
  std::vector<microseconds> pauses;
  const RetryOptions retry{
      .attempts = 200, .first_pause = microseconds(8), .longest_pause = microseconds(64)};
  database_ =
      Database::Over(
          engine_, {.retry = retry, .pause = [&](microseconds pause) { pauses.push_back(pause); }})
          .value();
  EXPECT_ERROR(database_->Transact(
                   [&](Transaction&) -> Status { return Fail(ErrorCode::conflict, "ever"); }),
               ErrorCode::conflict);
  ASSERT_EQ(pauses.size(), 199u);
  EXPECT_LE(pauses[0], microseconds(8));
  EXPECT_LE(pauses[1], microseconds(16));
  EXPECT_LE(*std::ranges::max_element(pauses), microseconds(64));
  EXPECT_GT(*std::ranges::max_element(pauses), microseconds(32));
}

TEST_F(DatabaseTest, RefusesBoundsThatAllowNoAttempt) {
  for (const RetryOptions& retry :
       {RetryOptions{.attempts = 0}, RetryOptions{.within = milliseconds(-1)},
        RetryOptions{.longest_pause = milliseconds(0)}}) {
    EXPECT_ERROR(Database::Over(engine_, {.retry = retry}), ErrorCode::invalid_argument);
  }
  EXPECT_ERROR(Database::Over(nullptr), ErrorCode::invalid_argument);
}

TEST_F(DatabaseTest, RefusesTheTargetOfAnUnfinishedCopy) {
  WriteBatch batch;
  batch.Put(kTaleaKeyspace, CopyMarkKey(), "");
  ASSERT_OK(engine_->Commit({.batch = batch}));
  EXPECT_ERROR(Database::Over(engine_), ErrorCode::precondition_failed);
}

TEST_F(DatabaseTest, ReturnsAnUnknownOutcomeAtOnceWhereTheEngineClosesItselfOverIt) {
  Open(false);
  engine_->Expect({Fate::lost});
  const Result<int> counted = Count();
  ASSERT_ERROR(counted, ErrorCode::outcome_unknown);
  EXPECT_EQ(counted.error().message(), "scripted: unknown");
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
}

TEST_F(DatabaseTest, ShutdownClosesTheEngine) {
  ASSERT_OK(Count());
  EXPECT_OK(database_->Shutdown(milliseconds(1000)));
  EXPECT_ERROR(Count(), ErrorCode::closed);
}

TEST_F(DatabaseTest, HoldsTheKeyspacesOfTheRegistry) {
  EXPECT_EQ(TaleaKeyspaces().size(), kAllKeyspaces.size());
  EXPECT_OK(KeyspaceSet::Make(TaleaKeyspaces()));
}

TEST(DatabaseRoundTrips, AreTheBodysAndTwoMoreAndForARequestThree) {
  Simulation simulation =
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1)
          .value();
  const std::unique_ptr<Database> database = Database::Over(simulation.Open().value()).value();
  const auto taken = [&](auto call) {
    const std::uint64_t before = simulation.round_trips();
    EXPECT_OK(call());
    return simulation.round_trips() - before;
  };
  const auto blind = [](Transaction& transaction) -> Status {
    transaction.Add(kCounts, "n", 1);
    return {};
  };
  const auto with_two_reads = [](Transaction& transaction) -> Status {
    TALEA_TRY(transaction.Get(kRows, "a"));
    TALEA_TRY(transaction.Get(kRows, "b"));
    transaction.Put(kRows, "a", "");
    return {};
  };
  const auto only_reads = [](Transaction& transaction) -> Status {
    TALEA_TRY(transaction.Get(kRows, "a"));
    return {};
  };
  EXPECT_EQ(taken([&] { return database->Transact(only_reads); }), 2u);
  EXPECT_EQ(taken([&] { return database->Transact(blind); }), 3u);  // begins the session too
  EXPECT_EQ(taken([&] { return database->Transact(blind); }), 2u);
  EXPECT_EQ(taken([&] { return database->Transact(with_two_reads); }), 4u);
  int number = 0;
  const auto request = [&](const std::string& key) {
    return database->TransactOnce({.key = key}, [&](Transaction& transaction, Timestamp) {
      transaction.Add(kCounts, "n", 1);
      return Result<std::string>("done");
    });
  };
  EXPECT_EQ(taken([&] { return request(std::to_string(++number)); }), 3u);
  EXPECT_EQ(taken([&] { return request(std::to_string(number)); }),
            2u);  // again: nothing to commit
}

TEST(DatabaseLimits, ATransactionMayBeAsLargeAsTheEngineAllowsButFor500Bytes) {
  Simulation simulation =
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1)
          .value();
  const std::unique_ptr<Database> database = Database::Over(simulation.Open().value()).value();
  const Limits& limits = database->engine().limits();
  const std::size_t most = limits.transaction_bytes - 500;
  EXPECT_OK(database->Transact([&](Transaction& transaction) -> Status {
    const std::string large(limits.value_bytes / 2, 'x');
    while (transaction.size() + limits.value_bytes < most) {
      transaction.Put(kRows, std::to_string(transaction.size()), large);
    }
    const std::size_t rest = most - transaction.size() - limits.write.Of(4, 0);
    transaction.Put(kRows, "last", std::string(rest, 'x'));
    EXPECT_EQ(transaction.size(), most);
    return {};
  }));
}

}  // namespace
}  // namespace talea
