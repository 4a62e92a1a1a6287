// What the buckets of a histogram are to be divided into.
#pragma once

#include <vector>

#include "histograms/codec.h"
#include "histograms/layout.h"
#include "histograms/layout_change.h"

namespace talea::histograms {

// A bucket to come.
struct Successor {
  BucketId id;
  BucketRow row;
};

// The buckets that a bucket of a learned histogram should be divided into: one if it is well as it
// is. What is not counted yet is not divided beyond what was looked at.
Result<std::vector<Successor>> Divisions(LayoutChange& change, const Bucket& bucket);

// What is not counted yet of a fixed histogram may be divided anywhere, as its buckets only say
// what is counted.
Result<std::vector<Successor>> CountedPart(LayoutChange& change, const Bucket& bucket);

}  // namespace talea::histograms
