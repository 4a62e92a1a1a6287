// Leases: who may write, until when, and a token that fences off whoever no longer may.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "talea/reader.h"
#include "talea/result.h"
#include "talea/time.h"
#include "talea/transaction.h"

namespace talea {

// The right to be the only writer of something, for some time.
//
// The clock decides only when another may take the lease. That nobody writes without it is decided
// by the token, which every commit of the holder reads (CheckLease): once another has taken the
// lease the token is another one, and the old holder's commits fail, however wrong its clock is and
// however long it has slept.
//
// Each call is one round trip, beside that of the snapshot. Those that change a lease refuse a
// transaction that keeps undo, since taking it back would bring an old token back.
struct Lease {
  std::string name;
  std::string owner;  // for people: a host and a process, 1 to 255 bytes of UTF-8, as the name
  std::uint64_t token = 0;  // grows each time that the lease is taken
  Timestamp expires;
  friend bool operator==(const Lease&, const Lease&) = default;
};

// Takes a lease that is free or expired. While somebody has it, whoever that is, it fails with
// precondition_failed, naming the owner and the time until when.
Result<Lease> AcquireLease(Transaction& transaction, std::string_view name, std::string_view owner,
                           std::chrono::microseconds duration, Timestamp now);

// Makes it last until `now + duration`, and never shorter than it would have. Commits of the holder
// that are under way do not conflict with it. Fails with precondition_failed if the lease has been
// taken by another or released; one that is expired, and still has its token, can be renewed.
Result<Lease> RenewLease(Transaction& transaction, const Lease& lease,
                         std::chrono::microseconds duration, Timestamp now);

// Makes the transaction one of the holder's: it fails with precondition_failed if the lease has
// been taken by another or released by now, and with a conflict if it is by the time of the commit.
Status CheckLease(Transaction& transaction, const Lease& lease);

// Gives it up; the next may take it at once. Fails like CheckLease.
Status ReleaseLease(Transaction& transaction, const Lease& lease);

// Who has it, or had it last and has not released it; look at `expires`.
Result<std::optional<Lease>> ReadLease(Reader& reader, std::string_view name);

}  // namespace talea
