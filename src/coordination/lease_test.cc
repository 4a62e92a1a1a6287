#include "talea/lease.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "engine/hex_for_test.h"
#include "talea/progress.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using std::chrono::microseconds;
using std::chrono::seconds;
using ::testing::HasSubstr;

Timestamp At(seconds since) { return Timestamp(since); }

class LeaseTest : public ::testing::Test {
 protected:
  Result<Lease> Acquire(std::string_view owner, seconds now, seconds duration = seconds(10)) {
    return InOne(*engine_, [&](Transaction& transaction) {
      return AcquireLease(transaction, "writer", owner, duration, At(now));
    });
  }
  Result<Lease> Renew(const Lease& lease, seconds now, seconds duration = seconds(10)) {
    return InOne(*engine_, [&](Transaction& transaction) {
      return RenewLease(transaction, lease, duration, At(now));
    });
  }
  Status Release(const Lease& lease) {
    return InOne(*engine_,
                 [&](Transaction& transaction) { return ReleaseLease(transaction, lease); });
  }
  Status Check(const Lease& lease) {
    return InOne(*engine_,
                 [&](Transaction& transaction) { return CheckLease(transaction, lease); });
  }
  std::optional<Lease> Read() {
    return ReadLease(*engine_->OpenSnapshot().value(), "writer").value();
  }

  std::unique_ptr<Engine> engine_ = OpenEngineForTest();
};

TEST_F(LeaseTest, IsTakenReadAndChecked) {
  EXPECT_EQ(Read(), std::nullopt);
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  EXPECT_EQ(lease, (Lease{"writer", "ada", 1, At(seconds(10))}));
  EXPECT_EQ(Read(), lease);
  EXPECT_OK(Check(lease));
}

TEST_F(LeaseTest, IsRefusedWhileSomebodyHasIt) {
  ASSERT_OK(Acquire("ada", seconds(0)));
  const Result<Lease> taken = Acquire("bob", seconds(9));
  ASSERT_ERROR(taken, ErrorCode::precondition_failed);
  EXPECT_THAT(taken.error().message(),
              HasSubstr("found it held by \"ada\" until 1970-01-01 00:00:10 UTC"));
  EXPECT_ERROR(Acquire("ada", seconds(9)), ErrorCode::precondition_failed);
}

TEST_F(LeaseTest, FencesOffTheOldHolderOnceAnotherHasTakenIt) {
  const Lease old = ASSERT_VALUE(Acquire("ada", seconds(0)));
  const Lease taken = ASSERT_VALUE(Acquire("bob", seconds(10)));
  EXPECT_EQ(taken.token, 2u);
  EXPECT_OK(Check(taken));
  const Status checked = Check(old);
  ASSERT_ERROR(checked, ErrorCode::precondition_failed);
  EXPECT_THAT(checked.error().message(),
              HasSubstr("expected it to be held by \"ada\" with token 1, "
                        "found it held by \"bob\" after token 2"));
  EXPECT_ERROR(Renew(old, seconds(10)), ErrorCode::precondition_failed);
  EXPECT_ERROR(Release(old), ErrorCode::precondition_failed);
}

TEST_F(LeaseTest, FencesOffACommitThatIsUnderWay) {
  const Lease old = ASSERT_VALUE(Acquire("ada", seconds(0)));
  Transaction slow(*engine_);
  ASSERT_OK(CheckLease(slow, old));
  slow.Put(kRows, "key", "stale");
  ASSERT_OK(Acquire("bob", seconds(10)));
  EXPECT_ERROR(slow.Commit(), ErrorCode::conflict);
}

TEST_F(LeaseTest, OfTwoWhoTakeItAtOnceOneConflicts) {
  Transaction first(*engine_);
  Transaction second(*engine_);
  ASSERT_OK(AcquireLease(first, "writer", "ada", seconds(1), At(seconds(0))));
  ASSERT_OK(AcquireLease(second, "writer", "bob", seconds(1), At(seconds(0))));
  ASSERT_OK(first.Commit());
  EXPECT_ERROR(second.Commit(), ErrorCode::conflict);
}

