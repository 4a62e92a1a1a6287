#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "coordination/coordination_for_test.h"
#include "histograms/keys.h"
#include "histograms/values_for_test.h"
#include "talea/histograms.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using histograms::Numbers;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

CountEstimate Exactly(std::uint64_t count) {
  return {static_cast<double>(count), count, count, true};
}

class IndexStoreTest : public ::testing::Test {
 protected:
  void Add(const std::vector<IndexEntry>& entries, std::string_view name = "index") {
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_.Add(transaction, name, entries);
    }));
  }
  void Remove(const std::vector<IndexEntry>& entries, std::string_view name = "index") {
    ASSERT_OK(InOne(*engine_, [&](Transaction& transaction) {
      return store_.Remove(transaction, name, entries);
    }));
  }
  Result<CountEstimate> Estimate(const Where& where, std::string_view name = "index") {
    return store_.Estimate(*Now(), name, where);
  }
  Status Verify() { return store_.Verify(*Now(), "index"); }
  std::vector<IndexBucket> Buckets() { return store_.Buckets(*Now(), "index").value(); }
  std::unique_ptr<Snapshot> Now() { return engine_->OpenSnapshot().value(); }

  std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  IndexStore store_{*engine_};
};

TEST_F(IndexStoreTest, CountsWhatMatches) {
  ASSERT_OK(store_.Create("index"));
  Add({{{"London"}, "ada"}, {{"Paris"}, "marie"}, {{"London"}, "alan"}, {{nullptr}, "ghost"}});
  EXPECT_EQ(Estimate(Where::Equal({"London"})), Exactly(2));
  EXPECT_EQ(Estimate(Where::Range({"A"}, {"M"})), Exactly(2));
  EXPECT_EQ(Estimate(Where::All()), Exactly(4));
  EXPECT_EQ(Estimate(!Where::Equal({"London"})), Exactly(2));
  EXPECT_EQ(Estimate(Where::In({{"London"}, {"Paris"}, {"Rome"}})), Exactly(3));
  EXPECT_EQ(Estimate(Where::StartsWith({"Lon"})), Exactly(2));
  EXPECT_EQ(Estimate(Where::Above({"London"})), Exactly(1));
  EXPECT_EQ(Estimate(Where::Equal({nullptr})), Exactly(1));
}

TEST_F(IndexStoreTest, DividesABucketThatOutgrowsTwiceTheCap) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  for (int number = 0; number < 1000; ++number) Add(Numbers(number, 1));
  ASSERT_OK(Verify());
  EXPECT_GE(Buckets().size(), 1000 / 16);
  for (const IndexBucket& bucket : Buckets()) {
    EXPECT_LE(bucket.count, 17);
    EXPECT_FALSE(bucket.dividing);
  }
  for (int first = 0; first < 500; first += 37) {
    EXPECT_EQ(Estimate(Where::Range({first}, {1000 - first / 2})),
              Exactly(static_cast<std::uint64_t>(1000 - first / 2 - first)));
  }
}

TEST_F(IndexStoreTest, DividesAfterALargeBatchIntoManyAtOnce) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  Add(Numbers(0, 10'000));
  ASSERT_OK(store_.Settle("index"));
  ASSERT_OK(Verify());
  for (const IndexBucket& bucket : Buckets()) EXPECT_LE(bucket.count, 17);
}

TEST_F(IndexStoreTest, LeavesBucketsNearlyFullWhereValuesAscend) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 16}));
  for (int number = 0; number < 321; ++number) Add(Numbers(number, 1));
  ASSERT_OK(Verify());
  std::vector<std::int64_t> counts;
  for (const IndexBucket& bucket : Buckets()) counts.push_back(bucket.count);
  EXPECT_THAT(counts, ElementsAre(32, 32, 32, 32, 32, 32, 32, 32, 32, 32, 1));
  for (int number = 0; number < 321; ++number) {
    EXPECT_EQ(Estimate(Where::Below({number})), Exactly(static_cast<std::uint64_t>(number)));
  }
}

TEST_F(IndexStoreTest, UnitesBucketsThatEmpty) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  std::vector<IndexEntry> numbers = Numbers(0, 2000);
  for (const IndexEntry& entry : numbers) Add({entry});
  std::ranges::shuffle(numbers, std::mt19937(1));
  for (const IndexEntry& entry : numbers) Remove({entry});
  ASSERT_OK(Verify());
  EXPECT_EQ(Buckets().size(), 1);
  EXPECT_EQ(Estimate(Where::All()), Exactly(0));
}

TEST_F(IndexStoreTest, GivesAHeavyValueABucketOfItsOwn) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  for (int document = 0; document < 500; ++document) {
    Add({{{
              "light",
          },
          document},
         {{document}, document},
         {{1000}, document}});
  }
  ASSERT_OK(Verify());
  EXPECT_EQ(Estimate(Where::Equal({1000})), Exactly(500));
  EXPECT_EQ(Estimate(Where::Equal({"light"})), Exactly(500));
  EXPECT_EQ(Estimate(Where::Below({1000})), Exactly(1000));  // texts are less than numbers
}

