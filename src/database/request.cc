#include "database/request.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <random>

#include "coordination/keys.h"
#include "coordination/times.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

constexpr std::chrono::days kLongestLife{366};

std::uint64_t RandomNumber() {
  std::random_device random;
  return (std::uint64_t{random()} << 32) | random();
}

Result<RequestRow> Decode(ByteView value) {
  TupleReader reader(value);
  RequestRow row;
  row.expires = Timestamp(std::chrono::microseconds(TALEA_TRY(reader.Int())));
  row.fingerprint = TALEA_TRY(reader.Uint());
  row.call = TALEA_TRY(reader.Uint());
  row.answer = TALEA_TRY(reader.Bytes());
  TALEA_TRY(reader.Finish());
  return row;
}

}  // namespace

std::string Encode(const RequestRow& row) {
  std::string value;
  TuplePacker(value)
      .Int(row.expires.time_since_epoch().count())
      .Int(row.fingerprint)
      .Int(row.call)
      .Bytes(row.answer);
  return value;
}

Result<RequestRow> DecodeRequestRow(ByteView key, ByteView value) {
  Result<RequestRow> row = Decode(value);
  if (row) return row;
  return Fail(
      ErrorCode::corruption,
      fmt::format("request {}: expected when it expires, two numbers and an answer, found {}: {}",
                  Quoted(key), Quoted(value), row.error().message()));
}

Status Check(const RequestKey& request) {
  if (request.key.empty() || request.key.size() > kLongestRequestKey) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("request {}: expected a key of 1 to {} bytes, found {}",
                            Quoted(request.key), kLongestRequestKey, request.key.size()));
  }
  if (request.time_to_live.count() > 0 && request.time_to_live <= kLongestLife) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("request {}: expected a time to live of more than 0 and at most {} days, found "
                  "{} microseconds",
                  Quoted(request.key), kLongestLife.count(), request.time_to_live.count()));
}

RequestCall::RequestCall(const Engine& engine, const Clock& clock, const RequestKey& request,
                         const Body& body)
    : clock_(clock),
      request_(request),
      body_(body),
      finds_out_(engine.limits().outlives_unknown_outcomes),
      most_bytes_(engine.limits().value_bytes),
      row_key_(RequestKeyOf(request.key)),
      fingerprint_(XXH3_64bits(request.fingerprint.data(), request.fingerprint.size())),
      call_(RandomNumber()) {}

Result<std::optional<RequestRow>> RequestCall::Read(Transaction& transaction) {
  stored_ = TALEA_TRY(transaction.Get(kTaleaKeyspace, row_key_));
  if (!stored_) return std::nullopt;
  return TALEA_TRY(DecodeRequestRow(request_.key, *stored_));
}

Status RequestCall::CheckFingerprint(const RequestRow& row) const {
  if (row.fingerprint == fingerprint_) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("request {}: expected the fingerprint of what was carried out under this key, "
                  "found another, {}",
                  Quoted(request_.key), Quoted(request_.fingerprint)));
}

Status RequestCall::Run(Transaction& transaction, Timestamp now) {
  const std::optional<RequestRow> row = TALEA_TRY(Read(transaction));
  if (row && row->expires > now) {
    TALEA_TRY(CheckFingerprint(*row));
    answer_ = {.answer = row->answer, .replayed = true};
    return {};
  }
  expired_ = row ? std::optional(row->expires) : std::nullopt;
  expires_ = TALEA_TRY(Later(now, request_.time_to_live));
  answer_ = {.answer = TALEA_TRY(body_(transaction, now)), .replayed = false };
  return {};
}

Result<std::optional<WriteBatch>> RequestCall::Mark(Transaction&, std::size_t) {
  WriteBatch mark;
  if (answer_.replayed) return mark;
  const std::string value = Encode(RequestRow{expires_, fingerprint_, call_, answer_.answer});
  if (value.size() > most_bytes_) {
    return Fail(
        ErrorCode::too_large,
        fmt::format("request {}: expected an answer that takes at most {} bytes, with what is "
                    "stored beside it, found {}",
                    Quoted(request_.key), most_bytes_, value.size()));
  }
  if (expired_) mark.Erase(kTaleaKeyspace, RequestExpiryKey(*expired_, request_.key));
  mark.Put(kTaleaKeyspace, row_key_, value);
  mark.Put(kTaleaKeyspace, RequestExpiryKey(expires_, request_.key), "");
  return mark;
}

// The answer is in the row, so it does not matter which attempt it was. A row that is not there
// tells something only while nobody can have collected it: one half of the grace is for this call,
// the other for clocks that differ.
Result<std::optional<std::size_t>> RequestCall::FindOut(Transaction& transaction) {
  const std::optional<RequestRow> row = TALEA_TRY(Read(transaction));
  if (row && row->call == call_) {
    answer_ = {.answer = row->answer, .replayed = false};
    return 0;
  }
  if (clock_.Now() < After(expires_, std::chrono::minutes(kRequestGrace) / 2)) return std::nullopt;
  return Fail(ErrorCode::outcome_unknown,
              fmt::format("request {}: whether it was carried out cannot be found out: it has "
                          "expired, and may have been collected",
                          Quoted(request_.key)));
}

// Writes what is there once more.
WriteBatch RequestCall::Fence() {
  WriteBatch fence;
  if (stored_) {
    fence.Put(kTaleaKeyspace, row_key_, *stored_);
  } else {
    fence.Erase(kTaleaKeyspace, row_key_);
  }
  return fence;
}

// Who carries out a request anew erases the row that is recorded here, so one of the two conflicts.
Result<std::uint64_t> CollectRequests(Transaction& transaction, Timestamp now, std::uint64_t most) {
  const KeyRange expired = KeysInsidePacked(PackedPrefix(TaleaPrefix::request_expiry))
                               .EndingAt(RequestExpiryKey(Before(now, kRequestGrace), ""));
  Scanner rows(transaction.unrecorded(), kTaleaKeyspace, expired, {.row_limit = most});
  std::uint64_t collected = 0;
  while (collected < most) {
    const std::optional<Row> row = TALEA_TRY(rows.Next());
    if (!row) break;
    TupleReader key(row->key);
    TALEA_TRY(key.Skip());
    TALEA_TRY(key.Int());
    const ByteView request = TALEA_TRY(key.Bytes());
    transaction.Record(kTaleaKeyspace, row->key);
    transaction.Erase(kTaleaKeyspace, row->key);
    transaction.Erase(kTaleaKeyspace, RequestKeyOf(request));
    ++collected;
  }
  return collected;
}

}  // namespace talea
