#include <algorithm>

#include "talea/testing/model_test.h"

namespace talea {

std::size_t StepsInThisBuild(const ModelTestOptions& options) {
  if (LongTests()) return options.steps * 10;
#if defined(__SANITIZE_ADDRESS__)
  if (!options.every_step) return std::max<std::size_t>(1, options.steps / 4);
#endif
  return options.steps;
}

// Delta debugging: try without each of a few large parts, then of more and smaller ones.
std::vector<std::size_t> Shrink(std::size_t steps,
                                const std::function<bool(const std::vector<std::size_t>&)>& fails) {
  constexpr std::size_t kMostRuns = 2000;
  std::vector<std::size_t> kept(steps);
  for (std::size_t step = 0; step < steps; ++step) kept[step] = step;
  std::size_t runs = 0;
  for (std::size_t part = std::max<std::size_t>(1, steps / 2); !kept.empty();) {
    bool smaller = false;
    for (std::size_t begin = 0; begin < kept.size() && runs < kMostRuns; ++runs) {
      const std::size_t end = std::min(begin + part, kept.size());
      std::vector<std::size_t> without(kept.begin(),
                                       kept.begin() + static_cast<std::ptrdiff_t>(begin));
      without.insert(without.end(), kept.begin() + static_cast<std::ptrdiff_t>(end), kept.end());
      if (fails(without)) {
        kept = std::move(without);
        smaller = true;
      } else {
        begin = end;
      }
    }
    if (runs >= kMostRuns || (part == 1 && !smaller)) break;
    part = std::max<std::size_t>(1, part / 2);
  }
  return kept;
}

}  // namespace talea
