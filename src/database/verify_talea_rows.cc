#include "database/verify_talea_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "coordination/keys.h"
#include "coordination/lease_row.h"
#include "coordination/progress_row.h"
#include "coordination/times.h"
#include "database/copy_mark.h"
#include "database/request.h"
#include "talea/tuple.h"

namespace talea {
namespace {

std::unexpected<Error> Damaged(std::string_view kind, const std::string& complaint) {
  return Fail(ErrorCode::corruption, fmt::format("{}: {}", kind, complaint));
}

Status CheckNoBytes(std::string_view kind, ByteView value) {
  if (value.empty()) return {};
  return Damaged(kind, "expected a value of no bytes, found " + Quoted(value));
}

// What may be wrong with a row is the status of its check. Where that lies in another row, it is
// left to the check of that one.
class TaleaRows final : public RowCheck {
 public:
  explicit TaleaRows(const CheckedDatabase& database) : database_(database) {}

  void Check(const Row& row, Problems& problems) override {
    const Status status = CheckRow(row);
    if (status) return;
    problems.Note(database_.About(kTaleaKeyspace, row.key, status.error().message()));
  }

 private:
  struct Kind {
    TaleaPrefix prefix;
    std::string_view name;
    std::vector<ElementType> elements;  // of the key, after the prefix
    Status (TaleaRows::*check)(const Tuple& key, ByteView value) const;

    bool Has(const Tuple& key) const {
      return std::ranges::equal(std::span(key).subspan(1), elements, {}, &Element::type);
    }
  };
  static const std::vector<Kind>& Kinds();

  Status CheckRow(const Row& row) const;
  Status CheckSession(const Tuple& key, ByteView value) const;
  Status CheckSessionMark(const Tuple& key, ByteView value) const;
  Status CheckSessionSlot(const Tuple& key, ByteView value) const;
  Status CheckRequest(const Tuple& key, ByteView value) const;
  Status CheckRequestExpiry(const Tuple& key, ByteView value) const;
  Status CheckProgress(const Tuple& key, ByteView value) const;
  Status CheckLease(const Tuple& key, ByteView value) const;
  Status CheckLeaseExpiry(const Tuple& key, ByteView value) const;
  Status CheckCopyMark(const Tuple& key, ByteView value) const;

  Result<std::optional<std::string>> Find(ByteView key) const {
    return database_.Find(kTaleaKeyspace, key);
  }

  // That a row of this kind has the other one, without which it is never written.
  Status ExpectOther(std::string_view kind, std::string_view other, ByteView key) const {
    if (!database_.complete || TALEA_TRY(Find(key))) return {};
    return Damaged(kind, fmt::format("expected {} at key {}, found none", other, Quoted(key)));
  }

