// How long calls took, as quantiles of all of them.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>

namespace talea::histograms {

// Counts durations in steps of a quarter of a power of two, so that a quantile is right to a fifth
// of itself, however many there are. From any thread.
class Latencies {
 public:
  void Add(std::chrono::nanoseconds duration) {
    const auto count = static_cast<std::uint64_t>(std::max<std::int64_t>(duration.count(), 4));
    const auto power = static_cast<unsigned>(std::bit_width(count)) - 1;  // at least 2
    const std::uint64_t quarter = (count >> (power - 2)) & 3;
    counts_[std::size_t{4} * power + quarter].fetch_add(1, std::memory_order_relaxed);
  }

  // The duration, in milliseconds, that the given part of them did not exceed; 0 if there are none.
  double Milliseconds(double part) const {
    std::uint64_t all = 0;
    for (const auto& count : counts_) all += count.load(std::memory_order_relaxed);
    if (all == 0) return 0;
    const auto wanted = static_cast<std::uint64_t>(part * static_cast<double>(all - 1)) + 1;
    std::uint64_t seen = 0;
    std::size_t step = 0;
    while (step + 1 < counts_.size() &&
           (seen += counts_[step].load(std::memory_order_relaxed)) < wanted) {
      ++step;
    }
    // The upper end of the step.
    const double start = static_cast<double>(std::uint64_t{1} << (step / 4));
    return start * (1 + static_cast<double>(step % 4 + 1) / 4) / 1e6;
  }

 private:
  std::array<std::atomic<std::uint64_t>, std::size_t{64} * 4> counts_{};
};

}  // namespace talea::histograms
