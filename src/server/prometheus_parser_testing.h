// A strict reader of Prometheus' text format, version 0.0.4, for tests: what it takes, Prometheus
// takes.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace talea {

struct ParsedMetrics {
  std::map<std::string, std::string> types;  // by name
  std::map<std::string, double> samples;     // by name and labels, as written: a{b="c"}

  double at(const std::string& sample) const {
    const auto found = samples.find(sample);
    EXPECT_NE(found, samples.end()) << "no sample " << sample;
    return found == samples.end() ? -1 : found->second;
  }
};

// The metric that a sample belongs to: a histogram's have suffixes.
inline std::string MetricOf(const std::string& sample, const ParsedMetrics& parsed) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (!sample.ends_with(suffix)) continue;
    const std::string base = sample.substr(0, sample.size() - suffix.size());
    const auto found = parsed.types.find(base);
    if (found != parsed.types.end() && found->second == "histogram") return base;
  }
  return sample;
}

// Every line is HELP, TYPE or a sample; each metric has both, once, before its samples; all its
// samples stand together; none is repeated.
inline ParsedMetrics ParseMetrics(const std::string& text) {
  static const std::regex help(R"(# HELP ([a-zA-Z_:][a-zA-Z0-9_:]*) ((?:[^\\\n]|\\\\|\\n)*))");
  static const std::regex type(
      R"(# TYPE ([a-zA-Z_:][a-zA-Z0-9_:]*) (counter|gauge|histogram|summary|untyped))");
  static const std::string label = R"re([a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\\n]|\\\\|\\"|\\n)*")re";
  static const std::regex sample(R"(([a-zA-Z_:][a-zA-Z0-9_:]*)(\{)" + label + "(?:," + label +
                                 R"()*\})? (NaN|[+-]Inf|-?[0-9][0-9.e+-]*))");
  ParsedMetrics parsed;
  std::set<std::string> helped;
  std::string current;
  EXPECT_TRUE(text.empty() || text.ends_with('\n')) << "the last line has no end";
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    std::smatch match;
    if (std::regex_match(line, match, help)) {
      EXPECT_TRUE(helped.insert(match[1]).second) << "a second HELP: " << line;
      current = match[1];
    } else if (std::regex_match(line, match, type)) {
      EXPECT_EQ(match[1], current) << "TYPE without HELP before it: " << line;
      EXPECT_TRUE(parsed.types.emplace(match[1], match[2]).second) << "a second TYPE: " << line;
    } else if (std::regex_match(line, match, sample)) {
      EXPECT_EQ(MetricOf(match[1], parsed), current) << "a sample out of its place: " << line;
      EXPECT_TRUE(parsed.types.contains(current)) << "a sample without TYPE: " << line;
      char* end = nullptr;
      const std::string number = match[3];
      const double value = std::strtod(number.c_str(), &end);
      EXPECT_EQ(*end, '\0') << "no number: " << line;
      const std::string name = match[1].str() + match[2].str();
      EXPECT_TRUE(parsed.samples.emplace(name, value).second) << "a second sample: " << line;
    } else {
      ADD_FAILURE() << "not a line of the format: " << line;
    }
  }
  return parsed;
}

}  // namespace talea
