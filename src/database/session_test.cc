// Unknown outcomes, one interleaving each.
#include "database/session.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "database/database_testing.h"
#include "engine/hex_for_test.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

class SessionTest : public ScriptedDatabase {
 protected:
  SessionTest() { Begin(); }
  // Begins the session with a first transaction.
  void Begin() {
    EXPECT_OK(Count());
    runs_ = 0;
  }
  // What another process does that collects, once this one's session is long expired.
  std::uint64_t CollectByAnother() {
    const auto later = std::make_shared<ManualClock>(clock_->Now() + hours(3));
    const auto other = Database::Over(engine_, {.clock = later}).value();
    return other->CollectExpired(100).value();
  }
};

TEST_F(SessionTest, ACommitThatWasAppliedIsFoundAndNotMadeTwice) {
  engine_->Expect({Fate::applied});
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(Sum(), 2);
}

TEST_F(SessionTest, ACommitThatWasLostIsMadeAgain) {
  engine_->Expect({Fate::lost, Fate::lost});
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 3);
  EXPECT_EQ(Sum(), 2);
}

TEST_F(SessionTest, ABlindCommitIsMadeOnceToo) {
  const auto add = [&] {
    return database_->Transact([](Transaction& transaction) -> Status {
      transaction.Add(kCounts, "n", 1);
      return {};
    });
  };
  for (const Fate fate : {Fate::applied, Fate::lost, Fate::held}) {
    engine_->Expect({fate});
    EXPECT_OK(add());
  }
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Get(kCounts, "n"), std::string("\x03\0\0\0\0\0\0\0", 8));
}

TEST_F(SessionTest, ACommitThatComesAfterItsRetryConflicts) {
  engine_->Expect({Fate::held});
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 2);
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Sum(), 2);
}

TEST_F(SessionTest, ACommitThatComesWhileItsRetryRunsIsFoundByTheNext) {
  engine_->Expect({Fate::held});
  in_body_ = [&] {
    if (runs_ == 2) {
      ASSERT_OK(engine_->Release());
    }
  };
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(Sum(), 2);
}

// What it returns must be true of what was committed: the first attempt of three, here.
TEST_F(SessionTest, ReturnsWhatTheAttemptReturnedThatWasCommitted) {
  engine_->Expect({Fate::held, Fate::lost});
  int runs = 0;
  const Result<int> returned = database_->Transact([&](Transaction& transaction) -> Result<int> {
    transaction.Add(kCounts, "n", 1);
    if (++runs == 3) {
      EXPECT_OK(engine_->Release());
    }
    return runs;
  });
  EXPECT_EQ(ASSERT_VALUE(returned), 1);
  EXPECT_EQ(runs, 3);
}

TEST_F(SessionTest, ABodyThatFailsAfterAnUnknownOutcomeFencesItOff) {
  engine_->Expect({Fate::held});
  int runs = 0;
  const Status failed = database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kRows, "key", "value");
    if (++runs == 2) return Fail(ErrorCode::already_exists, "the body's");
    return {};
  });
  EXPECT_ERROR(failed, ErrorCode::already_exists);
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Get(kRows, "key"), std::nullopt);
}

TEST_F(SessionTest, ABodyThatOnlyReadsAfterAnUnknownOutcomeFencesItOff) {
  engine_->Expect({Fate::held});
  int runs = 0;
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    if (++runs == 1) transaction.Put(kRows, "key", "value");
    return {};
  }));
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Get(kRows, "key"), std::nullopt);
}

TEST_F(SessionTest, AFenceWhoseOwnOutcomeIsUnknownIsMadeAgain) {
  for (const Fate fate : {Fate::applied, Fate::lost, Fate::held, Fate::refused}) {
    engine_->Expect({Fate::held, fate});
    int runs = 0;
    EXPECT_ERROR(database_->Transact([&](Transaction& transaction) -> Status {
      transaction.Put(kRows, "key", "value");
      if (++runs > 1) return Fail(ErrorCode::already_exists, "the body's");
      return {};
    }),
                 ErrorCode::already_exists);
    while (engine_->held() > 0) EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  }
  EXPECT_EQ(Get(kRows, "key"), std::nullopt);
}

TEST_F(SessionTest, ACommitThatComesWhileItIsFencedOffIsFound) {
  engine_->Expect({Fate::held});
  int runs = 0;
  EXPECT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kRows, "key", "value");
    if (++runs == 1) return {};
    EXPECT_OK(engine_->Release());
    return Fail(ErrorCode::already_exists, "the body's");
  }));
  EXPECT_EQ(Get(kRows, "key"), "value");
}

