#include "database/request.h"

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

class RequestTest : public ScriptedDatabase {
 protected:
  // Counts, and answers with the sum.
  Result<RequestAnswer> CountOnce(const RequestKey& request) {
    return database_->TransactOnce(
        request, [&](Transaction& transaction, Timestamp) -> Result<std::string> {
          ++runs_;
          const int sum = std::stoi(TALEA_TRY(transaction.Get(kRows, "n")).value_or("0")) + 1;
          transaction.Put(kRows, "n", std::to_string(sum));
          if (in_body_) in_body_();
          return std::to_string(sum);
        });
  }
  void ExpectAnswer(const Result<RequestAnswer>& answer, const std::string& expected,
                    bool replayed) {
    ASSERT_OK(answer);
    EXPECT_EQ(answer->answer, expected);
    EXPECT_EQ(answer->replayed, replayed);
  }
};

TEST_F(RequestTest, IsCarriedOutOnceAndAnsweredAgain) {
  ExpectAnswer(CountOnce({.key = "k"}), "1", false);
  ExpectAnswer(CountOnce({.key = "k"}), "1", true);
  ExpectAnswer(CountOnce({.key = "other"}), "2", false);
  EXPECT_EQ(Sum(), 2);
  EXPECT_EQ(runs_, 2);
}

TEST_F(RequestTest, IsRefusedWithAnotherFingerprint) {
  ASSERT_OK(CountOnce({.key = "k", .fingerprint = "a"}));
  const Result<RequestAnswer> again = CountOnce({.key = "k", .fingerprint = "b"});
  ASSERT_ERROR(again, ErrorCode::invalid_argument);
  EXPECT_THAT(again.error().message(), HasSubstr("request \"k\": expected the fingerprint"));
  EXPECT_THAT(again.error().message(), HasSubstr("found another, \"b\""));
  EXPECT_EQ(Sum(), 1);
}

TEST_F(RequestTest, IsCarriedOutAnewOnceItsTimeIsOver) {
  const RequestKey request{.key = "k", .time_to_live = minutes(10)};
  ASSERT_OK(CountOnce(request));
  clock_->Advance(minutes(10) - std::chrono::microseconds(1));
  ExpectAnswer(CountOnce(request), "1", true);
  clock_->Advance(std::chrono::microseconds(1));
  ExpectAnswer(CountOnce(request), "2", false);
  EXPECT_EQ(RowsBehind(TaleaPrefix::request), 1u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::request_expiry), 1u);
}

TEST_F(RequestTest, LeavesNothingWhenItsBodyFails) {
  EXPECT_ERROR(
      database_->TransactOnce({.key = "k"},
                              [](Transaction& transaction, Timestamp) -> Result<std::string> {
                                transaction.Put(kRows, "n", "7");
                                return Fail(ErrorCode::not_found, "the body's");
                              }),
      ErrorCode::not_found);
  ExpectAnswer(CountOnce({.key = "k"}), "1", false);
}

TEST_F(RequestTest, IsRememberedEvenIfItsBodyWritesNothing) {
  const auto body = [&](Transaction&, Timestamp) -> Result<std::string> {
    return std::to_string(++runs_);
  };
  ASSERT_OK(database_->TransactOnce({.key = "k"}, body));
  ExpectAnswer(database_->TransactOnce({.key = "k"}, body), "1", true);
}

TEST_F(RequestTest, IsCarriedOutOnceWhateverBecomesOfItsCommit) {
  int sum = 0;
  for (const Fate fate : {Fate::applied, Fate::lost, Fate::held, Fate::refused}) {
    const std::string key = std::to_string(++sum);
    engine_->Expect({fate});
    ExpectAnswer(CountOnce({.key = key}), key, false);
    ExpectAnswer(CountOnce({.key = key}), key, true);
    EXPECT_EQ(Sum(), sum);
  }
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(RowsBehind(TaleaPrefix::session), 0u);
}

