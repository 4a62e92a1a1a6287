// The histogram of an index as a bar chart: where its entries lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "talea/histograms.h"
#include "talea/result.h"
#include "terminal/bar_chart.h"

namespace talea::cli {

struct IndexChart {
  std::string title;  // what a bar is
  std::vector<Bar> bars;
};

inline constexpr std::size_t kMostChartBars = 20;

// Of few values each has a bar. Of numbers bars stand for equal spans, so that their lengths show
// how densely the numbers lie. Of all else, for which there is no such measure, buckets are joined
// to bars of about equal shares.
Result<IndexChart> ChartOf(IndexStore& indexes, Reader& reader, const std::string& name,
                           const CommonValues& common);

// The parts of it that need no index.

// Buckets joined to at most so many bars: each begins where its label says and ends where the next
// begins. One that holds more than its share stands alone.
std::vector<Bar> JoinedBuckets(std::span<const IndexBucket> buckets, std::size_t most);

// The numbers from `first` to `last` as at most so many spans of equal length, and one more, by
// where each begins: at a round number. Both are integers, or both are finite doubles, and `first`
// is the lesser; empty if not, and where doubles are too close to each other for round numbers.
std::vector<Element> EqualSpans(const Element& first, const Element& last, std::size_t most);

}  // namespace talea::cli
