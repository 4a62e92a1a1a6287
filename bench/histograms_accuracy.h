// How good estimates are: conditions whose answers are known, and what was made of them.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "talea/histograms.h"
#include "talea/testing/random.h"
#include "terminal/table.h"

namespace talea::bench {

// A condition, with the number of entries that match it.
struct Query {
  Tuple lower;
  std::optional<Tuple> upper;  // absent: those equal to `lower`
  std::uint64_t truth = 0;

  Where where() const { return upper ? Where::Range(lower, *upper) : Where::Equal(lower); }
  std::string ToString() const;
};

// How many queries of each kind to draw.
struct QueryCounts {
  std::size_t any_ends = 2'000;   // both ends are values that were drawn
  std::size_t any_sizes = 1'000;  // of all orders of magnitude, each as often
  std::size_t equal = 500;
};

// All values of an index, as a sorted array.
class Truth {
 public:
  // Of packed values, in any order.
  explicit Truth(std::vector<std::string> values);

  const std::vector<std::string>& values() const { return values_; }

  // Adds values, in any order.
  void Add(std::vector<std::string> values);

  // How many lie in [lower, upper), or are equal to `lower`.
  std::uint64_t Count(const Tuple& lower, const std::optional<Tuple>& upper) const;

  // Queries with ends that are drawn from the values: where there are many entries there are many
  // queries. Needs at least one value.
  std::vector<Query> Draw(const QueryCounts& counts, Random& random) const;

 private:
  Query Between(std::size_t first, std::size_t last) const;

  std::vector<std::string> values_;
};

// What estimates came to.
class Accuracy {
 public:
  // Relative errors are of queries with more entries than this.
  static constexpr std::uint64_t kLeastTruth = 1'024;

  void Add(const Query& query, const CountEstimate& estimate);

  // The relative error that so many percent of the queries do not exceed.
  double Error(double percent) const;
  // The same of the factor by which an estimate is too high or too low, with both at least 1; of
  // all queries.
  double Factor(double percent) const;

  double exact_share() const;
  std::size_t queries() const { return factors_.size(); }

  // The first promise that was broken: truth outside of the bounds, a wrong answer that was said to
  // be exact, an estimate outside of its own bounds.
  const std::optional<std::string>& broken_promise() const { return broken_promise_; }

  // A line of the table that compares histograms.
  static std::vector<Column> Titles();
  std::vector<std::string> Line(std::string name) const;

 private:
  struct Share {
    std::size_t exact = 0;
    std::size_t all = 0;
    std::string ToString() const;
  };

  std::vector<double> errors_;
  std::vector<double> factors_;
  std::array<Share, 7> by_decade_;  // of the truth: below 10, below 100, ..; the last has the rest
  std::optional<std::string> broken_promise_;
};

}  // namespace talea::bench
