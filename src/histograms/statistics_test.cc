// What an index tells of all its values, where that once was wrong.
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "talea/histograms.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

constexpr char kIndex[] = "index";

class IndexStatistics : public testing::Test {
 protected:
  void Add(const Tuple& value, int entries) {
    Transaction transaction(*engine_);
    for (int document = 0; document < entries; ++document)
      ASSERT_OK(store_.Add(transaction, kIndex, value, document));
    ASSERT_OK(transaction.Commit());
  }

  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  IndexStore store_{*engine_};
};

// The prefix of a number is padded where it is shorter, and in an entry the document follows: it
// was looked for where the padding would be, and not found.
TEST_F(IndexStatistics, OfAFixedHistogramFindValuesThatAreShorterThanItsPrefixes) {
  ASSERT_OK(store_.Create(kIndex, {.histogram = Histogram::Fixed(3)}));
  Add({nullptr}, 2);
  Add({5}, 3);
  Add({300}, 1);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(store_.Distinct(*snapshot, kIndex)), (CountEstimate{3, 3, 3, true}));
  const CommonValues common = ASSERT_VALUE(store_.MostCommon(*snapshot, kIndex, 1));
  ASSERT_EQ(common.values.size(), 1u);
  EXPECT_EQ(common.values[0].value, Tuple{5});
  EXPECT_EQ(common.values[0].entries, 3u);
  EXPECT_EQ(common.others_have_at_most, 2u);
}

// A value with very many entries is not read to its end. Where the bucket was not either, the
// number of those that were read was told as the value's.
TEST_F(IndexStatistics, TellNoNumberOfAValueThatWasNotReadToItsEnd) {
  ASSERT_OK(store_.Create(kIndex, {.histogram = Histogram::Fixed(1), .peek_cap = 4}));
  Add({"h-common"}, 30);
  for (char last = 'a'; last <= 'z'; ++last) Add({Text(std::string("h-few") + last)}, 2);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
  const CommonValues common = ASSERT_VALUE(store_.MostCommon(*snapshot, kIndex, 100));
  for (const CommonValue& value : common.values) EXPECT_EQ(value.entries, 2u) << value.value;
  EXPECT_GE(common.others_have_at_most, 30u);
}

// Each of several values in one bucket may have all of it, together they have not more.
TEST_F(IndexStatistics, EstimatesOfManyValuesAreBoundedByTheNumberOfEntries) {
  for (const Histogram& histogram : {Histogram::Learned(), Histogram::Fixed(1)}) {
    ASSERT_OK(store_.Create(kIndex, {.histogram = histogram, .peek_cap = 16}));
    Add({"a"}, 20);
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
    const CountEstimate estimate = ASSERT_VALUE(store_.Estimate(
        *snapshot, kIndex, Where::In({{"a"}, {"aa"}, {"ab"}, {"ac"}}), {.peek = false}));
    EXPECT_LE(estimate.high, 20u) << histogram.ToString();
    EXPECT_LE(estimate.estimate, 20) << histogram.ToString();
    ASSERT_OK(store_.Drop(kIndex));
  }
}

}  // namespace
}  // namespace talea
