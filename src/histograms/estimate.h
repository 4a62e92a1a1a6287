// Estimates from the counters of a histogram, and a look at the entries on the edges.
#pragma once

#include <vector>

#include "histograms/coarse_sums.h"
#include "histograms/index.h"
#include "talea/histograms.h"
#include "talea/where.h"

namespace talea::histograms {

// Every estimate is the difference of two positions in the order of all entries, so estimates of
// adjacent intervals add up, and that of a part is never greater than that of the whole. Equality
// in a fixed histogram is the exception: it is looked at by itself.
Result<Explanation> EstimateIntervals(Reader& reader, CoarseSums& sums, const Index& index,
                                      const std::vector<Where::Interval>& intervals,
                                      const EstimateOptions& options);

}  // namespace talea::histograms
