// Forgetting how to take steps back.
#pragma once

#include <cstdint>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea::chain {

// Whether one of these steps is one after which what lies beyond the window is dropped: each of
// them would be too often.
bool PruningIsDue(std::uint64_t first, std::uint64_t last, std::uint64_t window);

// Does it then. What it does not drop, the next one does, so how it ends does not matter.
void PruneIfDue(Engine& engine, std::uint64_t first, std::uint64_t last, std::uint64_t window);
inline void PruneIfDue(Engine& engine, std::uint64_t step, std::uint64_t window) {
  PruneIfDue(engine, step, step, window);
}

// Drops the undo records of all but the newest `keep` steps, and the rows by which such steps are
// found. Returns how many.
Result<std::uint64_t> PruneSteps(Engine& engine, std::uint64_t keep);

}  // namespace talea::chain
