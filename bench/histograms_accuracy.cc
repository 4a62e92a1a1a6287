#include "bench/histograms_accuracy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/support.h"

namespace talea::bench {
namespace {

// The value at that percentile, by the nearest rank; 0 if there is none.
double Percentile(std::vector<double> values, double percent) {
  if (values.empty()) return 0;
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  const std::size_t place =
      std::clamp<std::size_t>(static_cast<std::size_t>(rank), 1, values.size()) - 1;
  std::ranges::nth_element(values, values.begin() + static_cast<std::ptrdiff_t>(place));
  return values[place];
}

std::string Percent(double share) {
  return share == 0 ? "0" : fmt::format("{:.4g} %", 100 * share);
}

std::size_t DecadeOf(std::uint64_t truth, std::size_t decades) {
  std::size_t decade = 0;
  for (; truth >= 10 && decade + 1 < decades; truth /= 10) ++decade;
  return decade;
}

std::optional<std::string> BrokenPromise(const Query& query, const CountEstimate& estimate) {
  const std::string found = fmt::format(
      "{}: the estimate is {} in [{}, {}]{}, the truth {}", query.ToString(), estimate.estimate,
      estimate.low, estimate.high, estimate.exact ? ", exact" : "", query.truth);
  const auto truth = static_cast<double>(query.truth);
  if (estimate.exact && estimate.estimate != truth) return "not exact: " + found;
  if (query.truth < estimate.low || query.truth > estimate.high) return "out of bounds: " + found;
  if (estimate.estimate < static_cast<double>(estimate.low) ||
      estimate.estimate > static_cast<double>(estimate.high)) {
    return "not within its own bounds: " + found;
  }
  return std::nullopt;
}

}  // namespace

std::string Query::ToString() const {
  return upper ? fmt::format("[{}, {})", talea::ToString(lower), talea::ToString(*upper))
               : fmt::format("= {}", talea::ToString(lower));
}

Truth::Truth(std::vector<std::string> values) : values_(std::move(values)) {
  std::ranges::sort(values_);
}

void Truth::Add(std::vector<std::string> values) {
  std::ranges::sort(values);
  const auto middle = static_cast<std::ptrdiff_t>(values_.size());
  std::ranges::move(values, std::back_inserter(values_));
  std::ranges::inplace_merge(values_, values_.begin() + middle);
}

std::uint64_t Truth::Count(const Tuple& lower, const std::optional<Tuple>& upper) const {
  const std::string from = Must(Pack(lower));
  const auto begin = std::ranges::lower_bound(values_, from);
  const auto end = upper ? std::ranges::lower_bound(values_, Must(Pack(*upper)))
                         : std::ranges::upper_bound(values_, from);
  return static_cast<std::uint64_t>(end - begin);
}

Query Truth::Between(std::size_t first, std::size_t last) const {
  Query query{.lower = Must(Unpack(values_[std::min(first, last)])),
              .upper = Must(Unpack(values_[std::max(first, last)]))};
  query.truth = Count(query.lower, query.upper);
  return query;
}

std::vector<Query> Truth::Draw(const QueryCounts& counts, Random& random) const {
  TALEA_CHECK(!values_.empty());
  const std::size_t size = values_.size();
  std::vector<Query> queries;
  for (std::size_t i = 0; i < counts.any_ends; ++i) {
    const std::size_t first = random.Below(size);
    queries.push_back(Between(first, random.Below(size)));
  }
  for (std::size_t i = 0; i < counts.any_sizes; ++i) {
    const double magnitude = static_cast<double>(i) / static_cast<double>(counts.any_sizes);
    const auto entries = static_cast<std::size_t>(std::pow(static_cast<double>(size), magnitude));
    const std::size_t first = random.Below(size - std::min(entries, size - 1));
    queries.push_back(Between(first, std::min(first + entries, size - 1)));
  }
  for (std::size_t i = 0; i < counts.equal; ++i) {
    Query query{.lower = Must(Unpack(values_[random.Below(size)])), .upper = {}};
    query.truth = Count(query.lower, query.upper);
    queries.push_back(std::move(query));
  }
  return queries;
}

void Accuracy::Add(const Query& query, const CountEstimate& estimate) {
  const auto truth = static_cast<double>(query.truth);
  if (query.truth > kLeastTruth) errors_.push_back(std::abs(estimate.estimate - truth) / truth);
  const double at_least_one = std::max(estimate.estimate, 1.0);
  const double truth_at_least_one = std::max(truth, 1.0);
  factors_.push_back(
      std::max(at_least_one / truth_at_least_one, truth_at_least_one / at_least_one));
  Share& share = by_decade_[DecadeOf(query.truth, by_decade_.size())];
  share.exact += estimate.exact ? 1 : 0;
  share.all += 1;
  if (!broken_promise_) broken_promise_ = BrokenPromise(query, estimate);
}

double Accuracy::Error(double percent) const { return Percentile(errors_, percent); }

double Accuracy::Factor(double percent) const { return Percentile(factors_, percent); }

double Accuracy::exact_share() const {
  std::size_t exact = 0;
  for (const Share& share : by_decade_) exact += share.exact;
  return factors_.empty() ? 1 : static_cast<double>(exact) / static_cast<double>(queries());
}

std::string Accuracy::Share::ToString() const {
  return all == 0 ? "-" : Percent(static_cast<double>(exact) / static_cast<double>(all));
}

std::vector<Column> Accuracy::Titles() {
  std::vector<Column> titles = {{"histogram", Align::left}};
  for (const std::string_view title : {"P50", "P90", "P99", "q-error P50", "P99", "exact", "<10",
                                       "<100", "<1k", "<10k", "<100k", "<1M", "more"}) {
    titles.push_back({std::string(title), Align::right});
  }
  return titles;
}

std::vector<std::string> Accuracy::Line(std::string name) const {
  std::vector<std::string> line = {std::move(name)};
  for (const double percent : {50., 90., 99.}) line.push_back(Percent(Error(percent)));
  for (const double percent : {50., 99.}) line.push_back(fmt::format("{:.4g}", Factor(percent)));
  line.push_back(Percent(exact_share()));
  for (const Share& share : by_decade_) line.push_back(share.ToString());
  return line;
}

}  // namespace talea::bench