  const CheckedDatabase database_;
};

const std::vector<TaleaRows::Kind>& TaleaRows::Kinds() {
  using enum ElementType;
  static const std::vector<Kind> kinds{
      {TaleaPrefix::session, "session", {uuid}, &TaleaRows::CheckSession},
      {TaleaPrefix::session_slot, "mark of a session", {uuid}, &TaleaRows::CheckSessionMark},
      {TaleaPrefix::session_slot,
       "slot of a session",
       {uuid, integer},
       &TaleaRows::CheckSessionSlot},
      {TaleaPrefix::request, "request", {bytes}, &TaleaRows::CheckRequest},
      {TaleaPrefix::request_expiry,
       "expiry of a request",
       {integer, bytes},
       &TaleaRows::CheckRequestExpiry},
      {TaleaPrefix::progress, "progress", {text}, &TaleaRows::CheckProgress},
      {TaleaPrefix::lease, "lease", {text}, &TaleaRows::CheckLease},
      {TaleaPrefix::lease_expiry, "expiry of a lease", {text}, &TaleaRows::CheckLeaseExpiry},
      {TaleaPrefix::copy, "mark of a copy", {}, &TaleaRows::CheckCopyMark},
  };
  return kinds;
}

Status TaleaRows::CheckRow(const Row& row) const {
  const Tuple key = TALEA_TRY(Unpack(row.key));
  std::string_view nearest;
  for (const Kind& kind : Kinds()) {
    if (key.empty() || key[0] != Element(static_cast<int>(kind.prefix))) continue;
    if (kind.Has(key)) return (this->*kind.check)(key, row.value);
    nearest = kind.name;
  }
  if (!nearest.empty()) {
    return Damaged(nearest, "expected its key, found one with other elements: " + ToString(key));
  }
  return Fail(ErrorCode::corruption,
              "expected a row of a kind that Talea writes, found the key " + ToString(key));
}

Status TaleaRows::CheckSession(const Tuple& key, ByteView value) const {
  const Uuid id = TALEA_TRY(key[1].AsUuid());
  TALEA_TRY(DecodeTime("session " + id.ToString(), value));
  return ExpectOther("session", "its mark", SessionMarkKey(id));
}

Status TaleaRows::CheckSessionMark(const Tuple& key, ByteView value) const {
  TALEA_TRY(CheckNoBytes("mark of a session", value));
  return ExpectOther("mark of a session", "the session", SessionKey(TALEA_TRY(key[1].AsUuid())));
}

// A slot may outlive its session: a commit that began after that was collected writes one.
Status TaleaRows::CheckSessionSlot(const Tuple& key, ByteView value) const {
  const Result<Tuple> number = Unpack(value);
  if (number && number->size() == 1 && number->front().AsUint() && key[2].AsUint()) return {};
  return Damaged(
      "slot of a session",
      fmt::format("expected a slot from 0 on and one packed number, found slot {} and {}",
                  key[2].ToString(), Quoted(value)));
}

Status TaleaRows::CheckRequest(const Tuple& key, ByteView value) const {
  const ByteView request = TALEA_TRY(key[1].AsBytes());
  if (request.empty() || request.size() > kLongestRequestKey) {
    return Damaged("request", fmt::format("expected a key of 1 to {} bytes, found {}",
                                          kLongestRequestKey, request.size()));
  }
  const RequestRow row = TALEA_TRY(DecodeRequestRow(request, value));
  return ExpectOther("request", "its expiry", RequestExpiryKey(row.expires, request));
}

Status TaleaRows::CheckRequestExpiry(const Tuple& key, ByteView value) const {
  constexpr std::string_view kKind = "expiry of a request";
  TALEA_TRY(CheckNoBytes(kKind, value));
  const Result<std::int64_t> time = key[1].AsInt();
  if (!time) return Damaged(kKind, "expected a time, found " + key[1].ToString());
  const ByteView request = TALEA_TRY(key[2].AsBytes());
  const std::string request_key = RequestKeyOf(request);
  const auto stored = TALEA_TRY(Find(request_key));
  if (!stored) return ExpectOther(kKind, "the request", request_key);
  const Result<RequestRow> row = DecodeRequestRow(request, *stored);
  if (!row || row->expires.time_since_epoch().count() == *time) return {};
  return Damaged(
      kKind, fmt::format("expected request {} to expire at {}, found {}", Quoted(request), *time,
                         row->expires.time_since_epoch().count()));
}

Status TaleaRows::CheckProgress(const Tuple& key, ByteView value) const {
  const std::string_view source = TALEA_TRY(key[1].AsText());
  TALEA_TRY(CheckName("progress of source", source));
  TALEA_TRY(DecodeProgressRow(source, value));
  return {};
}

Status TaleaRows::CheckLease(const Tuple& key, ByteView value) const {
  const std::string_view name = TALEA_TRY(key[1].AsText());
  TALEA_TRY(CheckName("lease", name));
  const LeaseRow row = TALEA_TRY(DecodeLeaseRow(name, value));
  if (!row.owner) return {};
  TALEA_TRY(CheckName("lease owner", *row.owner));
  return ExpectOther("lease", "its expiry", LeaseExpiryKey(name));
}

Status TaleaRows::CheckLeaseExpiry(const Tuple& key, ByteView value) const {
  constexpr std::string_view kKind = "expiry of a lease";
  const std::string_view name = TALEA_TRY(key[1].AsText());
  TALEA_TRY(DecodeTime(kKind, value));
  const auto stored = TALEA_TRY(Find(LeaseKey(name)));
  if (!stored) return ExpectOther(kKind, "the lease", LeaseKey(name));
  const Result<LeaseRow> row = DecodeLeaseRow(name, *stored);
  if (!row || row->owner) return {};
  return Damaged(kKind,
                 fmt::format("expected lease {} to be held, found it released", Quoted(name)));
}

Status TaleaRows::CheckCopyMark(const Tuple&, ByteView value) const {
  const CopyMark mark = TALEA_TRY(DecodeCopyMark(value));
  return Damaged(
      "mark of a copy",
      fmt::format("expected a copy that is finished, found one that ended after {} rows: "
                  "copy again from the same source to go on, or erase it",
                  mark.rows));
}

}  // namespace

std::unique_ptr<RowCheck> MakeTaleaRowCheck(const CheckedDatabase& database) {
  return std::make_unique<TaleaRows>(database);
}

}  // namespace talea
