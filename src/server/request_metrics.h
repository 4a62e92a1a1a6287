// Counts what the server answered, and how long that took. All calls from any thread.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

#include "server/prometheus_text.h"

namespace talea {

class RequestMetrics {
 public:
  // The upper bounds of the buckets, in seconds; there is one more beyond the last.
  static constexpr std::array kBounds = {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                         0.05,   0.1,     0.25,   0.5,   1.0,    2.5,   5.0,  10.0};

  // A request that a route answered, or with an empty route one that no route is for. `took` is the
  // time from its arrival until the answer was made. The routes are few, so the series are too.
  void Count(std::string_view route, int status, std::chrono::nanoseconds took);

  // A connection or request that was answered before it came to a route, or that a route did not
  // answer in time.
  void CountRefused(int status);

  std::uint64_t requests() const;
  void Write(PrometheusText& text) const;

 private:
  struct Series {
    std::array<std::uint64_t, kBounds.size() + 1> buckets{};
    std::uint64_t count = 0;
    std::chrono::nanoseconds sum{};
  };
  using Key = std::pair<std::string, int>;  // route and status

  static void WriteSeries(const Key& key, const Series& series, PrometheusText& text);

  mutable std::mutex mutex_;
  std::map<Key, Series, std::less<>> series_;
  std::map<int, std::uint64_t> refused_;
  std::uint64_t requests_ = 0;
};

}  // namespace talea