TEST_F(SessionTest, AnErrorAfterAnUnknownOutcomeThatCannotBeFencedOffIsUnknown) {
  engine_->Expect({Fate::held, Fate::denied, Fate::denied});
  const Result<int> counted = Count();
  ASSERT_ERROR(counted, ErrorCode::outcome_unknown);
  EXPECT_THAT(counted.error().message(), HasSubstr("cannot be found out after 2 attempts in "));
  EXPECT_THAT(counted.error().message(), HasSubstr("scripted: io error"));
}

TEST_F(SessionTest, GivingUpWithoutKnowingIsAnUnknownOutcome) {
  retry_.attempts = 2;
  Open();
  Begin();
  engine_->Expect({Fate::held, Fate::refused});
  const Result<int> counted = Count();
  ASSERT_ERROR(counted, ErrorCode::outcome_unknown);
  EXPECT_THAT(counted.error().message(), HasSubstr("gave up after 2 attempts"));
  EXPECT_THAT(counted.error().message(),
              HasSubstr("ended with unavailable: scripted: unavailable"));
}

// The next call gets the same slot. Whichever comes first, nothing is lost and nothing is twice.
TEST_F(SessionTest, ASlotGivenBackWithACommitUnderWayServesTheNextCall) {
  retry_.attempts = 1;
  Open();
  Begin();
  engine_->Expect({Fate::held});
  EXPECT_ERROR(Count(), ErrorCode::outcome_unknown);
  EXPECT_OK(Count());
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Sum(), 2);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 2u);  // the mark and one slot
}

TEST_F(SessionTest, AnOldCommitThatComesBetweenTheAttemptsOfTheNextCallIsNotTakenForIts) {
  retry_.attempts = 2;
  Open();
  Begin();
  engine_->Expect({Fate::held, Fate::refused});
  ASSERT_ERROR(database_->Transact([](Transaction& transaction) -> Status {
    transaction.Put(kRows, "old", "");
    return {};
  }),
               ErrorCode::outcome_unknown);
  engine_->Expect({Fate::lost});
  in_pause_ = [&] { EXPECT_OK(engine_->Release()); };
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(Get(kRows, "old"), "");
}

TEST_F(SessionTest, AnOldCommitThatComesWhileTheNextCallRunsMakesItConflictAndRunAgain) {
  retry_.attempts = 2;
  Open();
  Begin();
  engine_->Expect({Fate::held, Fate::refused});
  ASSERT_ERROR(database_->Transact([](Transaction& transaction) -> Status {
    transaction.Put(kRows, "old", "");
    return {};
  }),
               ErrorCode::outcome_unknown);
  in_body_ = [&] {
    if (runs_ == 1) {
      EXPECT_OK(engine_->Release());
    }
  };
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 2);
}

TEST_F(SessionTest, ASessionThatWasCollectedMeanwhileLeavesTheOutcomeUnknown) {
  for (const Fate fate : {Fate::applied, Fate::lost}) {
    Open();
    Begin();
    engine_->Expect({fate});
    in_pause_ = [&] { CollectByAnother(); };
    const Result<int> counted = Count();
    ASSERT_ERROR(counted, ErrorCode::outcome_unknown);
    EXPECT_THAT(counted.error().message(), HasSubstr("was collected meanwhile"));
    EXPECT_EQ(runs_, 1);
    in_pause_ = {};
    EXPECT_OK(Count());  // in a new session
  }
}

TEST_F(SessionTest, ACommitUnderWayWhenItsSessionIsCollectedConflicts) {
  in_body_ = [&] {
    if (runs_ == 1) CollectByAnother();
  };
  EXPECT_EQ(ASSERT_VALUE(Count()), 2);
  EXPECT_EQ(runs_, 2);
  EXPECT_EQ(Sum(), 2);
}

TEST_F(SessionTest, ALateCommitOfACollectedSessionConflicts) {
  retry_.attempts = 1;
  Open();
  Begin();
  engine_->Expect({Fate::held});
  EXPECT_ERROR(Count(), ErrorCode::outcome_unknown);
  CollectByAnother();
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
}

TEST_F(SessionTest, BeginsOnlyForATransactionThatWrites) {
  Open();
  EXPECT_OK(database_->Transact([](Transaction& transaction) -> Status {
    TALEA_TRY(transaction.Get(kRows, "n"));
    return {};
  }));
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
  EXPECT_OK(Count());
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 1u);
}

