#include "bench/histograms_accuracy.h"

#include <gtest/gtest.h>

namespace talea::bench {
namespace {

std::vector<std::string> Packed(std::initializer_list<int> numbers) {
  std::vector<std::string> values;
  for (const int number : numbers) values.push_back(Pack({number}).value());
  return values;
}

Query Matching(std::uint64_t truth) { return {.lower = {1}, .upper = Tuple{2}, .truth = truth}; }

TEST(Truth, CountsWhatLiesInARange) {
  Truth truth(Packed({5, 1, 3, 3, 9}));
  EXPECT_EQ(truth.Count({1}, Tuple{9}), 4u);
  EXPECT_EQ(truth.Count({2}, Tuple{3}), 0u);
  EXPECT_EQ(truth.Count({3}, std::nullopt), 2u);
  truth.Add(Packed({4, 0}));
  EXPECT_EQ(truth.Count({0}, Tuple{5}), 5u);
}

TEST(Truth, DrawsQueriesOfAllSizesAndTheirAnswers) {
  std::vector<std::string> values;
  for (int i = 0; i < 10'000; ++i) values.push_back(Pack({i}).value());
  const Truth truth(std::move(values));
  Random random(1);
  const std::vector<Query> queries =
      truth.Draw({.any_ends = 10, .any_sizes = 100, .equal = 7}, random);
  ASSERT_EQ(queries.size(), 117u);
  std::array<int, 5> decades{};
  for (const Query& query : queries) {
    EXPECT_EQ(query.truth, truth.Count(query.lower, query.upper)) << query.ToString();
    std::size_t decade = 0;
    for (std::uint64_t rest = query.truth; rest >= 10; rest /= 10) ++decade;
    ++decades.at(decade);
  }
  for (std::size_t decade = 0; decade < 4; ++decade) EXPECT_GE(decades[decade], 20);
  EXPECT_FALSE(queries.back().upper);
}

TEST(Accuracy, TakesPercentilesOfTheErrorsOfLargeAnswers) {
  Accuracy accuracy;
  accuracy.Add(Matching(10), {.estimate = 100, .low = 0, .high = 100, .exact = false});
  for (int i = 0; i < 100; ++i) {
    accuracy.Add(Matching(2'000),
                 {.estimate = 2'000.0 + 20 * i, .low = 0, .high = 9'000, .exact = false});
  }
  EXPECT_DOUBLE_EQ(accuracy.Error(50), 0.49);
  EXPECT_DOUBLE_EQ(accuracy.Error(99), 0.98);
  EXPECT_DOUBLE_EQ(accuracy.Factor(100), 10);
  EXPECT_EQ(accuracy.broken_promise(), std::nullopt);
}

TEST(Accuracy, TellsWhichPartIsExactByTheSizeOfTheAnswer) {
  Accuracy accuracy;
  accuracy.Add(Matching(0), {});
  accuracy.Add(Matching(9), {.estimate = 9, .low = 9, .high = 9, .exact = true});
  accuracy.Add(Matching(10), {.estimate = 9, .low = 9, .high = 10, .exact = false});
  accuracy.Add(Matching(5'000'000),
               {.estimate = 5e6, .low = 5'000'000, .high = 5'000'000, .exact = true});
  EXPECT_DOUBLE_EQ(accuracy.exact_share(), 0.75);
  EXPECT_EQ(accuracy.Line("learned"),
            (std::vector<std::string>{"learned", "0", "0", "0", "1", "1.111", "75 %", "100 %", "0",
                                      "-", "-", "-", "-", "100 %"}));
  EXPECT_EQ(accuracy.Line("learned").size(), Accuracy::Titles().size());
}

TEST(Accuracy, NamesAWrongAnswerThatIsCalledExact) {
  Accuracy accuracy;
  accuracy.Add(Matching(7), {.estimate = 8, .low = 7, .high = 9, .exact = true});
  EXPECT_EQ(accuracy.broken_promise(),
            "not exact: [(1), (2)): the estimate is 8 in [7, 9], exact, the truth 7");
}

TEST(Accuracy, NamesATruthOutsideOfTheBounds) {
  Accuracy accuracy;
  accuracy.Add(Matching(7), {.estimate = 8, .low = 8, .high = 9, .exact = false});
  EXPECT_EQ(accuracy.broken_promise(),
            "out of bounds: [(1), (2)): the estimate is 8 in [8, 9], the truth 7");
}

TEST(Accuracy, NamesAnEstimateOutsideOfItsOwnBounds) {
  Accuracy accuracy;
  accuracy.Add(Matching(8), {.estimate = 10, .low = 8, .high = 9, .exact = false});
  EXPECT_EQ(accuracy.broken_promise(),
            "not within its own bounds: [(1), (2)): the estimate is 10 in [8, 9], the truth 8");
}

}  // namespace
}  // namespace talea::bench
