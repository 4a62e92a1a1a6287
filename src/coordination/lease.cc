#include "talea/lease.h"

#include <fmt/format.h>

#include <array>

#include "coordination/keys.h"
#include "coordination/lease_row.h"
#include "coordination/times.h"

namespace talea {
namespace {

constexpr std::string_view kWhat = "lease";

// Two rows for each lease, so that a renewal does not write what the holder's commits have read.
struct Stored : LeaseRow {  // token 0: it was never taken
  Timestamp expires{};      // of an owner
};

std::unexpected<Error> Refuse(ErrorCode code, std::string_view name, std::string what) {
  return Fail(code, fmt::format("{} {}: {}", kWhat, Quoted(name), what));
}

// Who holds it; a token alone, as no renewal changes it.
Result<LeaseRow> ReadHolder(Reader& reader, std::string_view name) {
  const std::optional<std::string> value = TALEA_TRY(reader.Get(kTaleaKeyspace, LeaseKey(name)));
  if (!value) return LeaseRow{};
  return DecodeLeaseRow(name, *value);
}

// Who holds it and until when, in one round trip.
Result<Stored> ReadAll(Reader& reader, std::string_view name) {
  const std::string key = LeaseKey(name);
  const std::string expiry_key = LeaseExpiryKey(name);
  const std::array keys{KeyReference(kTaleaKeyspace, key),
                        KeyReference(kTaleaKeyspace, expiry_key)};
  const auto rows = TALEA_TRY(reader.MultiGet(keys));
  if (!rows[0]) return Stored{};
  Stored stored { TALEA_TRY(DecodeLeaseRow(name, *rows[0])) };
  if (!stored.owner) return stored;
  if (!rows[1])
    return Refuse(ErrorCode::corruption, name, "expected the time it expires, found none");
  stored.expires = TALEA_TRY(DecodeTime(fmt::format("{} {}", kWhat, Quoted(name)), *rows[1]));
  return stored;
}

Status CheckHolder(const LeaseRow& stored, const Lease& lease) {
  if (stored.owner && stored.token == lease.token) return {};
  const std::string found = stored.owner ? "held by " + Quoted(*stored.owner) : "free";
  return Refuse(
      ErrorCode::precondition_failed, lease.name,
      fmt::format("expected it to be held by {} with token {}, found it {} after token {}",
                  Quoted(lease.owner), lease.token, found, stored.token));
}

// Undo would bring an old token back.
Status CheckKeepsNoUndo(const Transaction& transaction, std::string_view name) {
  if (!transaction.keeps_undo()) return {};
  return Refuse(ErrorCode::invalid_argument, name,
                "expected a transaction that keeps no undo record, found one that does");
}

void Put(Transaction& transaction, const Lease& lease) {
  transaction.Put(kTaleaKeyspace, LeaseKey(lease.name), Encode(LeaseRow{lease.token, lease.owner}));
  transaction.Put(kTaleaKeyspace, LeaseExpiryKey(lease.name), EncodeTime(lease.expires));
}

}  // namespace

Result<Lease> AcquireLease(Transaction& transaction, std::string_view name, std::string_view owner,
                           std::chrono::microseconds duration, Timestamp now) {
  TALEA_TRY(CheckName(kWhat, name));
  TALEA_TRY(CheckName("lease owner", owner));
  TALEA_TRY(CheckKeepsNoUndo(transaction, name));
  const Timestamp expires = TALEA_TRY(Later(now, duration));
  const Stored stored = TALEA_TRY(ReadAll(transaction, name));
  if (stored.owner && stored.expires > now) {
    return Refuse(ErrorCode::precondition_failed, name,
                  fmt::format("expected it to be free or expired, found it held by {} until {}",
                              Quoted(*stored.owner), Describe(stored.expires)));
  }
  Lease lease{std::string(name), std::string(owner), stored.token + 1, expires};
  Put(transaction, lease);
  return lease;
}

Result<Lease> RenewLease(Transaction& transaction, const Lease& lease,
                         std::chrono::microseconds duration, Timestamp now) {
  TALEA_TRY(CheckName(kWhat, lease.name));
  TALEA_TRY(CheckKeepsNoUndo(transaction, lease.name));
  const Timestamp expires = TALEA_TRY(Later(now, duration));
  const Stored stored = TALEA_TRY(ReadAll(transaction, lease.name));
  TALEA_TRY(CheckHolder(stored, lease));
  Lease renewed = lease;
  renewed.expires = std::max(stored.expires, expires);
  transaction.Put(kTaleaKeyspace, LeaseExpiryKey(lease.name), EncodeTime(renewed.expires));
  return renewed;
}

Status CheckLease(Transaction& transaction, const Lease& lease) {
  TALEA_TRY(CheckName(kWhat, lease.name));
  return CheckHolder(TALEA_TRY(ReadHolder(transaction, lease.name)), lease);
}

Status ReleaseLease(Transaction& transaction, const Lease& lease) {
  TALEA_TRY(CheckKeepsNoUndo(transaction, lease.name));
  TALEA_TRY(CheckLease(transaction, lease));
  transaction.Put(kTaleaKeyspace, LeaseKey(lease.name),
                  Encode(LeaseRow{lease.token, std::nullopt}));
  transaction.Erase(kTaleaKeyspace, LeaseExpiryKey(lease.name));
  return {};
}

Result<std::optional<Lease>> ReadLease(Reader& reader, std::string_view name) {
  TALEA_TRY(CheckName(kWhat, name));
  Stored stored = TALEA_TRY(ReadAll(reader, name));
  if (!stored.owner) return std::nullopt;
  return Lease{std::string(name), std::move(*stored.owner), stored.token, stored.expires};
}

}  // namespace talea
