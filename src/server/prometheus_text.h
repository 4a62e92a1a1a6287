// Metrics in the text format of Prometheus, version 0.0.4.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "talea/engine.h"

namespace talea {

inline constexpr std::string_view kPrometheusContentType =
    "text/plain; version=0.0.4; charset=utf-8";

// Writes one metric after the other: Begin, and then its samples.
class PrometheusText {
 public:
  using Labels = std::vector<std::pair<std::string_view, std::string>>;

  // The type: "counter", "gauge" or "histogram". Each name must come once. Characters that a name
  // may not have become underscores, as names come from engines that may be anybody's.
  void Begin(std::string_view name, std::string_view type, std::string_view help);

  // A value of the metric that was begun; a histogram's have a suffix: "_bucket".
  void Sample(double value, const Labels& labels = {}, std::string_view suffix = "");

  // What an engine tells, gathered by name: a name that ends in _total is a counter, any other a
  // gauge. Of two with the same name and label the first counts.
  void Add(std::span<const Metric> metrics);

  std::string Take() { return std::move(text_); }

 private:
  std::string text_;
  std::string name_;
};

}  // namespace talea
