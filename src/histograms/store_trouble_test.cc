// What went wrong once, or was found to be able to by reading: each test opens with its story.
#include <gtest/gtest.h>

#include <algorithm>
#include <future>
#include <thread>

#include "histograms/coarse_sums.h"
#include "histograms/interrupted_engine_for_test.h"
#include "histograms/keys.h"
#include "histograms/values_for_test.h"
#include "talea/histograms.h"
#include "talea/testing/result_matchers.h"

namespace talea::histograms {
namespace {

class StoreTrouble : public ::testing::Test {
 protected:
  void Add(const std::vector<IndexEntry>& entries) {
    ASSERT_OK(InOne(engine_, [&](Transaction& transaction) {
      return store_.Add(transaction, "index", entries);
    }));
  }
  void Remove(const std::vector<IndexEntry>& entries) {
    ASSERT_OK(InOne(engine_, [&](Transaction& transaction) {
      return store_.Remove(transaction, "index", entries);
    }));
  }
  std::unique_ptr<Snapshot> Now() { return engine_.OpenSnapshot().value(); }
  std::int64_t LargestBucket() {
    std::int64_t largest = 0;
    const std::vector<IndexBucket> buckets = store_.Buckets(*Now(), "index").value();
    for (const IndexBucket& bucket : buckets) largest = std::max(largest, bucket.count);
    return largest;
  }
  IndexSource Rows() {
    return {.keyspace = &kRows, .entries = [](const Row& row) -> Result<std::vector<IndexEntry>> {
              return std::vector<IndexEntry>{{{Bytes(row.value)}, Bytes(row.key)}};
            }};
  }
  void PutRows(int first, int count) {
    ASSERT_OK(InOne(engine_, [&](Transaction& transaction) -> Status {
      for (int row = first; row < first + count; ++row) {
        transaction.Put(kRows, Pack({row}).value(), "value");
      }
      return {};
    }));
  }

  InterruptedEngine engine_;
  IndexStore store_{engine_};
  IndexStore other_{engine_};
};

// A bucket of one common value could not be divided, and was left alone until it had doubled: with
// as many other values.
TEST_F(StoreTrouble, ACommonValueDoesNotKeepItsBucketFromBeingDividedLater) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 4}));
  for (int document = 0; document < 700; ++document) Add({{{5}, document}});
  for (int value = 6; value < 500; ++value) Add({{{value}, value}});
  for (const Where& where : {Where::Equal({5}), Where::Range({100}, {300}), Where::Below({200})}) {
    EXPECT_TRUE(ASSERT_VALUE(store_.Estimate(*Now(), "index", where)).exact);
  }
}

// And it stayed so after the common value was gone.
TEST_F(StoreTrouble, ACommonValueThatGoesLeavesNothingBehind) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 4}));
  for (int document = 0; document < 700; ++document) Add({{{5}, document}});
  for (int document = 0; document < 700; ++document) Remove({{{5}, document}});
  for (int value = 6; value < 1000; ++value) Add({{{value}, value}});
  EXPECT_LE(LargestBucket(), 9);
}

