// Going back by a number of steps, for those who show how far it is.
#include <fmt/format.h>

#include <algorithm>

#include "chain/staged_step.h"
#include "chain/standing.h"
#include "coordination/attempts.h"
#include "talea/chain.h"

namespace talea {

using namespace chain;

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
