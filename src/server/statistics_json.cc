#include "server/statistics_json.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string_view>

#include "server/json.h"

namespace talea {
namespace {

std::string_view PatternName(AccessPattern pattern) {
  switch (pattern) {
    case AccessPattern::point:
      return "point";
    case AccessPattern::scan:
      return "scan";
    case AccessPattern::counter:
      return "counter";
  }
  return "unknown";
}

std::optional<double> Find(const Statistics& statistics, std::string_view name,
                           std::string_view label) {
  const auto found = std::ranges::find_if(statistics.metrics, [&](const Metric& metric) {
    return metric.name == name && metric.label == label;
  });
  if (found == statistics.metrics.end()) return std::nullopt;
  return found->value;
}

void Add(JsonWriter& json, std::string_view key, std::optional<double> value) {
  json.Key(key);
  if (value && std::abs(*value) < 0x1p53) {
    json.Number(std::llround(*value));
  } else {
    json.Null();
  }
}

void AddKeyspace(JsonWriter& json, const Statistics& statistics, const Keyspace& keyspace) {
  const std::optional<double> rows = Find(statistics, "talea_engine_rows", keyspace.name);
  const std::optional<double> estimate =
      Find(statistics, "talea_engine_rows_estimate", keyspace.name);
  json.BeginObject().Key("name").String(keyspace.name).Key("id").Number(keyspace.id);
  json.Key("pattern").String(PatternName(keyspace.pattern));
  Add(json, "rows", rows ? rows : estimate);
  json.Key("rows_are_estimated").Bool(!rows);
  Add(json, "bytes", Find(statistics, "talea_engine_bytes", keyspace.name));
  Add(json, "write_buffer_bytes",
      Find(statistics, "talea_engine_write_buffer_bytes", keyspace.name));
  json.EndObject();
}

}  // namespace

std::string StatisticsJson(const Statistics& statistics, const KeyspaceSet& keyspaces,
                           const ServerNumbers& server) {
  JsonWriter json;
  json.BeginObject();
  json.Key("uptime_seconds").Number(server.uptime_seconds);
  json.Key("requests").Number(server.requests);
  json.Key("connections").Number(server.connections);
  json.Key("version").Number(statistics.version.number);
  json.Key("commits").Number(statistics.commits);
  json.Key("conflicts").Number(statistics.conflicts);
  json.Key("open_snapshots").Number(statistics.open_snapshots);
  json.Key("keyspaces").BeginArray();
  for (const Keyspace& keyspace : keyspaces.all()) AddKeyspace(json, statistics, keyspace);
  json.EndArray().EndObject();
  return json.Take() + "\n";
}

}  // namespace talea
