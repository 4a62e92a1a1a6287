// talea stats: how large a database is, and how it is doing.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "json/json.h"
#include "terminal/bar_chart.h"
#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {
namespace {

constexpr std::string_view metric_prefix = "talea_engine_";

struct KeyspaceSize {
  const Keyspace* keyspace;
  bool known = false;  // not for a tenant, whose engine counts for all of them together
  double rows = 0;
  bool estimated = false;
  double bytes = 0;
};

const Metric* Find(const Statistics& statistics, std::string_view name, std::string_view label) {
  const auto found = std::ranges::find_if(statistics.metrics, [&](const Metric& metric) {
    return metric.label == label && std::string_view(metric.name).starts_with(metric_prefix) &&
           std::string_view(metric.name).substr(metric_prefix.size()) == name;
  });
  return found == statistics.metrics.end() ? nullptr : &*found;
}

double Value(const Metric* metric) { return metric == nullptr ? 0 : metric->value; }

// What is in files and what is still in memory, which an engine that has no files does not tell
// apart.
std::vector<KeyspaceSize> Sizes(const Engine& engine, const Statistics& statistics) {
  std::vector<KeyspaceSize> sizes;
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    const Metric* exact = Find(statistics, "rows", keyspace.name);
    const Metric* estimate = Find(statistics, "rows_estimate", keyspace.name);
    sizes.push_back({.keyspace = &keyspace,
                     .known = exact != nullptr || estimate != nullptr,
                     .rows = Value(exact != nullptr ? exact : estimate),
                     .estimated = exact == nullptr,
                     .bytes = Value(Find(statistics, "bytes", keyspace.name))});
  }
  return sizes;
}

std::string DrawSizes(const std::vector<KeyspaceSize>& sizes, const Screen& screen) {
  if (std::ranges::none_of(sizes, &KeyspaceSize::known)) {
    return "\n" + screen.Bold("Rows and bytes") +
           "\nnot known for a tenant; `talea verify` counts\n";
  }
  std::vector<Bar> rows;
  std::vector<Bar> bytes;
  for (const KeyspaceSize& size : sizes) {
    const std::string name(size.keyspace->name);
    rows.push_back({name, size.rows, ShortNumber(size.rows)});
    bytes.push_back({name, size.bytes, ShortBytes(size.bytes)});
  }
  const bool estimated = std::ranges::any_of(sizes, &KeyspaceSize::estimated);
  return "\n" + screen.Bold(estimated ? "Rows (estimated)" : "Rows") + "\n" +
         DrawBarChart(rows, screen) + "\n" + screen.Bold("Bytes") + "\n" +
         DrawBarChart(bytes, screen);
}

std::string ShownValue(const Metric& metric) {
  const bool bytes = metric.name.ends_with("bytes");
  return bytes ? ShortBytes(metric.value) : ShortNumber(metric.value);
}

std::string DrawMetrics(const Statistics& statistics, const Screen& screen) {
  Table table{.columns = {{"Engine"}, {"", Align::right}, {}}, .rows = {}};
  for (const Metric& metric : statistics.metrics) {
    if (!metric.label.empty()) continue;
    const bool ours = metric.name.starts_with(metric_prefix);
    table.rows.push_back(
        {metric.name.substr(ours ? metric_prefix.size() : 0), ShownValue(metric), metric.help});
  }
  return table.rows.empty() ? "" : "\n" + DrawTable(table, screen);
}

std::string DrawSummary(const Context& context, const Statistics& statistics) {
  return DrawTable({.columns = {{}, {}},
                    .rows = {{"Database", context.location},
                             {"Version", FullNumber(statistics.version.number)}}},
                   context.screen);
}

Json WholeIfKnown(const KeyspaceSize& size, double value) {
  if (!size.known) return nullptr;
  return static_cast<std::uint64_t>(value);
}

JsonObject AsJson(const Context& context, const Statistics& statistics,
                  const std::vector<KeyspaceSize>& sizes) {
  JsonArray keyspaces;
  for (const KeyspaceSize& size : sizes) {
    keyspaces.Add(JsonObject()
                      .Add("name", size.keyspace->name)
                      .Add("id", size.keyspace->id)
                      .Add("pattern", Name(size.keyspace->pattern))
                      .Add("rows", WholeIfKnown(size, size.rows))
                      .Add("rows_estimated", size.estimated)
                      .Add("bytes", WholeIfKnown(size, size.bytes)));
  }
  JsonArray metrics;
  for (const Metric& metric : statistics.metrics) {
    metrics.Add(JsonObject()
                    .Add("name", metric.name)
                    .Add("label", metric.label)
                    .Add("value", metric.value)
                    .Add("help", metric.help));
  }
  return JsonObject()
      .Add("location", context.location)
      .Add("version", statistics.version.number)
      .Add("commits", statistics.commits)
      .Add("conflicts", statistics.conflicts)
      .Add("open_snapshots", statistics.open_snapshots)
      .Add("keyspaces", keyspaces)
      .Add("metrics", metrics);
}

Result<ExitCode> Stats(Context& context) {
  const auto engine = TALEA_TRY(OpenExisting(context));
  const Statistics statistics = TALEA_TRY(engine->GetStatistics());
  const auto sizes = Sizes(*engine, statistics);
  if (context.json) {
    context.out << AsJson(context, statistics, sizes).text() << "\n";
  } else {
    context.out << DrawSummary(context, statistics) << DrawSizes(sizes, context.screen)
                << DrawMetrics(statistics, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command StatsCommand() {
  return {.name = "stats",
          .summary = "Shows how large a database is, keyspace by keyspace, and how it is doing",
          .examples = {"talea --db rocksdb:/var/lib/visits stats",
                       "talea stats --json | jq '.keyspaces[].rows'"},
          .parameters = {},
          .run = Stats};
}

}  // namespace talea::cli
