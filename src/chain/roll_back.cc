// Going back: by taking steps back for good, or by looking at what was.
#include <fmt/format.h>

#include <algorithm>

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staged_step.h"
#include "chain/standing.h"
#include "coordination/attempts.h"
#include "coordination/keys.h"
#include "engine/undo.h"
#include "talea/chain.h"

namespace talea {

using namespace chain;

namespace {

// Whether a row belongs to the ledger, and not to another layer that took part in a step.
bool OfLedger(const WriteBatch::Operation& operation) {
  if (operation.keyspace == kTaleaKeyspace.id) {
    return operation.key == ProgressKey(LedgerProgress().source());
  }
  return operation.keyspace >= kStateCursorKeyspace.id &&
         operation.keyspace <= kChainStagingKeyspace.id;
}

// Undoes a step in a transaction that is never committed, for the ledger's rows alone.
Status LookBack(Transaction& transaction, std::uint64_t step) {
  const UndoRecord record =
      TALEA_TRY(ReadUndo(transaction.unrecorded(), kUndoKeyspace, StepUndoKey(step)));
  const KeyspaceSet& keyspaces = transaction.engine().keyspaces();
  WriteBatch restore;
  for (const WriteBatch::Operation& operation : record.restore) {
    if (!OfLedger(operation)) continue;
    const Keyspace& keyspace = *keyspaces.Find(operation.keyspace);
    restore.Append(keyspace, operation);
  }
  transaction.Apply(restore);
  return {};
}

}  // namespace

Result<ChainView> ChainStore::OpenAt(const Cursor& point) const {
  return TryUntilDecided([&]() -> Result<ChainView> {
    const auto transaction = std::make_shared<Transaction>(*engine_);
    const Standing standing = TALEA_TRY(ReadSettled(*transaction));
    Reader& reader = transaction->unrecorded();
    const std::uint64_t target = TALEA_TRY(FindStepOf(reader, standing, point));
    for (std::uint64_t step = standing.step; step > target; --step) {
      TALEA_TRY(LookBack(*transaction, step));
    }
    return ChainView::Over(std::shared_ptr<Reader>(transaction, &reader));
  });
}

Result<Cursor> ChainStore::StepBack(Transaction& transaction) {
  TALEA_TRY(MakeWay(transaction.engine(), TALEA_TRY(ReadSettled(transaction))));
  TALEA_TRY(LedgerProgress().StepBack(transaction));
  const auto row = TALEA_TRY(transaction.Get(kStateCursorKeyspace, kCursorKey));
  if (!row) return Cursor();
  return Cursor(TALEA_TRY(DecodePoint(*row)));
}

Result<std::uint64_t> ChainStore::TakeBackOne(std::uint64_t target) {
  std::optional<std::uint64_t> unknown;  // a step that an attempt may have taken back
  const auto take_back = [&]() -> Result<std::uint64_t> {
    Transaction transaction(*engine_);
    const Standing standing = TALEA_TRY(ReadSettled(transaction));
    if (standing.step == target) return target;
    if (standing.step < target) {
      return Fail(
          ErrorCode::precondition_failed,
          fmt::format("ledger: somebody else has taken it back, to {}", Describe(standing.cursor)));
    }
    if (unknown && standing.step < *unknown) return standing.step;  // it has
    TALEA_TRY(MakeWay(*engine_, standing));
    TALEA_TRY(LedgerProgress().StepBack(transaction));
    const Result<Version> committed = transaction.Commit(options_.durability);
    Status taken = committed ? Status() : std::unexpected(committed.error());
    if (!taken && taken.error().code() == ErrorCode::too_large) {
      taken = StepBackStaged(*engine_, options_, standing);
    }
    if (!taken && taken.error().code() == ErrorCode::outcome_unknown) unknown = standing.step;
    if (!taken) return std::unexpected(taken.error());
    return standing.step - 1;
  };
  return TryUntilDecided(take_back);
}

Result<std::uint64_t> ChainStore::RollBack(const Cursor& point) {
  const auto [from, target] =
      TALEA_TRY(TryUntilDecided([&]() -> Result<std::pair<std::uint64_t, std::uint64_t>> {
        Transaction transaction(*engine_);  // is never committed
        const Standing standing = TALEA_TRY(ReadSettled(transaction));
        return std::pair(standing.step, TALEA_TRY(FindStepOf(transaction, standing, point)));
      }));
  while (TALEA_TRY(TakeBackOne(target)) > target) {
  }
  return from - target;
}

Result<std::uint64_t> ChainStore::CountStepsSince(const Cursor& point) const {
  const ChainView view = TALEA_TRY(Open());
  const Standing standing = TALEA_TRY(ReadStanding(view.reader()));
  return standing.step - TALEA_TRY(FindStepOf(view.reader(), standing, point));
}

Result<std::uint64_t> ChainStore::RollBackBy(std::uint64_t steps, const RowProgress& progress) {
  const auto target = TALEA_TRY(TryUntilDecided([&]() -> Result<std::uint64_t> {
    Transaction transaction(*engine_);  // is never committed
    const Standing standing = TALEA_TRY(ReadSettled(transaction));
    const auto oldest = TALEA_TRY(FindOldestStep(transaction, standing));
    const std::uint64_t most = oldest ? standing.step - oldest->step + 1 : 0;
    if (steps <= most) return standing.step - steps;
    return Fail(ErrorCode::not_found,
                fmt::format("ledger: expected at most {} steps, as many as can be taken back, "
                            "found {}",
                            most, steps));
  }));
  std::uint64_t taken = 0;  // may be more, if somebody else makes steps meanwhile
  for (std::uint64_t at = target + steps; at != target; ++taken) {
    if (progress && !progress(std::min(taken, steps), steps)) return taken;
    at = TALEA_TRY(TakeBackOne(target));
  }
  if (progress) progress(steps, steps);
  return taken;
}

}  // namespace talea