TEST_F(SessionTest, BeginsEvenWithOneAttemptAllowed) {
  retry_.attempts = 1;
  Open();
  EXPECT_OK(Count());
}

TEST_F(SessionTest, ABeginOfUnknownOutcomeIsGivenUpForAnother) {
  for (const Fate fate : {Fate::applied, Fate::lost, Fate::held, Fate::refused}) {
    Open();
    engine_->Expect({fate});
    EXPECT_EQ(ASSERT_VALUE(Count()), 1);
    EXPECT_EQ(Sum(), 1);
    EXPECT_EQ(RowsBehind(TaleaPrefix::session), fate == Fate::applied ? 2u : 1u);
  }
}

TEST_F(SessionTest, IsRenewedHalfWayWithoutAConflict) {
  const auto expires = [&] {
    const auto snapshot = engine_->OpenSnapshot().value();
    const Page page =
        snapshot->Range(kTaleaKeyspace, KeyRange::Prefix(PackedPrefix(TaleaPrefix::session)))
            .value();
    return DecodeTime("session", page[0].value).value();
  };
  clock_->Advance(minutes(29));
  EXPECT_OK(Count());
  EXPECT_EQ(expires(), Timestamp(hours(1)));
  // Another thread's call renews while this one's commit is under way.
  clock_->Advance(minutes(1));
  runs_ = 0;
  in_body_ = [&] {
    clock_->Advance(minutes(30));
    EXPECT_OK(database_->Transact([](Transaction&) -> Status { return {}; }));
  };
  EXPECT_OK(Count());
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(expires(), Timestamp(hours(2)));
}

TEST_F(SessionTest, AProcessThatSleptUntilItsSessionWasCollectedBeginsANewOne) {
  CollectByAnother();
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
  clock_->Advance(hours(3));
  EXPECT_OK(Count());
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 1u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 2u);
  engine_->Expect({Fate::applied});
  EXPECT_EQ(ASSERT_VALUE(Count()), 3);
  EXPECT_EQ(Sum(), 3);
}

// Its clock stands still, so it cannot know until the renewal or an unknown outcome tells it.
TEST_F(SessionTest, WhatACollectedSessionWroteToItsSlotsIsErasedOnceItIsNoticed) {
  CollectByAnother();
  EXPECT_OK(Count());
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 1u);
  clock_->Advance(minutes(30));
  EXPECT_OK(Count());
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 2u);  // the new session's mark and slot
}

TEST_F(SessionTest, ALateRenewalDoesNotBringBackASession) {
  clock_->Advance(minutes(30));
  engine_->Expect({Fate::held});
  EXPECT_OK(database_->Transact([](Transaction&) -> Status { return {}; }));
  ASSERT_EQ(engine_->held(), 1u);
  CollectByAnother();
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
}

TEST_F(SessionTest, IsCollectedOnlyWellAfterItExpired) {
  const auto at = [&](std::chrono::minutes since) {
    const auto clock = std::make_shared<ManualClock>(Timestamp(since));
    return Database::Over(engine_, {.clock = clock}).value()->CollectExpired(10).value();
  };
  at(minutes(120));
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 1u);
  at(minutes(121));
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 0u);
}

TEST_F(SessionTest, IsErasedWhenItsDatabaseIsClosed) {
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 1u);
  database_.reset();
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 0u);
}

TEST_F(SessionTest, CallsWithinCallsHaveSlotsOfTheirOwn) {
  in_body_ = [&] {
    engine_->Expect({Fate::applied, Fate::applied});
    EXPECT_OK(database_->Transact([](Transaction& transaction) -> Status {
      transaction.Put(kRows, "inner", "");
      return {};
    }));
  };
  EXPECT_OK(Count());
  EXPECT_EQ(runs_, 1);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session_slot), 3u);
}

// Whoever changes this test changes the format on disk.
TEST_F(SessionTest, HasTheseBytes) {
  const auto snapshot = engine_->OpenSnapshot().value();
  const Page expiry =
      snapshot->Range(kTaleaKeyspace, KeyRange::Prefix(PackedPrefix(TaleaPrefix::session))).value();
  ASSERT_EQ(expiry.size(), 1u);
  EXPECT_EQ(Hex(expiry[0].value), "18 d6 93 a4 00");  // an hour
  const Page rows =
      snapshot->Range(kTaleaKeyspace, KeyRange::Prefix(PackedPrefix(TaleaPrefix::session_slot)))
          .value();
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(Hex(rows[0].value), "");
  EXPECT_EQ(Hex(rows[1].value), "15 01");
}

}  // namespace
}  // namespace talea
