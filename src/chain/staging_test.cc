#include "chain/staging.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>

#include "chain/codec.h"
#include "chain/staging_for_test.h"
#include "engine/forwarding_engine.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

// Lets a test take part in each commit: before it, after it, and in what is told of it.
class WatchedEngine final : public ForwardingEngine {
 public:
  explicit WatchedEngine(std::shared_ptr<Engine> inner) : ForwardingEngine(std::move(inner)) {}

  using Action = std::function<Status(int)>;
  // Is given the number of the commit, from 1, and may make it fail instead.
  Action before;
  // Likewise, after it was applied.
  Action after;

  int commits() const { return commits_; }
  void Restart() { commits_ = 0; }

  Result<Version> Commit(CommitRequest request) override {
    const int number = ++commits_;
    TALEA_TRY(Call(before, number));
    const Version version = TALEA_TRY(inner().Commit(std::move(request)));
    TALEA_TRY(Call(after, number));
    return version;
  }

 private:
  // By a copy, as an action may replace itself.
  static Status Call(const Action action, int number) { return action ? action(number) : Status(); }

  int commits_ = 0;
};

class StagingTest : public testing::Test {
 protected:
  explicit StagingTest(SimulationProfile profile = SimulationProfile::FoundationDb())
      : simulation_(MakeCalmSimulation(std::move(profile))),
        plain_(simulation_.Open().value()),
        engine_(plain_) {}

  static std::unexpected<Error> Lost() { return Fail(ErrorCode::outcome_unknown, "lost"); }
  static std::unexpected<Error> Dead() { return Fail(ErrorCode::closed, "dead"); }

  StoredRows Ledger() { return ReadLedger(*plain_).value(); }
  StagingState State() { return ReadState(*plain_->OpenSnapshot().value()).value(); }
  std::size_t RowsInStaging() {
    std::size_t count = 0;
    const StoredRows rows = ReadAllRows(*plain_).value();
    for (const auto& row : rows) {
      count += row.first.first == kChainStagingKeyspace.id;
    }
    return count;
  }

  // Stored before, replaced, erased and added to by LargeBatch.
  void StoreSomething() {
    WriteBatch stored;
    for (int row = 0; row < 100; ++row) {
      stored.Put(kStateUtxosKeyspace, fmt::format("old {:03}", row), "stored");
    }
    stored.Add(kChainCountsKeyspace, "outputs", 100);
    ASSERT_OK(plain_->Commit({.batch = stored}));
  }

  static WriteBatch LargeBatch() {
    WriteBatch writes;
    for (int row = 0; row < 50; ++row) {
      writes.Put(kStateUtxosKeyspace, fmt::format("new {:03}", row), std::string(8'000, 'n'));
      writes.Erase(kStateUtxosKeyspace, fmt::format("old {:03}", row));
      writes.Put(kStateUtxosKeyspace, fmt::format("old {:03}", row + 50), "staged");
    }
    for (int row = 1; row <= 3000; ++row) {
      writes.Add(kChainCountersKeyspace, fmt::format("counter {:04}", row), row);
    }
    writes.Add(kChainCountsKeyspace, "outputs", 7);
    return writes;
  }

  // What the ledger is like after the batch, made without staging.
  static StoredRows After(const StoredRows& before, const WriteBatch& writes) {
    Simulation simulation =
        Simulation::Make(KeyspacesForTest(), SimulationProfile::RocksDb().WithoutFaults(), 1)
            .value();
    const std::unique_ptr<Engine> engine = simulation.Open().value();
    WriteBatch all;
    for (const auto& [key, value] : before) {
      all.Put(*engine->keyspaces().Find(static_cast<std::uint8_t>(key.first)), key.second, value);
    }
    all.Append(writes);
    EXPECT_OK(engine->Commit({.batch = all}));
    return ReadLedger(*engine).value();
  }

  Simulation simulation_;
  std::shared_ptr<Engine> plain_;
  WatchedEngine engine_;
};

// A batch takes many commits.
class SmallTransactionsTest : public StagingTest {
 protected:
  SmallTransactionsTest() : StagingTest(Profile()) {}

  static SimulationProfile Profile() {
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.limits.transaction_bytes = 300'000;
    return profile;
  }
};

TEST_F(StagingTest, HasTheseBytes) {
  WriteBatch writes;
  writes.Put(kStateUtxosKeyspace, "a", "value");
  writes.Erase(kStateEntitiesKeyspace, "b");
  writes.Add(kChainCountsKeyspace, "c", -2);
  Staging staging = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  ASSERT_OK(staging.Add(writes));
  const Uuid& id = staging.batch();
  const std::string batch(id.bytes.begin(), id.bytes.end());
  const std::pair<int, std::string> header{7, std::string("\x14", 1)};
  StoredRows expected = {{header, std::string("\0", 1) + batch},
                         {{12,
                           "\x05"
                           "a"},
                          "value"},
                         {{12,
                           "\x86"
                           "b"},
                          "\x02"},
                         {{12,
                           "\x8b"
                           "c"},
                          "\x04\xfe\xff\xff\xff\xff\xff\xff\xff"}};
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*plain_)), expected);

  ASSERT_OK(staging.Enter(Anything, Durability::synced));
  expected[header] = "\1" + batch;
  expected[{7, "\x15\x06"}] = "\1" + batch;
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*plain_)), expected);

  ASSERT_OK(SettleStaged(engine_));
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*plain_)),
            (StoredRows{{{5, "a"}, "value"},
                        {{7, "\x15\x06"}, "\1" + batch},
                        {{11, "c"}, "\xfe\xff\xff\xff\xff\xff\xff\xff"}}));
}

