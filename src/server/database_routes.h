// The routes that tell about the database and the server as a whole; no layer's.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "server/recent_statistics.h"
#include "server/request_metrics.h"
#include "talea/database.h"
#include "talea/http.h"

namespace talea {

// What these routes tell of. It must outlive them.
struct ServedDatabase {
  Database& database;
  RecentStatistics& statistics;
  const RequestMetrics& requests;
  std::string engine;  // the scheme of the location: "rocksdb"
  std::chrono::steady_clock::time_point started;
  std::function<std::size_t()> connections;
};

// /healthz, /readyz, /version, /metrics and /v1/stats.
std::vector<HttpRoute> DatabaseRoutes(const ServedDatabase& served);

// /v1, the list of `routes`.
HttpRoute ListingRoute(std::span<const HttpRoute> routes);

}  // namespace talea
