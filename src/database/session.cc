#include "database/session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/check.h"
#include "coordination/keys.h"
#include "coordination/times.h"
#include "keyspace/random_uuid.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {

std::uint64_t Session::TakeSlot() {
  std::lock_guard lock(mutex_);
  if (free_.empty()) return slots_++;
  const std::uint64_t slot = free_.back();
  free_.pop_back();
  return slot;
}

void Session::GiveBack(std::uint64_t slot) {
  std::lock_guard lock(mutex_);
  free_.push_back(slot);
}

bool Session::idle() {
  std::lock_guard lock(mutex_);
  return free_.size() == slots_;
}

std::shared_ptr<Session> Sessions::current() const {
  std::lock_guard lock(mutex_);
  return current_;
}

// A begin of unknown outcome is given up for another with a new identity, so nobody relies on it.
Status Sessions::Begin(Timestamp now) {
  std::lock_guard beginning(beginning_);
  if (current()) return {};
  auto session = std::make_shared<Session>(RandomUuid());
  WriteBatch batch;
  batch.Put(kTaleaKeyspace, SessionKey(session->id()), EncodeTime(After(now, kSessionDuration)));
  batch.Put(kTaleaKeyspace, SessionMarkKey(session->id()), "");
  const Result<Version> begun = engine_.Commit({.batch = std::move(batch)});
  if (!begun && begun.error().code() == ErrorCode::outcome_unknown) {
    return Fail(ErrorCode::unavailable,
                "session: whether it began is unknown: " + begun.error().message());
  }
  TALEA_TRY(begun);
  std::lock_guard lock(mutex_);
  current_ = std::move(session);
  due_ = After(now, kSessionDuration / 2);
  return {};
}

void Sessions::RenewIfDue(Timestamp now) {
  std::unique_lock renewing(renewing_, std::try_to_lock);
  if (!renewing) return;
  std::shared_ptr<Session> session;
  {
    std::lock_guard lock(mutex_);
    if (!current_ || now < due_) return;
    session = current_;
  }
  const Status renewed = Renew(*session, now);
  if (!renewed && renewed.error().code() == ErrorCode::not_found) return Forget(session);
  std::lock_guard lock(mutex_);
  if (renewed && current_ == session) due_ = After(now, kSessionDuration / 2);
}

// Both rows are recorded: a renewal that comes late can neither bring back a session that was
// collected nor undo a later renewal.
Status Sessions::Renew(Session& session, Timestamp now) {
  Transaction transaction(engine_);
  const std::string expiry = SessionKey(session.id());
  const std::string mark = SessionMarkKey(session.id());
  const std::array keys{KeyReference(kTaleaKeyspace, expiry), KeyReference(kTaleaKeyspace, mark)};
  const auto rows = TALEA_TRY(transaction.MultiGet(keys));
  if (!rows[0] || !rows[1]) return Fail(ErrorCode::not_found, "session: it was collected");
  transaction.Put(kTaleaKeyspace, expiry, EncodeTime(After(now, kSessionDuration)));
  TALEA_TRY(transaction.Commit());
  return {};
}

void Sessions::Forget(const std::shared_ptr<Session>& session) {
  {
    std::lock_guard lock(mutex_);
    if (current_ != session) return;
    current_.reset();
  }
  Erase(*session);  // what it may have written to slots since it was collected
}

void Sessions::EndIfIdle() {
  const std::shared_ptr<Session> session = current();
  if (session && session->idle()) Forget(session);
}

// If this fails, the session is collected one day.
void Sessions::Erase(const Session& session) {
  WriteBatch batch;
  batch.Erase(kTaleaKeyspace, SessionKey(session.id()));
  batch.EraseRange(kTaleaKeyspace, KeyRange::Prefix(SessionMarkKey(session.id())));
  (void)engine_.Commit({.batch = std::move(batch)});
}

SlotGuard::SlotGuard(Sessions& sessions, Timestamp now) : sessions_(sessions), now_(now) {
  TakeSlot();
}

void SlotGuard::TakeSlot() {
  GiveBack();
  session_ = sessions_.current();
  if (session_) slot_ = session_->TakeSlot();
}

void SlotGuard::GiveBack() {
  if (session_) session_->GiveBack(slot_);
  session_.reset();
}

Result<std::optional<WriteBatch>> SlotGuard::Mark(Transaction& transaction, std::size_t place) {
  if (!transaction.has_writes()) return WriteBatch();
  // While nothing is undecided any session will do; afterwards only the one that was used.
  if (place == 0 && (!session_ || session_ != sessions_.current())) {
    TALEA_TRY(sessions_.Begin(now_));
    TakeSlot();
    return std::nullopt;
  }
  TALEA_CHECK(session_ != nullptr);
  const std::string key = SessionSlotKey(session_->id(), slot_);
  transaction.Record(kTaleaKeyspace, SessionMarkKey(session_->id()));
  transaction.Record(kTaleaKeyspace, key);
  numbers_.resize(place + 1);
  numbers_[place] = session_->NextNumber();
  std::string number;
  TuplePacker(number).Int(numbers_[place]);
  WriteBatch mark;
  mark.Put(kTaleaKeyspace, key, number);
  return mark;
}

Result<std::optional<std::size_t>> SlotGuard::FindOut(Transaction& transaction) {
  const std::string mark = SessionMarkKey(session_->id());
  const std::string slot = SessionSlotKey(session_->id(), slot_);
  const std::array keys{KeyReference(kTaleaKeyspace, mark), KeyReference(kTaleaKeyspace, slot)};
  const auto rows = TALEA_TRY(transaction.MultiGet(keys));
  if (!rows[0]) {
    sessions_.Forget(session_);
    return Fail(
        ErrorCode::outcome_unknown,
        fmt::format("transaction: whether it was committed cannot be found out: session {} was "
                    "collected meanwhile",
                    session_->id().ToString()));
  }
  if (!rows[1]) return std::nullopt;
  TupleReader reader(*rows[1]);
  const std::uint64_t number = TALEA_TRY(reader.Uint());
  const auto found = std::ranges::find(numbers_, number);
  if (found == numbers_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - numbers_.begin());
}

WriteBatch SlotGuard::Fence() {
  WriteBatch fence;
  fence.Erase(kTaleaKeyspace, SessionSlotKey(session_->id(), slot_));
  return fence;
}

// A renewal writes the row that is recorded here, so one of the two conflicts.
Result<std::uint64_t> CollectSessions(Transaction& transaction, Timestamp now,
                                      const std::optional<Uuid>& own, std::uint64_t most) {
  Scanner rows(transaction.unrecorded(), kTaleaKeyspace,
               KeysInsidePacked(PackedPrefix(TaleaPrefix::session)));
  std::uint64_t collected = 0;
  while (collected < most) {
    const std::optional<Row> row = TALEA_TRY(rows.Next());
    if (!row) break;
    TupleReader key(row->key);
    TALEA_TRY(key.Skip());
    const Uuid id = TALEA_TRY(key.Uuid());
    const Timestamp expires = TALEA_TRY(DecodeTime("session " + id.ToString(), row->value));
    if (id == own || expires >= Before(now, kSessionGrace)) continue;
    transaction.Record(kTaleaKeyspace, row->key);
    transaction.Erase(kTaleaKeyspace, row->key);
    transaction.EraseRange(kTaleaKeyspace, KeyRange::Prefix(SessionMarkKey(id)));
    ++collected;
  }
  return collected;
}

}  // namespace talea
