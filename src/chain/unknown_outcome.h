// What can be said after a commit to a ledger of which it is not known whether it happened.
#pragma once

#include "coordination/attempts.h"
#include "talea/result.h"

namespace talea::chain {

inline bool Unknown(const Error& error) { return error.code() == ErrorCode::outcome_unknown; }

// Where the ledger has moved on since an attempt whose outcome is unknown, that it does not stand
// where it should does not say that nothing was changed. Nor does an error for which nobody could
// look.
template <class Outcome>
Outcome UnlessOvertaken(Outcome outcome, bool unknown) {
  if (!unknown || outcome) return outcome;
  const Error& error = outcome.error();
  if (HasLooked(error) && error.code() != ErrorCode::precondition_failed) return outcome;
  return Fail(ErrorCode::outcome_unknown, error.message());
}

}  // namespace talea::chain
