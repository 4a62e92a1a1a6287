// What GET /v1/stats answers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "talea/engine.h"
#include "talea/keyspace.h"

namespace talea {

struct ServerNumbers {
  double uptime_seconds = 0;
  std::uint64_t requests = 0;
  std::size_t connections = 0;
};

// An object with the engine's totals and, for each keyspace, its rows (which on some engines are an
// estimate) and bytes; null where the engine does not tell.
std::string StatisticsJson(const Statistics& statistics, const KeyspaceSet& keyspaces,
                           const ServerNumbers& server);

}  // namespace talea
