// Taking a progress back over several moves.
#pragma once

#include "talea/engine.h"
#include "talea/progress.h"

namespace talea {

// Fails unless steps back lead from the stored position to this one: with precondition_failed if it
// was never reached, with not_found if the undo records do not reach back to it. Changes
// nothing; a retryable error is for the caller to try again.
Status CheckReachable(Engine& engine, const Progress& progress, const Progress::Position& position);

}  // namespace talea
