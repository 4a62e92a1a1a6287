#include "engine/call_gate.h"

#include <fmt/format.h>

#include <thread>

namespace talea {

Result<CallGate::Pass> CallGate::Enter() {
  if ((state_.fetch_add(1) & kRefusing) == 0) return Pass(*this);
  Leave();
  std::lock_guard lock(reason_mutex_);
  return Fail(ErrorCode::closed, reason_);
}

void CallGate::Refuse(std::string reason) {
  std::lock_guard lock(reason_mutex_);
  if (reason_.empty()) reason_ = std::move(reason);
  state_.fetch_or(kRefusing);
}

Status CallGate::Close(std::chrono::milliseconds bound) {
  Refuse("the engine was shut down");
  const auto deadline = std::chrono::steady_clock::now() + bound;
  // Rare and short, so polling is simpler than a wake-up that every call would have to pay for.
  while (const std::uint32_t inside = state_.load() & ~kRefusing) {
    if (std::chrono::steady_clock::now() >= deadline) {
      return Fail(ErrorCode::timed_out,
                  fmt::format("shutdown: expected every call to end within {} ms, "
                              "found {} still running",
                              bound.count(), inside));
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return {};
}

void CallGate::Leave() { state_.fetch_sub(1); }

}  // namespace talea
