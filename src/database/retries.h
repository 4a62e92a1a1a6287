// How often and how long something is tried again.
#pragma once

#include <chrono>
#include <functional>
#include <string>

#include "talea/database.h"

namespace talea {

// Waits between two attempts.
using Pause = std::function<void(std::chrono::microseconds)>;

// Fails with invalid_argument on bounds that allow no attempt.
Status Check(const RetryOptions& options);

// The attempts of one call; made when the first one begins. `pause` must outlive it.
class Retries {
 public:
  Retries(const RetryOptions& options, const Pause& pause);

  // After an attempt that failed: waits a while and returns true, or false at once when there is to
  // be no other.
  bool Again();

  // For messages: "3 attempts in 25 ms".
  std::string Spent() const;

 private:
  std::chrono::microseconds Elapsed() const;
  std::chrono::microseconds NextPause();

  const RetryOptions options_;
  const Pause& pause_;
  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  std::chrono::microseconds longest_now_;  // from first_pause to longest_pause
  int attempts_ = 1;
};

}  // namespace talea
