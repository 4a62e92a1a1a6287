// How the counters of new buckets get their numbers.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "histograms/index.h"
#include "histograms/layout_change.h"

namespace talea::histograms {

// About how many entries each new bucket has, once this is committed.
using BucketNumbers = std::vector<std::pair<BucketId, std::int64_t>>;

// Of a learned histogram: adds to the new counters what they lack, and takes the old ones away.
// Returns the new numbers.
Result<BucketNumbers> MoveCounts(LayoutChange& change, const std::vector<StoredBucket>& ending,
                                 const std::vector<StoredBucket>& taking);

// The same of a fixed one.
Result<BucketNumbers> MovePrefixCounts(LayoutChange& change,
                                       const std::vector<StoredBucket>& ending,
                                       const std::vector<StoredBucket>& taking);

}  // namespace talea::histograms
