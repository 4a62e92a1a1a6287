#include "server/database_routes.h"

#include "json/json.h"
#include "server/prometheus_text.h"
#include "server/statistics_json.h"

namespace talea {
namespace {

HttpResponse Health(const HttpRequest&) {
  return {.content_type = "text/plain; charset=utf-8", .body = "ok\n"};
}

// Reads a row, and takes a place in the queue of commits: one with a callback goes all the way
// through, even with nothing to write, and is refused once the engine has closed itself.
Status CheckEngine(Engine& engine) {
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine.OpenSnapshot());
  for (const Keyspace& keyspace :
       engine.keyspaces().all().first(std::min<std::size_t>(1, engine.keyspaces().all().size()))) {
    TALEA_TRY(snapshot->Get(keyspace, "readiness"));
  }
  TALEA_TRY(engine.Commit({.after_commit = [](Version) {}}));
  return {};
}

HttpResponse Readiness(Database& database) {
  if (const Status ready = CheckEngine(database.engine()); !ready) {
    HttpResponse response = HttpError(ready.error());
    response.status = 503;  // whatever the reason
    return response;
  }
  return {.content_type = "text/plain; charset=utf-8", .body = "ready\n"};
}

double UptimeSeconds(const ServedDatabase& served) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - served.started).count();
}

HttpResponse VersionOf(const ServedDatabase& served) {
  const JsonObject json = JsonObject()
                              .Add("version", TALEA_VERSION)
                              .Add("engine", served.engine)
                              .Add("uptime_seconds", UptimeSeconds(served));
  return {.body = json.text() + "\n"};
}

std::vector<Metric> EngineMetrics(const Statistics& statistics) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  std::vector<Metric> metrics = {
      {"talea_engine_version", "", number(statistics.version.number),
       "The newest version that a snapshot can see."},
      {"talea_engine_commits_total", "", number(statistics.commits),
       "Commits that wrote something, since the engine was opened."},
      {"talea_engine_conflicts_total", "", number(statistics.conflicts),
       "Commits refused as something they had read was written since."},
      {"talea_engine_open_snapshots", "", number(statistics.open_snapshots), "Snapshots held."},
  };
  metrics.insert(metrics.end(), statistics.metrics.begin(), statistics.metrics.end());
  return metrics;
}

// A closed engine leaves the server's own numbers to be told, and that it is closed.
HttpResponse MetricsOf(const ServedDatabase& served) {
  PrometheusText text;
  const Result<std::shared_ptr<const Statistics>> statistics = served.statistics.Get();
  text.Begin("talea_engine_up", "gauge", "1 if the engine tells its statistics, or else 0.");
  text.Sample(statistics ? 1 : 0);
  if (statistics) text.Add(EngineMetrics(**statistics));
  text.Begin("talea_http_connections", "gauge", "Connections open.");
  text.Sample(static_cast<double>(served.connections()));
  text.Begin("talea_uptime_seconds", "gauge", "Time since the server was started.");
  text.Sample(UptimeSeconds(served));
  text.Begin("talea_build_info", "gauge", "1, with the version as a label.");
  text.Sample(1, {{"version", TALEA_VERSION}, {"engine", served.engine}});
  served.requests.Write(text);
  return {.content_type = std::string(kPrometheusContentType), .body = text.Take()};
}

HttpResponse StatisticsOf(const ServedDatabase& served) {
  const Result<std::shared_ptr<const Statistics>> statistics = served.statistics.Get();
  if (!statistics) return HttpError(statistics.error());
  return {.body = StatisticsJson(**statistics, served.database.engine().keyspaces(),
                                 {.uptime_seconds = UptimeSeconds(served),
                                  .requests = served.requests.requests(),
                                  .connections = served.connections()})};
}

}  // namespace

std::vector<HttpRoute> DatabaseRoutes(const ServedDatabase& served) {
  return {
      {"GET", "/healthz", "Whether the server runs", Health},
      {"GET", "/readyz", "Whether the engine can be read and takes commits",
       [&served](const HttpRequest&) { return Readiness(served.database); }},
      {"GET", "/version", "Version, engine and uptime",
       [&served](const HttpRequest&) { return VersionOf(served); }},
      {"GET", "/metrics", "All numbers, for Prometheus",
       [&served](const HttpRequest&) { return MetricsOf(served); }},
      {"GET", "/v1/stats", "Commits, conflicts and the size of each keyspace",
       [&served](const HttpRequest&) { return StatisticsOf(served); }},
  };
}

HttpRoute ListingRoute(std::span<const HttpRoute> routes) {
  JsonArray listed;
  for (const HttpRoute& route : routes) {
    if (!route.listed) continue;
    listed.Add(JsonObject()
                   .Add("method", route.method)
                   .Add("path", route.path)
                   .Add("summary", route.summary));
  }
  return {"GET", "/v1", "This list, as JSON",
          [text = JsonObject().Add("routes", listed).text() + "\n"](const HttpRequest&) {
            return HttpResponse{.body = text};
          }};
}

}  // namespace talea
