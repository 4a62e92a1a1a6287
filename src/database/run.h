// The retry loop: attempts of one transaction, until one is decided.
#pragma once

#include <cstddef>
#include <functional>

#include "database/outcome_guard.h"
#include "database/retries.h"
#include "talea/engine.h"
#include "talea/time.h"
#include "talea/transaction.h"

namespace talea {

// One run of a transaction's body; see Database::Attempt.
using Attempt = std::function<Status(Transaction&, Timestamp now, std::size_t place)>;

struct RunRequest {
  Engine& engine;
  OutcomeGuard& guard;
  const Attempt& attempt;
  Durability durability;
  Timestamp now;
};

// Makes attempts until one is committed, and returns its place; or until one fails with an error
// that is not retryable, or the retries are used up. Then nothing was changed and nothing will be,
// unless the error is outcome_unknown.
Result<std::size_t> RunUntilDecided(const RunRequest& request, Retries retries);

}  // namespace talea
