// Requests that are carried out once: the rows that remember them, and the guard of one call.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "database/outcome_guard.h"
#include "talea/database.h"

namespace talea {

// How long an expired request is kept, so that a call under way never loses sight of its own.
inline constexpr std::chrono::hours kRequestGrace{1};

inline constexpr std::size_t kLongestRequestKey = 255;

// A request that was carried out.
struct RequestRow {
  Timestamp expires;
  std::uint64_t fingerprint = 0;  // a hash
  std::uint64_t call = 0;         // which call did it: drawn at random for each
  std::string answer;
  friend bool operator==(const RequestRow&, const RequestRow&) = default;
};

std::string Encode(const RequestRow& row);
Result<RequestRow> DecodeRequestRow(ByteView key, ByteView value);

// Fails with invalid_argument unless key and time to live are within their bounds.
Status Check(const RequestKey& request);

// One call of TransactOnce. The row of the request is both its memory and its mark: every attempt
// reads it first, recorded, and writes it; and it names the call, so an attempt of unknown outcome
// is found out without a session. It is written beside, so an undo of what the body did keeps it.
class RequestCall final : public OutcomeGuard {
 public:
  using Body = std::function<Result<std::string>(Transaction&, Timestamp now)>;

  RequestCall(const Engine& engine, const Clock& clock, const RequestKey& request,
              const Body& body);

  // Runs the body, unless the request was carried out already.
  Status Run(Transaction& transaction, Timestamp now);

  // Of the attempt that was committed.
  RequestAnswer TakeAnswer() { return std::move(answer_); }

  bool FindsOut() const override { return finds_out_; }
  Result<std::optional<WriteBatch>> Mark(Transaction& transaction, std::size_t place) override;
  Result<std::optional<std::size_t>> FindOut(Transaction& transaction) override;
  WriteBatch Fence() override;

 private:
  Result<std::optional<RequestRow>> Read(Transaction& transaction);
  Status CheckFingerprint(const RequestRow& row) const;

  const Clock& clock_;
  const RequestKey& request_;
  const Body& body_;
  const bool finds_out_;
  const std::size_t most_bytes_;  // of a value
  const std::string row_key_;
  const std::uint64_t fingerprint_;
  const std::uint64_t call_;
  std::optional<std::string> stored_;  // the row as it was read last
  std::optional<Timestamp> expired_;   // when the row expired that is to be replaced
  Timestamp expires_{};
  RequestAnswer answer_;
};

// Erases requests that expired before `now` by more than the grace; at most `most`. Returns how
// many.
Result<std::uint64_t> CollectRequests(Transaction& transaction, Timestamp now, std::uint64_t most);

}  // namespace talea
