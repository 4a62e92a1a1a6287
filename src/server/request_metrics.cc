#include "server/request_metrics.h"

#include <fmt/format.h>

#include <algorithm>

namespace talea {
namespace {

double Seconds(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

PrometheusText::Labels LabelsOf(const std::string& route, int status) {
  return {{"route", route.empty() ? "none" : route}, {"status", std::to_string(status)}};
}

}  // namespace

void RequestMetrics::Count(std::string_view route, int status, std::chrono::nanoseconds took) {
  const auto bucket = std::ranges::lower_bound(kBounds, Seconds(took)) - kBounds.begin();
  std::lock_guard lock(mutex_);
  Series& series = series_[Key(route, status)];
  ++series.buckets[static_cast<std::size_t>(bucket)];
  ++series.count;
  series.sum += took;
  ++requests_;
}

void RequestMetrics::CountRefused(int status) {
  std::lock_guard lock(mutex_);
  ++refused_[status];
}

std::uint64_t RequestMetrics::requests() const {
  std::lock_guard lock(mutex_);
  return requests_;
}

void RequestMetrics::Write(PrometheusText& text) const {
  std::lock_guard lock(mutex_);
  text.Begin("talea_http_requests_total", "counter", "Requests answered, by route and status.");
  for (const auto& [key, series] : series_) {
    text.Sample(static_cast<double>(series.count), LabelsOf(key.first, key.second));
  }
  text.Begin("talea_http_refused_total", "counter",
             "Connections and requests answered before they came to a route, and requests that "
             "their route did not answer in time.");
  for (const auto& [status, count] : refused_) {
    text.Sample(static_cast<double>(count), {{"status", std::to_string(status)}});
  }
  text.Begin("talea_http_request_duration_seconds", "histogram",
             "Time from the arrival of a request until its answer was made.");
  for (const auto& [key, series] : series_) WriteSeries(key, series, text);
}

void RequestMetrics::WriteSeries(const Key& key, const Series& series, PrometheusText& text) {
  const PrometheusText::Labels labels = LabelsOf(key.first, key.second);
  PrometheusText::Labels bucket_labels = labels;
  bucket_labels.emplace_back("le", "");
  std::uint64_t below = 0;
  for (std::size_t bucket = 0; bucket < series.buckets.size(); ++bucket) {
    below += series.buckets[bucket];
    bucket_labels.back().second =
        bucket < kBounds.size() ? fmt::format("{}", kBounds[bucket]) : "+Inf";
    text.Sample(static_cast<double>(below), bucket_labels, "_bucket");
  }
  text.Sample(Seconds(series.sum), labels, "_sum");
  text.Sample(static_cast<double>(series.count), labels, "_count");
}

}  // namespace talea