// Thirty megabytes, by transactions of ten, and a reader that looks after each commit.
TEST_F(StagingTest, ReadersSeeAllOfABatchOrNothing) {
  ASSERT_NO_FATAL_FAILURE(StoreSomething());
  WriteBatch writes = LargeBatch();
  for (int row = 0; row < 300; ++row) {
    writes.Put(kStateEntitiesKeyspace, fmt::format("entity {:03}", row), std::string(100'000, 'e'));
  }
  ASSERT_GT(writes.bytes(), 30'000'000u);
  const StoredRows before = Ledger();
  const StoredRows after = After(before, writes);
  bool entered = false;
  int looks = 0;
  engine_.after = [&](int) -> Status {
    entered = entered || State() == StagingState::in;
    EXPECT_TRUE(Ledger() == (entered ? after : before)) << "after commit " << engine_.commits();
    ++looks;
    return {};
  };
  ASSERT_OK(StageAndEnter(engine_, writes));
  EXPECT_TRUE(entered);
  EXPECT_GT(looks, 8) << "it took several commits to stage";
  EXPECT_EQ(looks, engine_.commits());
  engine_.Restart();
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_GT(engine_.commits(), 6) << "and to settle";
  EXPECT_EQ(State(), StagingState::none);
  EXPECT_EQ(RowsInStaging(), 0u);
}

TEST_F(StagingTest, WhatEntersIsWrittenInTheSameCommit) {
  Staging staging = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  ASSERT_OK(staging.Add(LargeBatch()));
  const auto fails = [](Transaction&) -> Status { return Fail(ErrorCode::not_found, "refused"); };
  EXPECT_ERROR(staging.Enter(fails, Durability::buffered), ErrorCode::not_found);
  EXPECT_TRUE(Ledger().empty());
  engine_.Restart();
  const auto writes = [](Transaction& transaction) -> Status {
    transaction.Put(kRows, "cursor", "1");
    return {};
  };
  ASSERT_OK(staging.Enter(writes, Durability::buffered));
  EXPECT_EQ(engine_.commits(), 1);
  WriteBatch all = LargeBatch();
  all.Put(kRows, "cursor", "1");
  EXPECT_TRUE(Ledger() == After({}, all));
}

TEST_F(StagingTest, BeginsOnlyWhereTheLedgerIsAsExpected) {
  const auto elsewhere = [](Transaction&) -> Status {
    return Fail(ErrorCode::precondition_failed, "the cursor is elsewhere");
  };
  EXPECT_ERROR(Staging::Begin(engine_, elsewhere), ErrorCode::precondition_failed);
  EXPECT_EQ(State(), StagingState::none);

  int attempts = 0;
  const auto reads = [&](Transaction& transaction) -> Status {
    TALEA_TRY(transaction.Get(kRows, "cursor"));
    if (++attempts > 1) return {};
    WriteBatch moved;  // by somebody else, before this is committed
    moved.Put(kRows, "cursor", "moved");
    TALEA_TRY(plain_->Commit({.batch = moved}));
    return {};
  };
  EXPECT_OK(Staging::Begin(engine_, reads));
  EXPECT_EQ(attempts, 2);
}

TEST_F(StagingTest, BeginDropsWhatWasNeverInAndKeepsWhatIs) {
  Staging dead = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  ASSERT_OK(dead.Add(LargeBatch()));
  EXPECT_EQ(State(), StagingState::being_written);
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_EQ(State(), StagingState::being_written) << "there is nothing to settle";
  WriteBatch writes;
  writes.Put(kStateUtxosKeyspace, "a", "1");
  ASSERT_OK(StageAndEnter(engine_, writes));
  EXPECT_EQ(Ledger(), After({}, writes));
  EXPECT_EQ(RowsInStaging(), 1u);

  EXPECT_ERROR(Staging::Begin(engine_, Anything), ErrorCode::precondition_failed);
  ASSERT_OK(DropStaged(engine_));
  EXPECT_EQ(Ledger(), After({}, writes)) << "it is in, and nobody drops it";
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_EQ(Ledger(), After({}, writes));
  EXPECT_OK(Staging::Begin(engine_, Anything));
}

TEST_F(StagingTest, DropsItsOwnBatchIfItGoesBeforeThatIsIn) {
  {
    Staging staging = ASSERT_VALUE(Staging::Begin(engine_, Anything));
    ASSERT_OK(staging.Add(LargeBatch()));
    const Staging moved = std::move(staging);
    EXPECT_EQ(State(), StagingState::being_written);
  }
  EXPECT_EQ(State(), StagingState::none);
  EXPECT_EQ(RowsInStaging(), 0u);

  std::optional<Staging> overtaken(ASSERT_VALUE(Staging::Begin(engine_, Anything)));
  Staging other = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  overtaken.reset();
  EXPECT_OK(other.Add(LargeBatch())) << "which is not dropped with the one before it";
}

TEST_F(StagingTest, GivesUpWhenSomebodyElseHasCommittedToTheLedger) {
  using Meddle = std::function<Status()>;
  const Meddle drop = [&] { return DropStaged(*plain_); };
  const Meddle begin = [&]() -> Status {
    TALEA_TRY(Staging::Begin(*plain_, Anything));
    return {};
  };
  const Meddle enter_and_settle = [&]() -> Status {
    WriteBatch writes;
    writes.Add(kChainCountsKeyspace, "others", 1);
    TALEA_TRY(StageAndEnter(*plain_, writes));
    return SettleStaged(*plain_);
  };
  for (const Meddle& meddle : {drop, begin, enter_and_settle}) {
    Staging added = ASSERT_VALUE(Staging::Begin(engine_, Anything));
    ASSERT_OK(meddle());
    const StoredRows before = Ledger();
    EXPECT_ERROR(added.Add(LargeBatch()), ErrorCode::precondition_failed);
    EXPECT_ERROR(added.Enter(Anything, Durability::buffered), ErrorCode::precondition_failed);
    EXPECT_EQ(RowsInStaging(), 0u);
    EXPECT_EQ(Ledger(), before);

    // In between the header's being read and the commit.
    const auto meddle_once = [&](int) {
      engine_.before = {};
      return meddle();
    };
    Staging overtaken = ASSERT_VALUE(Staging::Begin(engine_, Anything));
    engine_.before = meddle_once;
    EXPECT_ERROR(overtaken.Add(LargeBatch()), ErrorCode::precondition_failed);
    EXPECT_EQ(RowsInStaging(), 0u);
    Staging entered = ASSERT_VALUE(Staging::Begin(engine_, Anything));
    ASSERT_OK(entered.Add(LargeBatch()));
    engine_.before = meddle_once;
    EXPECT_ERROR(entered.Enter(Anything, Durability::buffered), ErrorCode::precondition_failed);
    EXPECT_EQ(RowsInStaging(), 0u);
  }
}

TEST_F(StagingTest, FindsOutWhetherItIsInEvenIfOthersHaveSettledIt) {
  const auto lose_then = [&](std::function<Status()> meddle) {
    engine_.after = [this, meddle](int) -> Status {
      engine_.after = {};
      TALEA_TRY(meddle());
      return Lost();
    };
  };
  WriteBatch writes;
  writes.Add(kChainCountsKeyspace, "outputs", 3);
  Staging settled = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  ASSERT_OK(settled.Add(writes));
  lose_then([&] { return SettleStaged(*plain_); });
  EXPECT_OK(settled.Enter(Anything, Durability::buffered));
  EXPECT_EQ(Ledger(), After({}, writes)) << "once";

  // Where another batch was in since, nothing tells any more.
  Staging replaced = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  ASSERT_OK(replaced.Add(writes));
  lose_then([&]() -> Status {
    TALEA_TRY(SettleStaged(*plain_));
    TALEA_TRY(StageAndEnter(*plain_, writes));
    return SettleStaged(*plain_);
  });
  EXPECT_ERROR(replaced.Enter(Anything, Durability::buffered), ErrorCode::outcome_unknown);

  // A commit that did not happen, of a batch that was then dropped.
  Staging dropped = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  engine_.before = [&](int) -> Status {
    engine_.before = {};
    TALEA_TRY(DropStaged(*plain_));
    return Lost();
  };
  EXPECT_ERROR(dropped.Enter(Anything, Durability::buffered), ErrorCode::precondition_failed);
}

// Every commit is lost sight of once, having happened or not.
TEST_F(SmallTransactionsTest, EveryUnknownOutcomeIsFoundOut) {
  ASSERT_NO_FATAL_FAILURE(StoreSomething());
  const StoredRows after = After(Ledger(), LargeBatch());
  const auto lose_odd = [](int number) -> Status { return number % 2 ? Lost() : Status(); };
  engine_.before = [&](int number) { return lose_odd(number / 2); };
  engine_.after = lose_odd;
  ASSERT_OK(StageAndEnter(engine_, LargeBatch()));
  EXPECT_TRUE(Ledger() == after);
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_TRUE(Ledger() == after);
  EXPECT_EQ(State(), StagingState::none);
}

// Right before each commit that it takes, another settles as well, for some commits or to the end.
TEST_F(SmallTransactionsTest, SeveralMaySettleAtOnce) {
  ASSERT_NO_FATAL_FAILURE(StoreSomething());
  int meddled = 0;
  for (int commit = 1; commit <= 6; ++commit) {
    for (const int steps : {1, 2, 9}) {
      const StoredRows after = After(Ledger(), LargeBatch());
      ASSERT_OK(StageAndEnter(*plain_, LargeBatch()));
      engine_.Restart();
      engine_.before = [&](int number) -> Status {
        if (number != commit) return {};
        WatchedEngine other(plain_);
        other.before = [&](int step) -> Status { return step <= steps ? Status() : Dead(); };
        static_cast<void>(SettleStaged(other));
        ++meddled;
        return {};
      };
      ASSERT_OK(SettleStaged(engine_));
      EXPECT_TRUE(Ledger() == after) << commit << " and " << steps;
      EXPECT_EQ(State(), StagingState::none);
    }
  }
  EXPECT_EQ(meddled, 6 * 3);
}

// One that settles slowly, while others settle the batch and enter another: what it has moved of
// the first says nothing about the second.
TEST_F(SmallTransactionsTest, LeavesABatchAloneThatIsInSince) {
  const StoredRows after = After(After({}, LargeBatch()), LargeBatch());
  ASSERT_OK(StageAndEnter(*plain_, LargeBatch()));
  engine_.before = [&](int number) -> Status {
    if (number != 4) return {};
    TALEA_TRY(SettleStaged(*plain_));
    return StageAndEnter(*plain_, LargeBatch());
  };
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_EQ(engine_.commits(), 4);
  EXPECT_TRUE(Ledger() == after);
  ASSERT_OK(SettleStaged(*plain_));
  EXPECT_TRUE(Ledger() == after);
}

// The process dies before the n-th commit, or after it, for each n; then the next one goes on.
TEST_F(SmallTransactionsTest, WhoeverComesNextSettlesWhatTheDeadHaveLeft) {
  ASSERT_NO_FATAL_FAILURE(StoreSomething());
  for (const bool applied : {false, true}) {
    bool died = true;
    for (int last = 1; died; ++last) {
      const StoredRows after = After(Ledger(), LargeBatch());
      ASSERT_OK(StageAndEnter(*plain_, LargeBatch()));
      WatchedEngine doomed(plain_);
      (applied ? doomed.after : doomed.before) = [&](int number) -> Status {
        return number < last ? Status() : Dead();
      };
      died = !SettleStaged(doomed).has_value();
      EXPECT_TRUE(Ledger() == after) << "after the death in commit " << last;
      ASSERT_OK(SettleStaged(*plain_));
      EXPECT_TRUE(Ledger() == after) << "and when it is settled";
      EXPECT_TRUE(died || last > 5) << "there are several to die in";
    }
  }
}

TEST_F(StagingTest, TakesValuesOfTheGreatestLength) {
  WriteBatch writes;
  const std::size_t most = engine_.limits().value_bytes;
  writes.Put(kUndoKeyspace, "part", std::string(most, 'p'));
  writes.Put(kStateUtxosKeyspace, std::string(engine_.limits().key_bytes - 1, 'k'),
             std::string(most, 'v'));
  ASSERT_OK(StageAndEnter(engine_, writes));
  EXPECT_TRUE(Ledger() == After({}, writes));
  ASSERT_OK(SettleStaged(engine_));
  EXPECT_TRUE(Ledger() == After({}, writes));
}

TEST_F(StagingTest, RefusesWhatCannotBeStagedBeforeAnythingIsWritten) {
  WriteBatch long_key = LargeBatch();
  long_key.Put(kStateUtxosKeyspace, std::string(engine_.limits().key_bytes, 'k'), "");
  WriteBatch long_value = LargeBatch();
  long_value.Put(kStateUtxosKeyspace, "a", std::string(engine_.limits().value_bytes + 1, 'v'));
  WriteBatch range = LargeBatch();
  range.EraseRange(kStateUtxosKeyspace, KeyRange::All());
  WriteBatch elsewhere = LargeBatch();
  elsewhere.Put(kRows, "a", "1");
  WriteBatch refused = LargeBatch();
  refused.Add(kStateUtxosKeyspace, "a", 1);

  Staging staging = ASSERT_VALUE(Staging::Begin(engine_, Anything));
  EXPECT_ERROR(staging.Add(long_key), ErrorCode::too_large);
  EXPECT_ERROR(staging.Add(long_value), ErrorCode::too_large);
  EXPECT_ERROR(staging.Add(range), ErrorCode::invalid_argument);
  EXPECT_ERROR(staging.Add(elsewhere), ErrorCode::invalid_argument);
  EXPECT_ERROR(staging.Add(refused), ErrorCode::invalid_argument);
  EXPECT_EQ(RowsInStaging(), 0u);
}

TEST_F(StagingTest, RefusesDamagedRows) {
  WriteBatch header;
  header.Put(kChainKeyspace, StagingHeaderKey(), "no header");
  ASSERT_OK(plain_->Commit({.batch = header}));
  EXPECT_ERROR(ReadState(*ASSERT_VALUE(plain_->OpenSnapshot())), ErrorCode::corruption);
  EXPECT_ERROR(SettleStaged(engine_), ErrorCode::corruption);
  EXPECT_ERROR(Staging::Begin(engine_, Anything), ErrorCode::corruption);

  WriteBatch rows;
  rows.Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{true, {}}));
  rows.Put(kChainStagingKeyspace, std::string(1, static_cast<char>(kRows.id & 0x7f)) + "a", "");
  ASSERT_OK(plain_->Commit({.batch = rows}));
  EXPECT_ERROR(SettleStaged(engine_), ErrorCode::corruption);
  EXPECT_EQ(RowsInStaging(), 1u);
}

}  // namespace
}  // namespace talea::chain