TEST_F(RequestTest, AnswersWithWhatTheAttemptReturnedThatWasCommitted) {
  engine_->Expect({Fate::held, Fate::lost});
  const Result<RequestAnswer> answer =
      database_->TransactOnce({.key = "k"}, [&](Transaction&, Timestamp) -> Result<std::string> {
        if (++runs_ == 3) {
          EXPECT_OK(engine_->Release());
        }
        return std::to_string(runs_);
      });
  ExpectAnswer(answer, "1", false);
}

TEST_F(RequestTest, IsFencedOffWhenTheBodyFailsAfterAnUnknownOutcome) {
  engine_->Expect({Fate::held});
  EXPECT_ERROR(
      database_->TransactOnce({.key = "k"},
                              [&](Transaction& transaction, Timestamp) -> Result<std::string> {
                                transaction.Put(kRows, "n", "7");
                                if (++runs_ == 2) return Fail(ErrorCode::not_found, "the body's");
                                return "done";
                              }),
      ErrorCode::not_found);
  EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
  EXPECT_EQ(Sum(), 0);
}

// A process slept for hours between an attempt of unknown outcome and the next. Another had
// collected the request by then, whose row was the only trace; so it was carried out twice.
TEST_F(RequestTest, IsNotCarriedOutTwiceWhereItWasCollectedMeanwhile) {
  for (const Fate fate : {Fate::applied, Fate::lost}) {
    Open();
    engine_->Expect({fate});
    in_pause_ = [&] {
      in_pause_ = {};
      clock_->Advance(minutes(1) + hours(2));
      EXPECT_OK(OpenAnother()->CollectExpired(10));
    };
    EXPECT_ERROR(CountOnce({.key = "k", .time_to_live = minutes(1)}), ErrorCode::outcome_unknown);
    EXPECT_EQ(Sum(), fate == Fate::applied ? 1 : 0);
  }
}

// Both begin; the other's commit comes first, after the first one's was lost.
TEST_F(RequestTest, OfTwoCallsWithOneKeyOneIsAReplayEvenAfterAnUnknownOutcome) {
  for (const Fate fate : {Fate::lost, Fate::held}) {
    Open();
    runs_ = 0;
    engine_->Expect({fate});
    in_pause_ = [&] {
      in_pause_ = {};
      ExpectAnswer(CountOnce({.key = "k"}), "1", false);
    };
    ExpectAnswer(CountOnce({.key = "k"}), "1", true);
    if (engine_->held() > 0) {
      EXPECT_ERROR(engine_->Release(), ErrorCode::conflict);
    }
    EXPECT_EQ(Sum(), 1);
    ExpectAnswer(CountOnce({.key = "k"}), "1", true);  // the fence has left the row as it was
  }
}

TEST_F(RequestTest, ReturnsAnUnknownOutcomeWhereTheEngineClosesItselfAndAnswersTheNextCall) {
  Open(false);
  engine_->Expect({Fate::applied});
  EXPECT_ERROR(CountOnce({.key = "k"}), ErrorCode::outcome_unknown);
  ExpectAnswer(CountOnce({.key = "k"}), "1", true);
}

TEST_F(RequestTest, StaysCarriedOutWhenItsWorkIsTakenBack) {
  const Progress progress("source");
  const auto body = [&](Transaction& transaction, Timestamp) -> Result<std::string> {
    TALEA_TRY(progress.MoveWithUndo(transaction, std::nullopt, "1"));
    transaction.Put(kRows, "n", "7");
    return "done";
  };
  ASSERT_OK(database_->TransactOnce({.key = "k"}, body));
  EXPECT_EQ(ASSERT_VALUE(database_->RollBack(progress, std::nullopt)), 1u);
  EXPECT_EQ(Sum(), 0);
  ExpectAnswer(database_->TransactOnce({.key = "k"}, body), "done", true);
}

TEST_F(RequestTest, RefusesBadKeysAndLives) {
  for (const RequestKey& request : {RequestKey{.key = ""}, RequestKey{.key = std::string(256, 'k')},
                                    RequestKey{.key = "k", .time_to_live = minutes(0)},
                                    RequestKey{.key = "k", .time_to_live = hours(24 * 367)}}) {
    EXPECT_ERROR(CountOnce(request), ErrorCode::invalid_argument) << request.key;
  }
  EXPECT_EQ(runs_, 0);
}

