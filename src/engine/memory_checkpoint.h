// The file in which a memory engine's contents are kept; its bytes are described in
// docs/formats.md.
#pragma once

#include <filesystem>

#include "engine/memory_state.h"

namespace talea {

// Writes a new folder with the state in it, all or nothing.
Status WriteMemoryCheckpoint(const std::filesystem::path& folder, const KeyspaceSet& keyspaces,
                             const MemoryState& state);

// Reads it back. Every keyspace in it must be among `keyspaces`, which must outlive the state.
Result<MemoryState> ReadMemoryCheckpoint(const std::filesystem::path& folder,
                                         const KeyspaceSet& keyspaces);

// The same from bytes, which are untrusted.
Result<MemoryState> DecodeMemoryCheckpoint(ByteView bytes, const KeyspaceSet& keyspaces);

}  // namespace talea
