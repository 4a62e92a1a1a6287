// Sessions: how a database finds out whether a commit happened that the engine lost sight of.
//
// A session is a few rows of its own in the database: a mark that it exists, and slots. Every
// commit takes a slot for itself, writes a number there that was never used before, and records
// both rows as read. After an unknown outcome the slot tells: the number is there, or it is not,
// and then the next attempt overwrites the slot, so that the lost commit conflicts if it still
// comes.
//
// - No two calls use a slot at once, so they never conflict over it.
// - A slot that was given back with an attempt still under way is as good as any other: the next
//   number written there, or the attempt itself, makes the other conflict, and numbers differ.
// - A session that has not been renewed for long is collected (CollectSessions). That erases the
// mark
//   as well, so commits that are under way conflict; and who finds no mark can tell nothing, and
//   says so. The clock decides only when, and never about the answer.
// - An identity is never used for a second session.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "database/outcome_guard.h"
#include "talea/engine.h"
#include "talea/time.h"
#include "talea/uuid.h"

namespace talea {

inline constexpr std::chrono::minutes kSessionDuration{60};  // renewed from the middle on
inline constexpr std::chrono::minutes kSessionGrace{60};     // before an expired one is collected

// A session that the engine is known to hold, unless it was collected.
class Session {
 public:
  explicit Session(const Uuid& id) : id_(id) {}

  const Uuid& id() const { return id_; }

  // A slot for one call alone, until it is given back. There are as many as there are calls at
  // once.
  std::uint64_t TakeSlot();
  void GiveBack(std::uint64_t slot);
  bool idle();  // no slot is taken

  std::uint64_t NextNumber() { return ++number_; }

 private:
  const Uuid id_;
  std::atomic<std::uint64_t> number_ = 0;
  std::mutex mutex_;
  std::uint64_t slots_ = 0;
  std::vector<std::uint64_t> free_;
};

// The session of a database, which begins when it is first needed. For any thread.
class Sessions {
 public:
  explicit Sessions(Engine& engine) : engine_(engine) {}

  // Null if there is none.
  std::shared_ptr<Session> current() const;

  // Begins one if there is none: one round trip.
  Status Begin(Timestamp now);

  // Renews it where half of its time is over, in one of the threads that ask. If that fails the
  // next call tries again.
  void RenewIfDue(Timestamp now);

  // Forgets a session of which the mark is gone, so that the next who needs one begins a new one.
  void Forget(const std::shared_ptr<Session>& session);

  // Erases the session, if there is one and no call uses it.
  void EndIfIdle();

 private:
  Status Renew(Session& session, Timestamp now);
  void Erase(const Session& session);

  Engine& engine_;
  std::mutex beginning_;
  std::mutex renewing_;
  mutable std::mutex mutex_;
  std::shared_ptr<Session> current_;
  Timestamp due_{};  // when it is to be renewed
};

// The guard of a call by a slot of the session, which it takes before the snapshot of any attempt:
// who had the slot before has finished by then, and so is no conflict.
class SlotGuard final : public OutcomeGuard {
 public:
  SlotGuard(Sessions& sessions, Timestamp now);
  ~SlotGuard() override { GiveBack(); }
  SlotGuard(const SlotGuard&) = delete;
  SlotGuard& operator=(const SlotGuard&) = delete;

  bool FindsOut() const override { return true; }
  Result<std::optional<WriteBatch>> Mark(Transaction& transaction, std::size_t place) override;
  Result<std::optional<std::size_t>> FindOut(Transaction& transaction) override;
  WriteBatch Fence() override;

 private:
  void TakeSlot();
  void GiveBack();

  Sessions& sessions_;
  const Timestamp now_;
  std::shared_ptr<Session> session_;
  std::uint64_t slot_ = 0;              // if there is a session
  std::vector<std::uint64_t> numbers_;  // of the attempt at each place
};

// Erases sessions that expired before `now` by more than the grace, and is not `own`; at most
// `most`. Returns how many.
Result<std::uint64_t> CollectSessions(Transaction& transaction, Timestamp now,
                                      const std::optional<Uuid>& own, std::uint64_t most);

}  // namespace talea
