// Expectations: conditions on values at the moment of the commit.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkExpectationTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// A commit of this batch that expects these, and has read nothing.
Result<Version> CommitExpecting(Engine& engine, std::vector<Expectation> expected,
                                WriteBatch batch = Writes().Put(kPoints, "trace", "")) {
  CommitRequest request = Blind(std::move(batch));
  request.expected = std::move(expected);
  return engine.Commit(std::move(request));
}

// A conflict, with no trace left.
void ExpectConflict(Engine& engine, std::vector<Expectation> expected) {
  EXPECT_ERROR(CommitExpecting(engine, std::move(expected)), ErrorCode::conflict);
  EXPECT_EQ(Read(engine, kPoints, "trace"), std::nullopt);
}

TEST_P(EngineContract, AnExpectationThatHoldsIsNoConflict) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  Write(engine(),
        Writes().Put(kPoints, "key", "value").Put(kScans, "empty", "").Add(kCounters, "n", 5));
  EXPECT_OK(CommitExpecting(engine(), {{&kPoints, "key", "value"}}));
  EXPECT_OK(CommitExpecting(engine(), {{&kPoints, "absent", std::nullopt}}));
  EXPECT_OK(CommitExpecting(engine(), {{&kScans, "empty", ""}}));
  EXPECT_OK(CommitExpecting(engine(), {{&kCounters, "n", CounterBytes(5)}}));
  EXPECT_OK(
      CommitExpecting(engine(), {{&kPoints, "key", "value"}, {&kScans, "absent", std::nullopt}}));
  EXPECT_EQ(Read(engine(), kPoints, "trace"), "");
}

TEST_P(EngineContract, AnExpectationThatDoesNotHoldIsAConflict) {
  Write(engine(),
        Writes().Put(kPoints, "key", "value").Put(kScans, "empty", "").Add(kCounters, "n", 5));
  ExpectConflict(engine(), {{&kPoints, "key", "another"}});
  ExpectConflict(engine(), {{&kPoints, "key", ""}});
  ExpectConflict(engine(), {{&kPoints, "key", std::nullopt}});
  ExpectConflict(engine(), {{&kPoints, "absent", "value"}});
  ExpectConflict(engine(), {{&kPoints, "absent", ""}});
  ExpectConflict(engine(), {{&kScans, "empty", std::nullopt}});
  ExpectConflict(engine(), {{&kCounters, "n", CounterBytes(6)}});
  ExpectConflict(engine(), {{&kPoints, "key", "value"}, {&kScans, "empty", "no"}});
}

TEST_P(EngineContract, ACounterOfZeroIsExpectedToBeAbsent) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  Write(engine(), Writes().Add(kCounters, "n", 5));
  Write(engine(), Writes().Add(kCounters, "n", -5));
  ExpectConflict(engine(), {{&kCounters, "n", CounterBytes(0)}});
  EXPECT_OK(CommitExpecting(engine(), {{&kCounters, "n", std::nullopt}}));
}

TEST_P(EngineContract, AnExpectationIsAboutTheMomentOfTheCommitAndNotTheSnapshot) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  Write(engine(), Writes().Put(kPoints, "key", "old"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  Write(engine(), Writes().Put(kPoints, "key", "new"));
  const auto commit = [&](ByteView value) {
    CommitRequest request = Blind(Writes().Put(kPoints, "trace", ""));
    request.snapshot = snapshot.get();
    request.reads = Reads().Key(kPoints, "another");
    request.expected.push_back({&kPoints, "key", std::string(value)});
    return engine().Commit(std::move(request));
  };
  EXPECT_ERROR(commit("old"), ErrorCode::conflict);
  EXPECT_OK(commit("new"));
}

TEST_P(EngineContract, AnExpectationIsByValueSoARewriteOfItIsNoConflict) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  Write(engine(), Writes().Put(kPoints, "key", "another"));
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  EXPECT_OK(CommitExpecting(engine(), {{&kPoints, "key", "value"}}));
}

TEST_P(EngineContract, AnExpectationIsAboutTheStateBeforeItsOwnBatch) {
  if (GetParam().fails_spuriously) GTEST_SKIP() << "needs commits that do not fail";
  EXPECT_OK(CommitExpecting(engine(), {{&kPoints, "key", std::nullopt}},
                            Writes().Put(kPoints, "key", "1")));
  EXPECT_OK(CommitExpecting(engine(), {{&kPoints, "key", "1"}}, Writes().Put(kPoints, "key", "2")));
  EXPECT_ERROR(
      CommitExpecting(engine(), {{&kPoints, "key", "1"}}, Writes().Put(kPoints, "key", "3")),
      ErrorCode::conflict);
  EXPECT_EQ(Read(engine(), kPoints, "key"), "2");
}

TEST_P(EngineContract, ConcurrentCommitsWithTheSameExpectationSucceedOnce) {
  Write(engine(), Writes().Put(kPoints, "key", "0"));
  std::atomic<int> successes = 0;
  InThreads(4, [&](int) {
    const auto increment = [&] {
      const std::string value = Read(engine(), kPoints, "key").value();
      const std::string next = std::to_string(std::stoi(value) + 1);
      if (CommitExpecting(engine(), {{&kPoints, "key", value}},
                          Writes().Put(kPoints, "key", next))) {
        ++successes;
      }
    };
    for (int step = 0; step < Steps(300); ++step) UnlessExpired(engine(), increment);
  });
  EXPECT_GT(successes, 0);
  EXPECT_EQ(Read(engine(), kPoints, "key"), std::to_string(successes));
}

}  // namespace
}  // namespace talea