TEST_F(RequestTest, RefusesAnAnswerThatDoesNotFit) {
  const auto answer = [&](std::size_t size) {
    return database_->TransactOnce({.key = std::to_string(size)},
                                   [&](Transaction& transaction, Timestamp) -> Result<std::string> {
                                     transaction.Put(kRows, "n", "7");
                                     return std::string(size, 'x');
                                   });
  };
  const Result<RequestAnswer> refused = answer(1000);
  ASSERT_ERROR(refused, ErrorCode::too_large);
  EXPECT_THAT(refused.error().message(), HasSubstr("request \"1000\": expected an answer"));
  EXPECT_EQ(Sum(), 0);
  EXPECT_OK(answer(900));
}

TEST_F(RequestTest, IsCollectedAnHourAfterItExpired) {
  ASSERT_OK(CountOnce({.key = "short", .time_to_live = minutes(1)}));
  ASSERT_OK(CountOnce({.key = "long", .time_to_live = hours(10)}));
  clock_->Advance(minutes(61));
  EXPECT_EQ(ASSERT_VALUE(database_->CollectExpired(100)), 0u);
  clock_->Advance(minutes(1));
  EXPECT_EQ(ASSERT_VALUE(database_->CollectExpired(100)), 1u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::request), 1u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::request_expiry), 1u);
}

TEST_F(RequestTest, CollectsAsManyAsItIsAskedFor) {
  for (int number = 0; number < 600; ++number) {
    ASSERT_OK(CountOnce({.key = std::to_string(number)}));
  }
  clock_->Advance(hours(100));
  EXPECT_EQ(ASSERT_VALUE(database_->CollectExpired(0)), 0u);
  EXPECT_EQ(ASSERT_VALUE(database_->CollectExpired(10)), 10u);
  EXPECT_EQ(ASSERT_VALUE(database_->CollectExpired(10'000)), 590u);
  EXPECT_EQ(RowsBehind(TaleaPrefix::request_expiry), 0u);
}

TEST_F(RequestTest, NewOnesCollectTheOldOnesAsTheyGo) {
  for (int number = 0; number < 10'000; ++number) {
    ASSERT_OK(CountOnce({.key = std::to_string(number), .time_to_live = minutes(10)}));
    clock_->Advance(minutes(1));
  }
  EXPECT_LT(RowsBehind(TaleaPrefix::request), 200u);
}

// Who collects a request has to conflict with who carries it out anew.
TEST_F(RequestTest, IsNotCollectedWhileItIsCarriedOutAnew) {
  ASSERT_OK(CountOnce({.key = "k", .time_to_live = minutes(1)}));
  clock_->Advance(hours(2));
  Transaction collecting(*engine_);
  EXPECT_EQ(ASSERT_VALUE(CollectRequests(collecting, clock_->Now(), 10)), 1u);
  ExpectAnswer(CountOnce({.key = "k"}), "2", false);
  EXPECT_ERROR(collecting.Commit(), ErrorCode::conflict);
  ExpectAnswer(CountOnce({.key = "k"}), "2", true);
}

TEST_F(RequestTest, RefusesBytesThatAreNoRequest) {
  for (const std::string& bytes :
       {std::string(), std::string("x"), Pack({1, 2, 3}).value(),
        Pack({1, -2, 3, Bytes("")}).value(), Pack({1, 2, 3, Bytes(""), 4}).value()}) {
    WriteBatch batch;
    batch.Put(kTaleaKeyspace, RequestKeyOf("k"), bytes);
    ASSERT_OK(engine_->Commit({.batch = batch}));
    EXPECT_ERROR(CountOnce({.key = "k"}), ErrorCode::corruption) << Quoted(bytes);
  }
}

// Whoever changes this test changes the format on disk.
TEST(RequestRow, HasTheseBytes) {
  const RequestRow row{Timestamp(std::chrono::microseconds(258)), 3, 4, "ok"};
  EXPECT_EQ(Hex(Encode(row)), "16 01 02 15 03 15 04 01 6f 6b 00");
  EXPECT_EQ(ASSERT_VALUE(DecodeRequestRow("k", Encode(row))), row);
}

}  // namespace
}  // namespace talea