TEST_F(LeaseTest, ARenewalDoesNotConflictWithTheHoldersCommits) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  Transaction slow(*engine_);
  ASSERT_OK(CheckLease(slow, lease));
  slow.Put(kRows, "key", "value");
  ASSERT_OK(Renew(lease, seconds(5)));
  EXPECT_OK(slow.Commit());
}

TEST_F(LeaseTest, WhoeverTakesItWhileItIsRenewedConflicts) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  Transaction other(*engine_);
  ASSERT_OK(AcquireLease(other, "writer", "bob", seconds(10), At(seconds(10))));
  ASSERT_OK(Renew(lease, seconds(10)));
  EXPECT_ERROR(other.Commit(), ErrorCode::conflict);
}

TEST_F(LeaseTest, IsRenewedEvenWhenExpiredAndNeverShortened) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  EXPECT_EQ(ASSERT_VALUE(Renew(lease, seconds(60))).expires, At(seconds(70)));
  EXPECT_EQ(ASSERT_VALUE(Renew(lease, seconds(0))).expires, At(seconds(70)));
  EXPECT_EQ(Read()->expires, At(seconds(70)));
}

TEST_F(LeaseTest, IsFreeAtOnceAfterAReleaseAndItsTokenGrowsAllTheSame) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  ASSERT_OK(Release(lease));
  EXPECT_EQ(Read(), std::nullopt);
  EXPECT_ERROR(Check(lease), ErrorCode::precondition_failed);
  EXPECT_ERROR(Renew(lease, seconds(0)), ErrorCode::precondition_failed);
  EXPECT_EQ(ASSERT_VALUE(Acquire("ada", seconds(0))).token, 2u);
  EXPECT_ERROR(Check(lease), ErrorCode::precondition_failed);
}

TEST_F(LeaseTest, RefusesBadNamesOwnersAndDurations) {
  Transaction transaction(*engine_);
  const auto acquire = [&](std::string_view name, std::string_view owner, microseconds duration) {
    return AcquireLease(transaction, name, owner, duration, At(seconds(1)));
  };
  EXPECT_ERROR(acquire("", "ada", seconds(1)), ErrorCode::invalid_argument);
  EXPECT_ERROR(acquire("writer", "", seconds(1)), ErrorCode::invalid_argument);
  EXPECT_ERROR(acquire("writer", "\xff", seconds(1)), ErrorCode::invalid_argument);
  EXPECT_ERROR(acquire("writer", "ada", seconds(0)), ErrorCode::invalid_argument);
  EXPECT_ERROR(acquire("writer", "ada", microseconds::max()), ErrorCode::invalid_argument);
  EXPECT_ERROR(CheckLease(transaction, {}), ErrorCode::invalid_argument);
  EXPECT_ERROR(RenewLease(transaction, {}, seconds(1), At(seconds(1))),
               ErrorCode::invalid_argument);
  EXPECT_ERROR(ReleaseLease(transaction, {}), ErrorCode::invalid_argument);
  EXPECT_ERROR(ReadLease(transaction, ""), ErrorCode::invalid_argument);
}

TEST_F(LeaseTest, IsNotTakenWhereAnUndoWouldBringItsOldTokenBack) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  Transaction transaction(*engine_);
  transaction.KeepUndo(kUndoKeyspace, "key");
  EXPECT_ERROR(AcquireLease(transaction, "other", "ada", seconds(1), At(seconds(1))),
               ErrorCode::invalid_argument);
  EXPECT_ERROR(RenewLease(transaction, lease, seconds(1), At(seconds(1))),
               ErrorCode::invalid_argument);
  EXPECT_ERROR(ReleaseLease(transaction, lease), ErrorCode::invalid_argument);
  EXPECT_OK(CheckLease(transaction, lease));
}

