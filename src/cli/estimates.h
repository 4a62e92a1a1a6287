// Estimates as they are shown.
#pragma once

#include <cstdint>
#include <string>

#include "json/json.h"
#include "talea/histograms.h"

namespace talea::cli {

// "1,234 entries (exact)" or "about 1,234 entries, between 1,000 and 1,500".
std::string ShownEstimate(const CountEstimate& count, const std::string& one = "entry",
                          const std::string& many = "entries");

// "1 entry", "1,234 entries".
std::string CountedEntries(std::uint64_t entries);

JsonObject EstimateAsJson(const CountEstimate& count);

}  // namespace talea::cli
