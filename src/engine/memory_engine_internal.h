// For the simulation: a memory engine with given contents.
#pragma once

#include <memory>

#include "engine/memory_state.h"
#include "talea/engine.h"

namespace talea {

// The state must be one of these keyspaces.
std::unique_ptr<Engine> MakeMemoryEngine(std::shared_ptr<const KeyspaceSet> keyspaces,
                                         MemoryState state);

}  // namespace talea
