#include "server/statistics_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "json/json.h"

namespace talea {
namespace {

std::optional<double> Find(const Statistics& statistics, std::string_view name,
                           std::string_view label) {
  const auto found = std::ranges::find_if(statistics.metrics, [&](const Metric& metric) {
    return metric.name == name && metric.label == label;
  });
  if (found == statistics.metrics.end()) return std::nullopt;
  return found->value;
}

// A number without a fraction, as far as a double can tell it.
Json Whole(std::optional<double> value) {
  if (!value || !(std::abs(*value) < 0x1p53)) return nullptr;
  return std::llround(*value);
}

JsonObject AsJson(const Statistics& statistics, const Keyspace& keyspace) {
  const auto find = [&](std::string_view name) { return Find(statistics, name, keyspace.name); };
  const std::optional<double> rows = find("talea_engine_rows");
  return JsonObject()
      .Add("name", keyspace.name)
      .Add("id", keyspace.id)
      .Add("pattern", Name(keyspace.pattern))
      .Add("rows", Whole(rows ? rows : find("talea_engine_rows_estimate")))
      .Add("rows_are_estimated", !rows)
      .Add("bytes", Whole(find("talea_engine_bytes")))
      .Add("write_buffer_bytes", Whole(find("talea_engine_write_buffer_bytes")));
}

}  // namespace

std::string StatisticsJson(const Statistics& statistics, const KeyspaceSet& keyspaces,
                           const ServerNumbers& server) {
  JsonArray parts;
  for (const Keyspace& keyspace : keyspaces.all()) parts.Add(AsJson(statistics, keyspace));
  const JsonObject json = JsonObject()
                              .Add("uptime_seconds", server.uptime_seconds)
                              .Add("requests", server.requests)
                              .Add("connections", server.connections)
                              .Add("version", statistics.version.number)
                              .Add("commits", statistics.commits)
                              .Add("conflicts", statistics.conflicts)
                              .Add("open_snapshots", statistics.open_snapshots)
                              .Add("keyspaces", parts);
  return json.text() + "\n";
}

}  // namespace talea
