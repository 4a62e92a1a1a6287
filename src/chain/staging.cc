#include "chain/staging.h"

#include <fmt/format.h>

#include <algorithm>

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staging_commits.h"
#include "coordination/attempts.h"
#include "keyspace/random_uuid.h"

namespace talea::chain {
namespace {

Status BeginOnce(Engine& engine, const Uuid& batch, const Staging::Body& check) {
  Transaction transaction(engine);
  const std::optional<StagingHeader> found = TALEA_TRY(ReadHeader(transaction));
  if (found && found->in) {
    return Fail(
        ErrorCode::precondition_failed,
        fmt::format("staging: expected no batch that is in, found {}", found->batch.ToString()));
  }
  TALEA_TRY(check(transaction));
  transaction.EraseRange(kChainStagingKeyspace, KeyRange::All());
  transaction.Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{false, batch}));
  TALEA_TRY(transaction.Commit());
  return {};
}

// This batch, or whichever there is.
Status DropOnce(Engine& engine, const std::optional<Uuid>& batch) {
  Transaction transaction(engine);
  const std::optional<StagingHeader> found = TALEA_TRY(ReadHeader(transaction));
  if (!found || found->in || found->batch != batch.value_or(found->batch)) return {};
  transaction.EraseRange(kChainStagingKeyspace, KeyRange::All());
  transaction.Erase(kChainKeyspace, StagingHeaderKey());
  TALEA_TRY(transaction.Commit());
  return {};
}

}  // namespace

Result<StagingState> ReadStagingState(const std::optional<std::string>& header) {
  if (!header) return StagingState::none;
  const StagingHeader found = TALEA_TRY(DecodeStagingHeader(*header));
  return found.in ? StagingState::in : StagingState::being_written;
}

Status DropStaged(Engine& engine) {
  return TryUntilDecided([&] { return DropOnce(engine, std::nullopt); });
}

Result<Staging> Staging::Begin(Engine& engine, const Body& check) {
  const Uuid batch = RandomUuid();
  TALEA_TRY(TryUntilDecided([&] { return BeginOnce(engine, batch, check); }));
  return Staging(engine, batch);
}

Staging::~Staging() {
  if (open_) static_cast<void>(DropOnce(*engine_, batch_));
}

Status Staging::CheckHeader(const std::optional<std::string>& header) const {
  if (header == Encode(StagingHeader{false, batch_})) return {};
  return Fail(ErrorCode::precondition_failed,
              fmt::format("staging of batch {}: expected its header, found {}; somebody else has "
                          "committed to the ledger",
                          batch_.ToString(), header ? Quoted(*header) : "none"));
}

Status Staging::Add(const WriteBatch& writes) {
  TALEA_TRY(writes.status());
  for (const WriteBatch::Operation& write : writes) TALEA_TRY(CheckStageable(*engine_, write));
  WriteBatch::Iterator next = writes.begin();
  while (next != writes.end()) {
    next = TALEA_TRY(TryUntilDecided([&] { return AddSome(next, writes.end()); }));
  }
  return {};
}

// The same rows again, where an attempt's outcome is unknown. One that is applied later is no harm:
// it has read the header, so it conflicts with what becomes of the batch.
Result<WriteBatch::Iterator> Staging::AddSome(WriteBatch::Iterator next, WriteBatch::Iterator end) {
  Transaction transaction(*engine_);
  TALEA_TRY(CheckHeader(TALEA_TRY(transaction.Get(kChainKeyspace, StagingHeaderKey()))));
  const std::size_t most = MostBytesAtOnce(engine_->limits());
  StagedRow row = Stage(*next);
  do {
    transaction.Put(kChainStagingKeyspace, row.key, row.value);
    if (++next == end) break;
    row = Stage(*next);
  } while (transaction.size() + engine_->limits().write.Of(row.key.size(), row.value.size()) <=
           most);
  TALEA_TRY(transaction.Commit());
  return next;
}

Status Staging::Enter(const Body& body, Durability durability) {
  std::optional<std::string> found;                 // which batch was in last, at the last look
  std::optional<std::optional<std::string>> known;  // and before an attempt that is unknown
  Status entered = TryUntilDecided([&] {
    Status outcome = TryToEnter(body, durability, found);
    if (!outcome && outcome.error().code() == ErrorCode::outcome_unknown) known = found;
    return outcome;
  });
  if (entered) open_ = false;
  const bool overtaken = !entered && entered.error().code() == ErrorCode::precondition_failed;
  if (!overtaken || !known || *known == found) return entered;
  return Fail(ErrorCode::outcome_unknown,
              fmt::format("staging of batch {}: expected to find whether it is in, found that "
                          "another one was in since",
                          batch_.ToString()));
}

Status Staging::TryToEnter(const Body& body, Durability durability,
                           std::optional<std::string>& last_staged) {
  Transaction transaction(*engine_);
  const std::string header_key = StagingHeaderKey();
  const std::string last_key = LastStagedKey();
  const KeyReference keys[] = {{kChainKeyspace, header_key}, {kChainKeyspace, last_key}};
  std::vector<std::optional<std::string>> rows = TALEA_TRY(transaction.MultiGet(keys));
  const std::string in = Encode(StagingHeader{true, batch_});
  last_staged = std::move(rows[1]);
  if (last_staged == in) return {};  // by an earlier attempt; it may even be settled
  TALEA_TRY(CheckHeader(rows[0]));
  TALEA_TRY(body(transaction));
  transaction.Put(kChainKeyspace, header_key, in);
  transaction.Put(kChainKeyspace, last_key, in);
  TALEA_TRY(transaction.Commit(durability));
  return {};
}

}  // namespace talea::chain