// Who met another thread that was dividing went away, and nobody came to its bucket again.
TEST_F(StoreTrouble, ABucketThatGrowsWhileAnotherIsDividedIsDividedToo) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  for (int number = 0; number < 100; ++number) Add(Numbers(number * 1000, 1));
  engine_.Before(2, [&] { std::thread([&] { Add(Numbers(50'001, 500)); }).join(); });
  Add(Numbers(1, 20));
  EXPECT_LE(LargestBucket(), 17);
}

// The one who lost took the winner's index for its own.
TEST_F(StoreTrouble, OfTwoWhoCreateAnIndexOneIsTold) {
  engine_.Before(1, [&] { EXPECT_OK(other_.Create("index", {.elements = 3})); });
  EXPECT_ERROR(store_.Create("index"), ErrorCode::already_exists);
}

TEST_F(StoreTrouble, OfTwoWhoDropAnIndexOneIsTold) {
  ASSERT_OK(store_.Create("index"));
  engine_.Before(1, [&] { EXPECT_OK(other_.Drop("index")); });
  EXPECT_ERROR(store_.Drop("index"), ErrorCode::not_found);
}

// The second one left its place behind, from which the next build went on.
TEST_F(StoreTrouble, TwoBuildsAtOnceLeaveNothingBehind) {
  ASSERT_OK(store_.Create("index"));
  PutRows(1000, 900);
  bool nested = false;
  ASSERT_OK(store_.Build("index", Rows(), [&](auto, auto) {
    if (!std::exchange(nested, true)) {
      EXPECT_OK(other_.Build("index", Rows()));
    }
    return true;
  }));
  EXPECT_EQ(ASSERT_VALUE(store_.Describe(*Now(), "index")).entries, 900u);
  PutRows(0, 10);
  ASSERT_OK(store_.Build("index", Rows()));
  EXPECT_EQ(ASSERT_VALUE(store_.Describe(*Now(), "index")).entries, 910u);
}

// The removal was kept, and committed by who went on.
TEST_F(StoreTrouble, AnUpdateToWhatCannotBeIsNotDoneByHalf) {
  ASSERT_OK(store_.Create("index"));
  Add({{{1}, 7}});
  Transaction transaction(engine_);
  EXPECT_ERROR(store_.Update(transaction, "index", 7, {1}, {1, 2}), ErrorCode::invalid_argument);
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(ASSERT_VALUE(store_.Count(*Now(), "index", Where::All(), 10)), 1u);
}

// Entries were written before the buckets were read, which may fail.
TEST_F(StoreTrouble, AnAddThatFailsWritesNothing) {
  ASSERT_OK(store_.Create("index"));
  ASSERT_OK(InOne(engine_, [&](Transaction& transaction) -> Status {
    transaction.Put(kHistogramsKeyspace, BucketKey(1, 1, {"", 1}), "\x63");
    return {};
  }));
  Transaction transaction(engine_);
  EXPECT_ERROR(other_.Add(transaction, "index", {1}, 7), ErrorCode::unsupported);
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(ASSERT_VALUE(store_.Count(*Now(), "index", Where::All(), 10)), 0u);
}

// It said that all was well, and the index had the other one's histogram.
TEST_F(StoreTrouble, AChangeThatAnotherOneReplacesIsTold) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 4}));
  Add(Numbers(0, 2000));
  bool nested = false;
  EXPECT_ERROR(store_.Change("index", Histogram::Fixed(2),
                             [&](auto, auto) {
                               if (!std::exchange(nested, true)) {
                                 EXPECT_OK(other_.Change("index", Histogram::Fixed(3)));
                               }
                               return true;
                             }),
               ErrorCode::precondition_failed);
  EXPECT_EQ(ASSERT_VALUE(store_.Describe(*Now(), "index")).options.histogram, Histogram::Fixed(3));
  EXPECT_OK(store_.Verify(*Now(), "index"));
}

// What is wrong with a source was found out after the index had been set to building: a mistake
// took the estimates of a whole index away. A source without a keyspace ended the process.
TEST_F(StoreTrouble, AWrongSourceLeavesTheIndexAsItWas) {
  ASSERT_OK(store_.Create("index"));
  Add({{{1}, 1}});
  PutRows(0, 10);
  IndexSource failing = Rows();
  failing.entries = [](const Row&) -> Result<std::vector<IndexEntry>> {
    return Fail(ErrorCode::precondition_failed, "no value");
  };
  EXPECT_ERROR(store_.Build("index", failing), ErrorCode::precondition_failed);
  EXPECT_ERROR(store_.Build("index", {}), ErrorCode::invalid_argument);
  EXPECT_ERROR(store_.Build("index", {.keyspace = &kRows}), ErrorCode::invalid_argument);
  EXPECT_TRUE(ASSERT_VALUE(store_.Estimate(*Now(), "index", Where::All())).exact);
}

// Another way of making entries went on where the first was left, and the index was half of each.
TEST_F(StoreTrouble, ABuildIsNotGoneOnWithInAnotherWay) {
  ASSERT_OK(store_.Create("index"));
  PutRows(0, 1000);
  EXPECT_ERROR(store_.Build("index", Rows(), [](auto, auto) { return false; }),
               ErrorCode::precondition_failed);
  IndexSource another = Rows();
  another.fingerprint = "by key";
  EXPECT_ERROR(store_.Build("index", another), ErrorCode::precondition_failed);
  EXPECT_OK(store_.Build("index", Rows()));
}

// Many small additions in one transaction were told of one by one, and the bucket was divided once,
// by what was known then.
TEST_F(StoreTrouble, ManyAdditionsInOneTransactionLeaveNoLargeBucket) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  Transaction transaction(engine_);
  for (int number = 0; number < 5000; ++number) {
    ASSERT_OK(store_.Add(transaction, "index", {number}, number));
  }
  ASSERT_OK(transaction.Commit());
  EXPECT_LE(LargestBucket(), 17);
}

// Only the buckets at even distances were looked into, however large others were.
TEST_F(StoreTrouble, TheMostCommonValuesAreLookedForInTheLargestBuckets) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  for (int value = 0; value < 400; ++value) Add({{{value}, value}});
  for (const int common : {101, 203, 305}) {
    for (int document = 0; document < 40; ++document) Add({{{common}, 1000 + document}});
  }
  const CommonValues values = ASSERT_VALUE(store_.MostCommon(*Now(), "index", 3, 3));
  ASSERT_EQ(values.values.size(), 3u);
  for (const CommonValue& value : values.values) EXPECT_EQ(value.entries, 41u);
}

TEST_F(StoreTrouble, ATransactionOfAnotherEngineIsRefused) {
  ASSERT_OK(store_.Create("index"));
  const std::unique_ptr<Engine> another = OpenEngineForTest();
  Transaction transaction(*another);
  EXPECT_ERROR(store_.Add(transaction, "index", {1}, 1), ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace talea::histograms
