// Refuses options that RocksDB would silently take for something else.
#pragma once

#include "talea/rocksdb_engine.h"

namespace talea {

// Fails with invalid_argument, naming the option, what was expected and what was found.
Status CheckOptions(const RocksDbEngineOptions& options);

}  // namespace talea
