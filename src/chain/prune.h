// Forgetting how to take steps back.
#pragma once

#include <cstdint>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea::chain {

// Drops the undo records of all but the newest `keep` steps, and the rows by which such steps are
// found. Returns how many.
Result<std::uint64_t> PruneSteps(Engine& engine, std::uint64_t keep);

}  // namespace talea::chain
