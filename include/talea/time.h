// Time enters Talea in one place: a Clock, read once for each operation. Everything below takes a
// Timestamp.
#pragma once

#include <atomic>
#include <chrono>

namespace talea {

// A moment, in whole microseconds since 1970-01-01 00:00 UTC, leap seconds not counted.
using Timestamp = std::chrono::sys_time<std::chrono::microseconds>;

// Tells the time. Safe to read from any thread.
class Clock {
 public:
  virtual ~Clock() = default;
  virtual Timestamp Now() const = 0;
};

// The computer's clock. It may step back or jump; layers say what they do then.
class SystemClock final : public Clock {
 public:
  Timestamp Now() const override;
};

// A clock for tests: it stands still until it is told to move, and moves either way.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(Timestamp start = Timestamp{}) : now_(start) {}

  Timestamp Now() const override { return now_.load(); }
  void Set(Timestamp now) { now_.store(now); }
  void Advance(std::chrono::microseconds step);

 private:
  std::atomic<Timestamp> now_;
};

}  // namespace talea
