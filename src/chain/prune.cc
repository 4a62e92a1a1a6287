#include "chain/prune.h"

#include <algorithm>

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staged_step.h"
#include "chain/standing.h"
#include "coordination/attempts.h"

namespace talea::chain {
namespace {

// As many as a transaction takes, and not so many that it takes long. A step has two rows, with
// keys of at most about 100 bytes, that are read and erased.
std::size_t StepsAtOnce(const Limits& limits) {
  constexpr std::size_t kBytesOfAStep = 2048;
  return std::clamp<std::size_t>(limits.transaction_bytes / kBytesOfAStep, 1, 256);
}

struct PrunedStep {
  std::string key;
  std::uint64_t step = 0;
  std::string point;  // the key of the row of the point it led to
};

Result<std::vector<PrunedStep>> OldestSteps(Transaction& transaction, std::uint64_t last) {
  const std::size_t most = StepsAtOnce(transaction.engine().limits());
  const Page rows = TALEA_TRY(transaction.Range(
      kChainKeyspace, StepKeys().EndingAt(StepKey(last + 1)), {.row_limit = most}));
  std::vector<PrunedStep> steps;
  for (const Row row : rows) {
    const std::uint64_t step = TALEA_TRY(StepOfKey(row.key));
    const StepRow decoded = TALEA_TRY(DecodeStepRow(row.value));
    steps.push_back({std::string(row.key), step, PointKey(decoded.after)});
  }
  // A page may be empty and yet not be the last.
  if (steps.empty() && rows.more()) {
    return Fail(ErrorCode::unavailable, "ledger: its oldest steps could not be read");
  }
  return steps;
}

// A point that a later step led to as well is still known by that one.
Status ErasePoints(Transaction& transaction, const std::vector<PrunedStep>& steps) {
  std::vector<KeyReference> keys;
  for (const PrunedStep& step : steps) keys.emplace_back(kChainKeyspace, step.point);
  const std::vector<std::optional<std::string>> rows = TALEA_TRY(transaction.MultiGet(keys));
  for (std::size_t number = 0; number < steps.size(); ++number) {
    if (!rows[number] || TALEA_TRY(DecodeStep(*rows[number])) != steps[number].step) continue;
    transaction.Erase(kChainKeyspace, steps[number].point);
  }
  return {};
}

Result<std::uint64_t> PruneSome(Engine& engine, std::uint64_t keep) {
  Transaction transaction(engine);
  const Standing standing = TALEA_TRY(ReadSettled(transaction));
  if (standing.step <= keep) return 0;
  const std::vector<PrunedStep> steps = TALEA_TRY(OldestSteps(transaction, standing.step - keep));
  if (steps.empty()) return 0;
  TALEA_TRY(LedgerProgress().PruneUndo(transaction, EncodeStep(steps.back().step)));
  TALEA_TRY(ErasePoints(transaction, steps));
  for (const PrunedStep& step : steps) transaction.Erase(kChainKeyspace, step.key);
  TALEA_TRY(transaction.Commit());
  return steps.size();
}

}  // namespace

bool PruningIsDue(std::uint64_t first, std::uint64_t last, std::uint64_t window) {
  constexpr std::uint64_t kStepsBetween = 64;
  const std::uint64_t due = last - last % kStepsBetween;
  return due >= first && due > window;
}

void PruneIfDue(Engine& engine, std::uint64_t first, std::uint64_t last, std::uint64_t window) {
  if (PruningIsDue(first, last, window)) static_cast<void>(PruneSteps(engine, window));
}

Result<std::uint64_t> PruneSteps(Engine& engine, std::uint64_t keep) {
  std::uint64_t pruned = 0;
  while (true) {
    const std::uint64_t some = TALEA_TRY(TryUntilDecided([&] { return PruneSome(engine, keep); }));
    if (some == 0) return pruned;
    pruned += some;
  }
}

}  // namespace talea::chain
