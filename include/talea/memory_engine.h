// The engine that keeps everything in memory: for tests, caches, and as the reference for the
// others.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <vector>

#include "talea/engine.h"

namespace talea {

struct MemoryEngineOptions {
  std::vector<Keyspace> keyspaces;
  std::optional<std::filesystem::path> checkpoint;  // to start from, as Checkpoint wrote it
};

// Opens an engine in memory. It is gone with the process, whatever the durability asked for;
// Checkpoint is the only way to keep its contents.
Result<std::unique_ptr<Engine>> OpenMemoryEngine(MemoryEngineOptions options);

}  // namespace talea
