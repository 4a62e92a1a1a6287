// The engine of one tenant: another engine's, with every key behind the tenant's prefix.
//
// That an erased tenant stays erased is kept in two ways, as neither fits all:
// - A snapshot reads the tenant's row. A commit that has read anything since then conflicts with
// the
//   erasure, wherever that comes from, as it writes every key that the tenant can have read.
// - A blind commit has no snapshot and must not conflict. Within the process a lock keeps it apart
//   from the erasure, and a flag from what comes after; where an engine is embedded, nobody else
//   can erase. On an engine that other processes share it also expects the row's value. It does so
//   there alone because an embedded engine reads for an expectation in the one thread that leads
//   its commits, and begins a group with it: every synced commit would have its own sync.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>

#include "coordination/tenant_keys.h"
#include "talea/engine.h"

namespace talea {

// A std::shared_mutex may let those who share it in for ever, and never who wants it alone: here
// nobody enters once somebody waits for it alone.
class FairSharedMutex {
 public:
  void lock() {
    entrance_.lock();
    mutex_.lock();
  }
  void unlock() {
    mutex_.unlock();
    entrance_.unlock();
  }
  void lock_shared() {
    const std::lock_guard entrance(entrance_);
    mutex_.lock_shared();
  }
  void unlock_shared() { mutex_.unlock_shared(); }

 private:
  std::mutex entrance_;
  std::shared_mutex mutex_;
};

// What all engines of one tenant on one host share in this process.
struct OpenTenant {
  OpenTenant(std::string its_name, std::string its_row_key, std::uint64_t its_number)
      : name(std::move(its_name)),
        row_key(std::move(its_row_key)),
        number(its_number),
        prefix(its_number) {}

  const std::string name;
  const std::string row_key;
  const std::uint64_t number;
  const TenantPrefix prefix;

  FairSharedMutex mutex;             // shared by commits, taken alone by the erasure
  std::atomic<bool> erased = false;  // known to be

  // By this process, since the tenant was opened.
  std::atomic<std::uint64_t> commits = 0;
  std::atomic<std::uint64_t> conflicts = 0;
  std::atomic<std::uint64_t> open_snapshots = 0;
};

// `keeper` is held for as long as the engine lives, and keeps the host.
std::unique_ptr<Engine> MakeTenantEngine(Engine& host, std::shared_ptr<OpenTenant> tenant,
                                         std::shared_ptr<void> keeper);

// The host's limits, less what the prefix takes.
Limits TenantLimits(const Limits& host, const TenantPrefix& prefix);

}  // namespace talea
