// What makes it possible to find out whether a commit happened that the engine could not tell
// about.
#pragma once

#include <cstddef>
#include <optional>

#include "talea/result.h"
#include "talea/transaction.h"
#include "talea/write_batch.h"

namespace talea {

// Each commit leaves a mark, and fails if the mark's row was written since its snapshot. So of all
// attempts of one call at most one can ever be applied, however late they arrive: each that comes
// after it, or after a fence, conflicts. For the attempts of one call, in one thread.
class OutcomeGuard {
 public:
  virtual ~OutcomeGuard() = default;

  // Whether unknown outcomes can be found out. If not, only Mark is called.
  virtual bool FindsOut() const = 0;

  // The mark that the attempt at this place leaves, for its commit to write beside; what a fence or
  // another attempt would write is recorded as read. Empty where the attempt needs none. Nothing at
  // all if the attempt has to be made anew, at once, as something had to be prepared after its
  // snapshot.
  virtual Result<std::optional<WriteBatch>> Mark(Transaction& transaction, std::size_t place) = 0;

  // In a new transaction, which records what is read: the place of the attempt that has happened,
  // or nothing if none had by then. Fails with outcome_unknown if nobody can know any more.
  virtual Result<std::optional<std::size_t>> FindOut(Transaction& transaction) = 0;

  // To be committed in a transaction in which FindOut found nothing: then no attempt so far can
  // happen any more.
  virtual WriteBatch Fence() = 0;
};

// For engines that close themselves over an unknown outcome: then it is known when they are opened
// again.
class NoOutcomeGuard final : public OutcomeGuard {
 public:
  bool FindsOut() const override { return false; }
  Result<std::optional<WriteBatch>> Mark(Transaction&, std::size_t) override {
    return WriteBatch();
  }
  Result<std::optional<std::size_t>> FindOut(Transaction&) override { return std::nullopt; }
  WriteBatch Fence() override { return {}; }
};

}  // namespace talea
