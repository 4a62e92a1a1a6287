#include "database/retries.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>

namespace talea {
namespace {

using std::chrono::duration_cast;
using std::chrono::microseconds;
using std::chrono::milliseconds;

// From nothing to `longest`, so that those who met once do not meet again.
microseconds RandomUpTo(microseconds longest) {
  thread_local std::minstd_rand random{std::random_device{}()};
  return microseconds(std::uniform_int_distribution<microseconds::rep>(0, longest.count())(random));
}

}  // namespace

Status Check(const RetryOptions& options) {
  const bool pauses =
      options.first_pause >= microseconds(0) && options.longest_pause >= options.first_pause;
  if (options.attempts >= 1 && options.within >= milliseconds(0) && pauses) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("retry options: expected at least 1 attempt, no negative time and no first "
                  "pause beyond the longest, found {} attempts within {} ms, pauses of {} to "
                  "{} microseconds",
                  options.attempts, options.within.count(), options.first_pause.count(),
                  options.longest_pause.count()));
}

Retries::Retries(const RetryOptions& options, const Pause& pause)
    : options_(options), pause_(pause), longest_now_(options.first_pause) {}

bool Retries::Again() {
  // In milliseconds: the longest time there is has no number of microseconds.
  if (attempts_ >= options_.attempts || duration_cast<milliseconds>(Elapsed()) >= options_.within) {
    return false;
  }
  ++attempts_;
  pause_(NextPause());
  return true;
}

std::string Retries::Spent() const {
  return fmt::format("{} attempt{} in {} ms", attempts_, attempts_ == 1 ? "" : "s",
                     duration_cast<milliseconds>(Elapsed()).count());
}

microseconds Retries::Elapsed() const {
  return duration_cast<microseconds>(std::chrono::steady_clock::now() - begin_);
}

microseconds Retries::NextPause() {
  const microseconds pause = RandomUpTo(longest_now_);
  longest_now_ += std::min(longest_now_, options_.longest_pause - longest_now_);
  return duration_cast<milliseconds>(pause) < options_.within ? pause
                                                              : microseconds(options_.within);
}

}  // namespace talea
