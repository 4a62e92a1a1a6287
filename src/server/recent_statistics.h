// The engine's statistics, asked for at most ten times a second however many clients want them.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// To gather them takes an engine a good part of a millisecond, and on RocksDB holds up the deletion
// of files meanwhile. All calls from any thread; those that come together wait for one answer.
class RecentStatistics {
 public:
  static constexpr std::chrono::milliseconds kMostAge{100};

  explicit RecentStatistics(Engine& engine) : engine_(engine) {}

  // Not older than kMostAge. A failure is not kept.
  Result<std::shared_ptr<const Statistics>> Get() {
    std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (newest_ && now - gathered_ < kMostAge) return newest_;
    newest_ = nullptr;
    newest_ = std::make_shared<const Statistics>(TALEA_TRY(engine_.GetStatistics()));
    gathered_ = now;
    return newest_;
  }

 private:
  Engine& engine_;
  std::mutex mutex_;
  std::shared_ptr<const Statistics> newest_;
  std::chrono::steady_clock::time_point gathered_;
};

}  // namespace talea
