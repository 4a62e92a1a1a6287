#include "histograms/coarse_sums.h"

#include <gtest/gtest.h>

#include <random>

#include "coordination/coordination_for_test.h"
#include "histograms/keys.h"
#include "talea/testing/result_matchers.h"

namespace talea::histograms {
namespace {

std::string Boundary(int number) { return Pack({number}).value(); }

TEST(CounterBlocks, AgreeWithAMapOverAnyRange) {
  std::mt19937 random(7);
  CounterBlocks blocks;
  std::map<std::string, std::int64_t> model;
  for (int step = 0; step < 20'000; ++step) {
    const std::string key = Boundary(static_cast<int>(random() % 3000));
    const std::int64_t delta = static_cast<std::int64_t>(random() % 7) - 3;
    blocks.Add(key, delta);
    model[key] += delta;
    if (step % 50 != 0) continue;
    const int lower = static_cast<int>(random() % 3000);
    const int upper = lower + static_cast<int>(random() % 3000);
    const KeyRange keys = KeyRange::Make(Boundary(lower), Boundary(upper)).value();
    std::int64_t expected = 0;
    std::int64_t all = 0;
    for (const auto& [each, count] : model) {
      expected += keys.Contains(each) ? count : 0;
      all += count;
    }
    ASSERT_EQ(blocks.Sum(keys), expected) << step;
    ASSERT_EQ(blocks.Sum(KeyRange::All()), all) << step;
  }
}

class CoarseSumsTest : public ::testing::Test {
 protected:
  void Add(int boundary, std::int64_t delta, HistogramId histogram = 1) {
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
      transaction.Add(kHistogramCountersKeyspace, CounterKey(1, histogram, Boundary(boundary), 1),
                      delta);
      return {};
    }));
  }
  std::unique_ptr<Snapshot> Now() { return engine_->OpenSnapshot().value(); }

  void Fill() {
    for (int boundary = 0; boundary < 1000; ++boundary) Add(boundary, 1);
  }
  // What the sums say, which must be what the counters say.
  CounterSum Sum(Snapshot& snapshot, int lower, int upper) {
    const Span span{Boundary(lower), Boundary(upper)};
    const CounterSum sum = sums_->Sum(snapshot, 1, 1, span).value();
    EXPECT_EQ(sum.sum, SumCounters(snapshot, 1, 1, span)->sum);
    return sum;
  }

  std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  std::shared_ptr<CoarseSums> sums_ = std::make_shared<CoarseSums>(*engine_);
};

TEST_F(CoarseSumsTest, ReadNothingOnceTheCountersAreKnown) {
  Fill();
  EXPECT_EQ(Sum(*Now(), 0, 10).counters, 10);  // too few to be worth it
  EXPECT_EQ(Sum(*Now(), 0, 10).counters, 10);
  EXPECT_EQ(Sum(*Now(), 0, 900).counters, 900);
  EXPECT_EQ(Sum(*Now(), 0, 900).counters, 0);
  EXPECT_EQ(Sum(*Now(), 0, 10).counters, 0);
}

TEST_F(CoarseSumsTest, FollowEveryCommit) {
  Fill();
  Sum(*Now(), 0, 1000);
  for (int boundary = 0; boundary < 1000; boundary += 7) {
    Add(boundary, boundary);
    Add(boundary, 1, 2);  // of another histogram
    EXPECT_EQ(Sum(*Now(), boundary / 2, boundary + 100).counters, 0);
  }
}

TEST_F(CoarseSumsTest, AnswerForOlderSnapshotsAsLongAsTheyRemember) {
  Fill();
  Sum(*Now(), 0, 1000);
  std::vector<std::unique_ptr<Snapshot>> snapshots;
  for (int round = 0; round < 10; ++round) {
    snapshots.push_back(Now());
    for (int boundary = 0; boundary < 500; ++boundary) Add(boundary, round + 1);
  }
  for (const auto& snapshot : snapshots) Sum(*snapshot, 100, 700);
  EXPECT_EQ(Sum(*snapshots.back(), 100, 700).counters, 0);
  EXPECT_EQ(Sum(*snapshots.front(), 100, 700).counters, 600);  // is forgotten
}

TEST_F(CoarseSumsTest, ForgetEverythingWhenARangeIsErased) {
  Fill();
  Sum(*Now(), 0, 1000);
  const auto before = Now();
  ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) -> Status {
    transaction.EraseRange(kHistogramCountersKeyspace, CounterKeys(1, 1));
    return {};
  }));
  EXPECT_EQ(Sum(*Now(), 0, 1000).sum, 0);
  EXPECT_EQ(Sum(*before, 0, 1000).sum, 1000);
}

TEST_F(CoarseSumsTest, LeaveATransactionsOwnWritesToIt) {
  Fill();
  Sum(*Now(), 0, 1000);
  Transaction transaction(*engine_);
  transaction.Add(kHistogramCountersKeyspace, CounterKey(1, 1, Boundary(5), 1), 10);
  EXPECT_EQ(sums_->Sum(transaction.unrecorded(), 1, 1, {})->sum, 1010);
}

}  // namespace
}  // namespace talea::histograms
