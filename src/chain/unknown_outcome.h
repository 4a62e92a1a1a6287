// What can be said after a commit to a ledger of which it is not known whether it happened.
#pragma once

#include "talea/result.h"

namespace talea::chain {

inline bool Unknown(const Error& error) { return error.code() == ErrorCode::outcome_unknown; }

// Where the ledger has moved on since an attempt whose outcome is unknown, that it does not stand
// where it should does not say that nothing was changed.
template <class Outcome>
Outcome UnlessOvertaken(Outcome outcome, bool unknown) {
  const bool moved = !outcome && outcome.error().code() == ErrorCode::precondition_failed;
  if (!unknown || !moved) return outcome;
  return Fail(ErrorCode::outcome_unknown, outcome.error().message());
}

}  // namespace talea::chain
