// Work that looks first and then writes is run again until it is decided.
#pragma once

#include <algorithm>
#include <chrono>
#include <optional>
#include <thread>

#include "talea/result.h"

namespace talea {

// Whether the error is of a run that could look at what is stored, and so knows what others did.
inline bool HasLooked(const Error& error) {
  return !error.retryable() && error.code() != ErrorCode::closed &&
         error.code() != ErrorCode::io_error;
}

// Runs the body until it succeeds or fails for good. It must read what is stored before it writes,
// and recognize what an earlier run of it has done: that is how an unknown outcome is found out.
// Where no later run could look, the outcome stays unknown.
template <class Body>
auto TryUntilDecided(Body body) -> decltype(body()) {
  constexpr int kMostAttempts = 100;
  constexpr std::chrono::microseconds kLongestPause{20'000};
  std::chrono::microseconds pause{50};
  std::optional<Error> unknown;  // the newest, if any run ended with it
  auto outcome = body();
  for (int attempt = 1; attempt < kMostAttempts && !outcome; ++attempt) {
    if (outcome.error().code() == ErrorCode::outcome_unknown) {
      unknown = outcome.error();
    } else if (!outcome.error().retryable()) {
      break;
    }
    std::this_thread::sleep_for(pause);
    pause = std::min(2 * pause, kLongestPause);
    outcome = body();
  }
  if (outcome || !unknown) return outcome;
  if (!HasLooked(outcome.error())) outcome = std::unexpected(std::move(*unknown));
  return outcome;
}

}  // namespace talea
