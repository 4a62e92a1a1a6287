// Work after a commit: once, in order, in the thread that commits, with the commit visible.
#include <thread>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkAfterwardsTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, WorkAfterwardsIsCalledOnceInOrderByTheThreadThatCommits) {
  std::vector<std::string> calls;
  const auto call = [&](const char* name) {
    return [&calls, name, thread = std::this_thread::get_id()] {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      calls.emplace_back(name);
    };
  };
  Transact(engine(), [&](Transaction& transaction) {
    calls.clear();
    transaction.Afterwards(call("first"));
    transaction.Put(kPoints, "key", "value");
    transaction.Afterwards(call("second"));
    transaction.AfterCommit([&](Version) { calls.emplace_back("callback"); });
    EXPECT_TRUE(calls.empty());
  });
  Write(engine(), Writes().Put(kPoints, "key", "another"));
  EXPECT_EQ(calls, (std::vector<std::string>{"callback", "first", "second"}));
}

TEST_P(EngineContract, WorkAfterwardsSeesItsCommitInANewSnapshot) {
  std::optional<std::string> seen;
  Version seen_at{};
  const Version version = Transact(engine(), [&](Transaction& transaction) {
    transaction.Put(kPoints, "key", "value");
    transaction.Afterwards([&] {
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      seen = Must(snapshot->Get(kPoints, "key"));
      seen_at = snapshot->version();
    });
  });
  EXPECT_EQ(seen, "value");
  EXPECT_GE(seen_at, version);
}

TEST_P(EngineContract, WorkAfterwardsMayCommitAndThatMayHaveWorkToo) {
  Version inner{};
  int innermost = 0;
  const Version outer = Transact(engine(), [&](Transaction& transaction) {
    Must(transaction.Get(kPoints, "key"));
    transaction.Put(kPoints, "key", "outer");
    transaction.Afterwards([&] {
      inner = Transact(engine(), [&](Transaction& next) {
        EXPECT_EQ(Must(next.Get(kPoints, "key")), "outer");
        next.Put(kPoints, "key", "inner");
        next.Afterwards([&] { ++innermost; });
      });
    });
  });
  EXPECT_GT(inner, outer) << "the version that is returned is the transaction's own";
  EXPECT_EQ(innermost, 1);
  EXPECT_EQ(Read(engine(), kPoints, "key"), "inner");
}

TEST_P(EngineContract, WorkAfterwardsMayDropTheTransactionWhoseSnapshotIsClosedByThen) {
  const std::uint64_t open_before = Must(engine().GetStatistics()).open_snapshots;
  auto transaction = std::make_unique<Transaction>(engine());
  Must(transaction->Get(kPoints, "key"));
  std::uint64_t open = ~0ull;
  transaction->Afterwards([&] {
    open = Must(engine().GetStatistics()).open_snapshots;
    transaction.reset();
  });
  EXPECT_OK(transaction->Commit());  // of nothing: it cannot fail
  EXPECT_EQ(transaction, nullptr);
  EXPECT_EQ(open, open_before);
}

TEST_P(EngineContract, WorkAfterwardsIsNotCalledWhereTheCommitFailsOrIsNotMade) {
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  int calls = 0;
  const auto count = [&] { ++calls; };
  Transaction conflicting(engine());
  Must(conflicting.Get(kPoints, "key"));
  Write(engine(), Writes().Put(kPoints, "key", "new"));
  conflicting.Put(kPoints, "key", "ours");
  conflicting.Afterwards(count);
  EXPECT_ERROR(conflicting.Commit(), ErrorCode::conflict);
  EXPECT_ERROR(conflicting.Commit(), ErrorCode::invalid_argument);

  Transaction refused(engine());
  refused.Add(kPoints, "key", 1);
  refused.Afterwards(count);
  EXPECT_ERROR(refused.Commit(), ErrorCode::invalid_argument);

  {
    Transaction(engine()).Afterwards(count);
  }
  EXPECT_EQ(calls, 0);
}

TEST_P(EngineContract, WorkAfterwardsOfACommitThatWritesNothingIsCalledToo) {
  int calls = 0;
  Transaction transaction(engine());
  Must(transaction.Get(kPoints, "key"));
  transaction.Afterwards([&] { ++calls; });
  EXPECT_OK(transaction.Commit());
  EXPECT_EQ(calls, 1);
  EXPECT_ERROR(transaction.Commit(), ErrorCode::invalid_argument);
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace talea
