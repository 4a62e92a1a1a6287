#include <gtest/gtest.h>

#include <limits>

#include "server/prometheus_parser_testing.h"
#include "server/prometheus_text.h"
#include "server/request_metrics.h"

namespace talea {
namespace {

using namespace std::chrono_literals;

TEST(PrometheusText, IsWrittenToTheByte) {
  PrometheusText text;
  text.Begin("a_total", "counter", "Back\\slash and\nline \"break\".");
  text.Sample(1, {{"x", "q\"b\\n\n"}, {"y", ""}});
  text.Sample(0.5);
  EXPECT_EQ(text.Take(),
            "# HELP a_total Back\\\\slash and\\nline \"break\".\n"
            "# TYPE a_total counter\n"
            "a_total{x=\"q\\\"b\\\\n\\n\",y=\"\"} 1\n"
            "a_total 0.5\n");
}

TEST(PrometheusText, GathersWhatAnEngineTellsByName) {
  const std::vector<Metric> metrics = {{"rows", "a", 1, "Rows."},
                                       {"adds_total", "", 3, "Adds."},
                                       {"rows", "b", 2, "Rows."},
                                       {"rows", "a", 9, "Rows."}};
  PrometheusText text;
  text.Add(metrics);
  const ParsedMetrics parsed = ParseMetrics(text.Take());
  EXPECT_EQ(parsed.types.at("rows"), "gauge");
  EXPECT_EQ(parsed.types.at("adds_total"), "counter");
  EXPECT_EQ(parsed.at("rows{keyspace=\"a\"}"), 1);
  EXPECT_EQ(parsed.at("rows{keyspace=\"b\"}"), 2);
  EXPECT_EQ(parsed.samples.size(), 3u);
}

TEST(PrometheusText, TakesNamesAndNumbersOfAnyKind) {
  const std::vector<Metric> metrics = {{"1 bad-name", "\xff\n", 1, "\n"},
                                       {"", "", std::numeric_limits<double>::quiet_NaN(), ""},
                                       {"big", "", -std::numeric_limits<double>::infinity(), ""},
                                       {"small", "", 1e-300, ""}};
  PrometheusText text;
  text.Add(metrics);
  const ParsedMetrics parsed = ParseMetrics(text.Take());
  EXPECT_EQ(parsed.samples.size(), 4u);
  EXPECT_TRUE(parsed.types.contains("__bad_name"));
}

TEST(RequestMetrics, CountsByRouteAndStatus) {
  RequestMetrics metrics;
  metrics.Count("/a", 200, 1ms);
  metrics.Count("/a", 200, 1ms + 1ns);
  metrics.Count("/a", 404, 1h);
  metrics.Count("", 404, 0ms);
  metrics.CountRefused(431);
  EXPECT_EQ(metrics.requests(), 4u);

  PrometheusText text;
  metrics.Write(text);
  const ParsedMetrics parsed = ParseMetrics(text.Take());
  EXPECT_EQ(parsed.at("talea_http_requests_total{route=\"/a\",status=\"200\"}"), 2);
  EXPECT_EQ(parsed.at("talea_http_requests_total{route=\"none\",status=\"404\"}"), 1);
  EXPECT_EQ(parsed.at("talea_http_refused_total{status=\"431\"}"), 1);

  const std::string bucket = "talea_http_request_duration_seconds_bucket{route=\"/a\",status=";
  EXPECT_EQ(parsed.at(bucket + "\"200\",le=\"0.0005\"}"), 0);
  EXPECT_EQ(parsed.at(bucket + "\"200\",le=\"0.001\"}"), 1) << "a bound belongs to its bucket";
  EXPECT_EQ(parsed.at(bucket + "\"200\",le=\"0.0025\"}"), 2);
  EXPECT_EQ(parsed.at(bucket + "\"404\",le=\"10\"}"), 0);
  EXPECT_EQ(parsed.at(bucket + "\"404\",le=\"+Inf\"}"), 1);
  EXPECT_EQ(parsed.at("talea_http_request_duration_seconds_count{route=\"/a\",status=\"200\"}"), 2);
  EXPECT_EQ(parsed.at("talea_http_request_duration_seconds_sum{route=\"/a\",status=\"404\"}"),
            3600);
}

}  // namespace
}  // namespace talea
