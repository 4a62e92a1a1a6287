// Remembers that RocksDB failed in the background, so that commits are refused before they are
// tried.
#pragma once

#include <rocksdb/listener.h>

#include <atomic>
#include <mutex>
#include <string>

#include "talea/result.h"

namespace talea {

class BackgroundErrors final : public rocksdb::EventListener {
 public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override {
    if (status->ok() || status->severity() < rocksdb::Status::kHardError) return;
    std::lock_guard lock(mutex_);
    if (failed_) return;
    message_ = status->ToString();
    failed_ = true;
  }

  // RocksDB may mend itself once there is space again, and would then go on. The engine does not:
  // which commits of that time are whole is found out by opening it again.
  Status Check() const {
    if (!failed_.load(std::memory_order_relaxed)) return {};
    std::lock_guard lock(mutex_);
    return Fail(ErrorCode::closed,
                "the engine takes no commits since RocksDB failed to write; open it again (" +
                    message_ + ")");
  }

 private:
  std::atomic<bool> failed_ = false;
  mutable std::mutex mutex_;
  std::string message_;
};

}  // namespace talea
