// What a RocksDB engine tells about itself.
#pragma once

#include <vector>

#include "engine/rocksdb/store.h"
#include "talea/engine.h"

namespace talea {

std::vector<Metric> CollectMetrics(Store& store, const KeyspaceSet& keyspaces);

// What still runs in the background, for a person: "1 flush and 2 compactions".
std::string DescribeBackgroundWork(rocksdb::DB& db);

}  // namespace talea
