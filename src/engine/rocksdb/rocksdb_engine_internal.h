// For tests: an engine on a file system of their own.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "talea/rocksdb_engine.h"

namespace talea {

// All that RocksDB does to files goes through the environment, which must outlive the engine.
Result<std::unique_ptr<RocksDbEngine>> OpenRocksDbEngineOn(rocksdb::Env& environment,
                                                           RocksDbEngineOptions options);

}  // namespace talea
