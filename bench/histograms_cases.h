// The cases of bench/histograms_bench.cc that measure time.
#pragma once

#include "bench/harness.h"

namespace talea::bench {

// latency
void LatencyCase(Bench& bench);

// write/...
void WriteCases(Bench& bench);

}  // namespace talea::bench
