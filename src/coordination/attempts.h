// Work that looks first and then writes is run again until it is decided.
#pragma once

#include <algorithm>
#include <chrono>
#include <thread>

#include "talea/result.h"

namespace talea {

// Runs the body until it succeeds or fails for good. It must read what is stored before it writes,
// and recognize what an earlier run of it has done: that is how an unknown outcome is found out.
template <class Body>
auto TryUntilDecided(Body body) -> decltype(body()) {
  constexpr int kMostAttempts = 100;
  constexpr std::chrono::microseconds kLongestPause{20'000};
  std::chrono::microseconds pause{50};
  auto outcome = body();
  for (int attempt = 1; attempt < kMostAttempts && !outcome; ++attempt) {
    const bool unknown = outcome.error().code() == ErrorCode::outcome_unknown;
    if (!unknown && !outcome.error().retryable()) break;
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
    auto next = body();
    // An engine that has closed itself over it can no longer tell.
    if (unknown && !next && next.error().code() == ErrorCode::closed) break;
    outcome = std::move(next);
  }
  return outcome;
}

}  // namespace talea
