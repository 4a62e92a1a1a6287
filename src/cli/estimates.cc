#include "cli/estimates.h"

#include <fmt/format.h>

#include <cmath>

#include "terminal/numbers.h"

namespace talea::cli {

std::string ShownEstimate(const CountEstimate& count, const std::string& one,
                          const std::string& many) {
  const auto whole = static_cast<std::uint64_t>(std::llround(count.estimate));
  const std::string shown = fmt::format("{} {}", FullNumber(whole), whole == 1 ? one : many);
  if (count.exact) return shown + " (exact)";
  return fmt::format("about {}, between {} and {}", shown, FullNumber(count.low),
                     FullNumber(count.high));
}

std::string CountedEntries(std::uint64_t entries) {
  return fmt::format("{} {}", FullNumber(entries), entries == 1 ? "entry" : "entries");
}

JsonObject EstimateAsJson(const CountEstimate& count) {
  return JsonObject()
      .Add("estimate", count.estimate)
      .Add("low", count.low)
      .Add("high", count.high)
      .Add("exact", count.exact);
}

}  // namespace talea::cli
