#include "talea/time.h"

namespace talea {

Timestamp SystemClock::Now() const {
  return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

void ManualClock::Advance(std::chrono::microseconds step) {
  Timestamp now = now_.load();
  while (!now_.compare_exchange_weak(now, now + step)) {
  }
}

}  // namespace talea
