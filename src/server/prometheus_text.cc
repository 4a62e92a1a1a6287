#include "server/prometheus_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "json/valid_utf8.h"

namespace talea {
namespace {

bool MayStandInName(char letter, bool first) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') || letter == '_' ||
         letter == ':' || (!first && letter >= '0' && letter <= '9');
}

std::string ValidName(std::string_view name) {
  std::string valid(name.empty() ? "_" : name);
  for (std::size_t at = 0; at < valid.size(); ++at) {
    if (!MayStandInName(valid[at], at == 0)) valid[at] = '_';
  }
  return valid;
}

std::string Escaped(std::string_view text, bool quotes) {
  std::string escaped;
  for (const char letter : ValidUtf8(text)) {
    if (letter == '\n') {
      escaped += "\\n";
    } else if (letter == '\\' || (quotes && letter == '"')) {
      escaped += {'\\', letter};
    } else {
      escaped += letter;
    }
  }
  return escaped;
}

std::string NumberText(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

}  // namespace

void PrometheusText::Begin(std::string_view name, std::string_view type, std::string_view help) {
  name_ = ValidName(name);
  fmt::format_to(std::back_inserter(text_), "# HELP {} {}\n# TYPE {} {}\n", name_,
                 Escaped(help, false), name_, type);
}

void PrometheusText::Sample(double value, const Labels& labels, std::string_view suffix) {
  const auto out = std::back_inserter(text_);
  fmt::format_to(out, "{}{}", name_, suffix);
  char separator = '{';
  for (const auto& [name, label] : labels) {
    fmt::format_to(out, "{}{}=\"{}\"", std::exchange(separator, ','), name, Escaped(label, true));
  }
  fmt::format_to(out, "{} {}\n", labels.empty() ? "" : "}", NumberText(value));
}

void PrometheusText::Add(std::span<const Metric> metrics) {
  std::set<std::string> begun;
  for (const Metric& metric : metrics) {
    const std::string name = ValidName(metric.name);
    if (!begun.insert(name).second) continue;
    Begin(name, name.ends_with("_total") ? "counter" : "gauge", metric.help);
    std::set<std::string_view> labels;
    for (const Metric& sample : metrics) {
      if (ValidName(sample.name) != name || !labels.insert(sample.label).second) continue;
      Sample(sample.value, sample.label.empty() ? Labels{} : Labels{{"keyspace", sample.label}});
    }
  }
}

}  // namespace talea