// A transaction that keeps undo was refused, and one that took the lease and asked for undo then
// was not. Stepping back over it brought the old token back: the next to take the lease got the
// same one again, and so two could write.
TEST_F(LeaseTest, IsNotTakenWhereAnUndoIsAskedForAfterwards) {
  Transaction move(*engine_);
  ASSERT_OK(AcquireLease(move, "writer", "ada", seconds(1), At(seconds(0))));
  EXPECT_ERROR(Progress("source").MoveWithUndo(move, std::nullopt, "1"),
               ErrorCode::invalid_argument);
  Transaction transaction(*engine_);
  ASSERT_OK(AcquireLease(transaction, "writer", "ada", seconds(1), At(seconds(0))));
  transaction.KeepUndo(kUndoKeyspace, "key");
  EXPECT_ERROR(transaction.Commit(), ErrorCode::invalid_argument);
}

TEST_F(LeaseTest, RefusesBytesThatAreNoLease) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0)));
  const auto put = [&](const std::string& key, const std::string& value) {
    WriteBatch batch;
    batch.Put(kTaleaKeyspace, key, value);
    ASSERT_OK(engine_->Commit({.batch = batch}));
  };
  for (const char* value : {"", "x"}) {
    put(LeaseExpiryKey("writer"), value);
    EXPECT_ERROR(Renew(lease, seconds(1)), ErrorCode::corruption);
  }
  for (const std::string& value :
       {std::string(), std::string("x"), Pack({0, Bytes("ada")}).value(), Pack({1}).value(),
        Pack({-1, nullptr}).value(), Pack({1, Bytes("ada"), 2}).value()}) {
    put(LeaseKey("writer"), value);
    EXPECT_ERROR(Check(lease), ErrorCode::corruption) << Quoted(value);
  }
}

// Whoever changes this test changes the format on disk.
TEST_F(LeaseTest, HasTheseBytes) {
  const Lease lease = ASSERT_VALUE(Acquire("ada", seconds(0), seconds(1)));
  const auto row = [&](const std::string& key) {
    return Hex(engine_->OpenSnapshot().value()->Get(kTaleaKeyspace, key).value().value());
  };
  EXPECT_EQ(row(LeaseKey("writer")), "15 01 01 61 64 61 00");
  EXPECT_EQ(row(LeaseExpiryKey("writer")), "17 0f 42 40");
  ASSERT_OK(Release(lease));
  EXPECT_EQ(row(LeaseKey("writer")), "15 01 00");
}

TEST_F(LeaseTest, EachCallTakesOneRoundTrip) {
  Simulation simulation =
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1)
          .value();
  engine_ = simulation.Open().value();
  std::optional<Lease> lease;
  const auto round_trips = [&](auto call) {
    Transaction transaction(*engine_);
    EXPECT_OK(transaction.snapshot_version());
    const std::uint64_t before = simulation.round_trips();
    call(transaction);
    const std::uint64_t taken = simulation.round_trips() - before;
    EXPECT_OK(transaction.Commit());
    return taken;
  };
  EXPECT_EQ(round_trips([&](Transaction& transaction) {
              lease =
                  AcquireLease(transaction, "writer", "ada", seconds(1), At(seconds(0))).value();
            }),
            1u);
  EXPECT_EQ(round_trips([&](Transaction& transaction) {
              EXPECT_OK(RenewLease(transaction, *lease, seconds(1), At(seconds(0))));
            }),
            1u);
  EXPECT_EQ(
      round_trips([&](Transaction& transaction) { EXPECT_OK(CheckLease(transaction, *lease)); }),
      1u);
  EXPECT_EQ(
      round_trips([&](Transaction& transaction) { EXPECT_OK(ReleaseLease(transaction, *lease)); }),
      1u);
}

}  // namespace
}  // namespace talea