// To divide a bucket only its front is read, up to the cap from its end. Where a common value
// reached from there into the rest, nothing was found to divide at, and the bucket was left alone
// until it had doubled. The benchmark's int64-zipf was exact in 88 % of its queries.
TEST_F(IndexStoreTest, DividesBehindACommonValueThatReachesToTheEndOfWhatIsReadFirst) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  Add(Numbers(0, 4));
  for (int document = 0; document < 10; ++document) Add({{{100}, document}});
  for (int number = 200; number < 210; ++number) Add(Numbers(number, 1));
  ASSERT_OK(Verify());
  EXPECT_EQ(Estimate(Where::Below({200})), Exactly(14));
}

TEST_F(IndexStoreTest, AddsAndRemovesOnce) {
  ASSERT_OK(store_.Create("index"));
  Transaction transaction(*engine_);
  EXPECT_EQ(store_.Add(transaction, "index", {1}, "a"), true);
  EXPECT_EQ(store_.Add(transaction, "index", {1}, "a"), false);
  EXPECT_EQ(store_.Remove(transaction, "index", {1}, "a"), true);
  EXPECT_EQ(store_.Remove(transaction, "index", {1}, "a"), false);
  EXPECT_EQ(store_.Add(transaction, "index", {1}, "a"), true);
  EXPECT_EQ(store_.Update(transaction, "index", "a", {1}, {2}), true);
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(Estimate(Where::Equal({1})), Exactly(0));
  EXPECT_EQ(Estimate(Where::Equal({2})), Exactly(1));
}

TEST_F(IndexStoreTest, FixedCountsByTheFirstBytes) {
  ASSERT_OK(store_.Create("index", {.histogram = Histogram::Fixed(1), .peek_cap = 4}));
  std::vector<IndexEntry> entries;
  for (int document = 0; document < 256; ++document) {
    const std::string value{'a', static_cast<char>(document)};
    entries.push_back({{Bytes(value)}, document});
  }
  Add(entries);
  ASSERT_OK(Verify());
  const CountEstimate half = Estimate(Where::Below({Bytes("a\x80")})).value();
  EXPECT_DOUBLE_EQ(half.estimate, 128);
  EXPECT_EQ(half.low, 0);
  EXPECT_EQ(half.high, 256);
  EXPECT_FALSE(half.exact);
  EXPECT_EQ(Estimate(Where::Equal({Bytes("ab")})), Exactly(1));
}

TEST_F(IndexStoreTest, ChangesItsHistogramAndBack) {
  ASSERT_OK(store_.Create("index", {.histogram = Histogram::Fixed(2), .peek_cap = 8}));
  Add(Numbers(0, 3000));
  ASSERT_OK(store_.Change("index", Histogram::Learned()));
  ASSERT_OK(Verify());
  EXPECT_EQ(Estimate(Where::Range({100}, {2000})), Exactly(1900));
  Add(Numbers(3000, 100));
  ASSERT_OK(store_.Change("index", Histogram::Fixed(3)));
  ASSERT_OK(Verify());
  Remove(Numbers(0, 3100));
  ASSERT_OK(Verify());
  EXPECT_THAT(Buckets(), ::testing::IsEmpty());
}

TEST_F(IndexStoreTest, BuildsOverRowsThatExist) {
  ASSERT_OK(store_.Create("index"));
  Transaction transaction(*engine_);
  for (int row = 0; row < 1000; ++row) {
    transaction.Put(kRows, Pack({row}).value(), Pack({row % 10}).value());
  }
  ASSERT_OK(transaction.Commit());
  const IndexSource source{
      .keyspace = &kRows, .entries = [](const Row& row) -> Result<std::vector<IndexEntry>> {
        return std::vector<IndexEntry>{{TALEA_TRY(Unpack(row.value)), Bytes(row.key)}};
      }};
  EXPECT_ERROR(store_.Build("index", source, [](auto, auto) { return false; }),
               ErrorCode::precondition_failed);
  EXPECT_ERROR(Estimate(Where::All()), ErrorCode::precondition_failed);
  // What was left off with one source was gone on with in another, and its first rows were missing.
  IndexSource another = source;
  another.rows = KeyRange::From("a");
  EXPECT_ERROR(store_.Build("index", another), ErrorCode::precondition_failed);
  ASSERT_OK(store_.Build("index", source));
  ASSERT_OK(Verify());
  EXPECT_EQ(Estimate(Where::Equal({3})), Exactly(100));
}

TEST_F(IndexStoreTest, TellsDistinctAndCommonValuesAndNulls) {
  ASSERT_OK(store_.Create("index", {.peek_cap = 8}));
  for (int document = 0; document < 100; ++document) {
    Add({{{"common"}, document}, {{document % 50}, document}});
    if (document < 10) Add({{{nullptr}, document}});
  }
  const auto now = Now();
  EXPECT_EQ(store_.Distinct(*now, "index"), Exactly(52));
  const CommonValues common = store_.MostCommon(*now, "index", 2).value();
  ASSERT_EQ(common.values.size(), 2);
  EXPECT_EQ(common.values[0].value, Tuple{"common"});
  EXPECT_EQ(common.values[0].entries, 100);
  EXPECT_EQ(common.values[1].value, Tuple{nullptr});
  EXPECT_EQ(common.others_have_at_most, 2);
  const NullShare nulls = store_.NullFraction(*now, "index").value();
  EXPECT_EQ(nulls.entries, Exactly(10));
  EXPECT_DOUBLE_EQ(nulls.fraction, 10.0 / 210);
}

}  // namespace
}  // namespace talea
