// Lets calls into an engine until it closes, and waits for those inside.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "talea/result.h"

namespace talea {

class CallGate {
 public:
  // Held by a call for as long as it runs.
  class Pass {
   public:
    explicit Pass(CallGate& gate) : gate_(&gate) {}
    Pass(Pass&& other) noexcept : gate_(std::exchange(other.gate_, nullptr)) {}
    Pass& operator=(Pass&&) = delete;
    ~Pass() {
      if (gate_ != nullptr) gate_->Leave();
    }

   private:
    CallGate* gate_;
  };

  // Lets a call in, or fails with `closed` and the reason.
  Result<Pass> Enter();

  // Refuses every call from now on; the first reason given stays.
  void Refuse(std::string reason);

  // Refuses every call and waits for those inside to leave; timed_out if they take longer.
  Status Close(std::chrono::milliseconds bound);

  bool refusing() const { return (state_.load() & kRefusing) != 0; }

 private:
  static constexpr std::uint32_t kRefusing = 1u << 31;

  void Leave();

  std::atomic<std::uint32_t> state_ = 0;  // kRefusing, and the number of calls inside
  std::mutex reason_mutex_;
  std::string reason_;
};

}  // namespace talea
