#include "bench/harness.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iostream>
#include <ranges>
#include <utility>

#include "base/check.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

double Median(std::vector<double> values) {
  TALEA_CHECK(!values.empty());
  std::ranges::sort(values);
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

// How many of the unit are in a second; nothing if it is no unit of time.
std::optional<double> PerSecond(std::string_view unit) {
  if (unit == "s") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "us") return 1e6;
  if (unit == "ns") return 1e9;
  return std::nullopt;
}

std::string JsonString(std::string_view text) {
  std::string quoted = "\"";
  for (const char c : text) {
    TALEA_CHECK(static_cast<unsigned char>(c) >= ' ');
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

// Lines up the columns: the first and the last to the left, the numbers between them to the right.
void PrintTable(std::ostream& out, const std::vector<std::vector<std::string>>& lines) {
  std::vector<std::size_t> widths(lines.front().size());
  for (const auto& line : lines) {
    for (std::size_t i = 0; i < line.size(); ++i) widths[i] = std::max(widths[i], line[i].size());
  }
  for (const auto& line : lines) {
    fmt::print(out, "{:<{}}", line.front(), widths.front());
    for (std::size_t i = 1; i + 1 < line.size(); ++i)
      fmt::print(out, "  {:>{}}", line[i], widths[i]);
    fmt::print(out, "  {}\n", line.back());
  }
}

}  // namespace

std::optional<double> Round::Measured(std::string_view unit) const {
  if (value_ || count_ == 0) return value_;
  const double seconds = elapsed_.count();
  const double count = static_cast<double>(count_);
  if (const auto per_second = PerSecond(unit)) return seconds * *per_second / count;
  if (unit.ends_with("/s") && seconds > 0) return count / seconds;
  return std::nullopt;
}

Settings ParseArguments(int argc, char** argv) {
  Settings settings{.out = &std::cout, .progress = ProgressBarOutput::StandardError()};
  for (int i = 1; i < argc; ++i) {
    const std::string_view argument = argv[i];
    if (argument == "--quick") {
      settings.quick = true;
    } else if (argument == "--only" && i + 1 < argc) {
      settings.only = argv[++i];
    } else {
      fmt::print(stderr, "{}: unexpected \"{}\"; expected [--quick] [--only TEXT]\n", argv[0],
                 argument);
      std::exit(2);
    }
  }
  return settings;
}

Bench::Bench(std::string name, Settings settings)
    : name_(std::move(name)), settings_(std::move(settings)) {}

bool Bench::Wanted(std::string_view name) const {
  return !failed_ && name.find(settings_.only) != std::string_view::npos;
}

bool Bench::WantsAny(std::initializer_list<std::string_view> names) const {
  return std::ranges::any_of(names, [this](std::string_view name) { return Wanted(name); });
}

void Bench::Case(std::string name, CaseOptions options, const Side& ours, const Side& baseline) {
  if (!Wanted(name)) return;
  Samples our_samples, baseline_samples;
  const auto rounds = static_cast<std::uint64_t>(options.rounds);
  ProgressBar progress(name, "runs", 2 * rounds, settings_.progress);
  for (std::uint64_t round = 0; round < rounds; ++round) {
    for (const bool first : {true, false}) {
      const bool our_turn = first == (round % 2 == 0);
      if (!(our_turn ? Run(name, options, "ours", ours, our_samples)
                     : Run(name, options, "the baseline", baseline, baseline_samples))) {
        return;
      }
      progress.Advance(1);
    }
    if (our_samples.answer != baseline_samples.answer) {
      return Fail(fmt::format("{}: the answers differ: ours is \"{}\", the baseline's \"{}\"", name,
                              our_samples.answer, baseline_samples.answer));
    }
  }
  progress.Finish();
  Add(std::move(name), std::move(options), our_samples, baseline_samples);
}

void Bench::Case(std::string name, CaseOptions options, const Side& ours, double bar) {
  const Side baseline = [bar](Round& round) { round.Value(bar), round.Answer(""); };
  const Side without_answer = [&ours](Round& round) { ours(round), round.Answer(""); };
  Case(std::move(name), std::move(options), without_answer, baseline);
}

bool Bench::Run(std::string_view name, const CaseOptions& options, std::string_view who,
                const Side& side, Samples& samples) {
  Round round(settings_.progress.now);
  side(round);
  const std::optional<double> measured = round.Measured(options.unit);
  if (!measured) {
    Fail(fmt::format("{}: {} measured nothing in the unit \"{}\"", name, who, options.unit));
    return false;
  }
  const double value = std::max(*measured, options.least);
  if (!std::isfinite(value) || value <= 0) {
    Fail(fmt::format("{}: {} measured {}, which has no ratio to anything", name, who, value));
    return false;
  }
  if (!round.answer()) {
    Fail(fmt::format("{}: {} gave no answer to be checked", name, who));
    return false;
  }
  samples.values.push_back(value);
  samples.answer = *round.answer();
  return true;
}

void Bench::Add(std::string name, CaseOptions options, const Samples& ours,
                const Samples& baseline) {
  std::vector<double> ratios;
  for (std::size_t i = 0; i < ours.values.size(); ++i) {
    const double quotient = ours.values[i] / baseline.values[i];
    ratios.push_back(options.better == Better::higher ? quotient : 1 / quotient);
  }
  rows_.push_back({
      .name = std::move(name),
      .options = std::move(options),
      .ours = Median(ours.values),
      .baseline = Median(baseline.values),
      .ratio = Median(ratios),
      .least_ratio = std::ranges::min(ratios),
      .greatest_ratio = std::ranges::max(ratios),
  });
}

std::string Bench::Bar(const Row& row) {
  if (!row.options.bar) return "";
  return fmt::format("{}{:.4g}", row.ratio < *row.options.bar ? "missed " : "", *row.options.bar);
}

void Bench::Fail(std::string message) {
  failed_ = true;
  settings_.progress.write(fmt::format("bench {}: {}\n", name_, message));
}

int Bench::Finish() {
  if (!failed_ && rows_.empty())
    Fail(fmt::format("no case has \"{}\" in its name", settings_.only));
  if (failed_) return 1;
  std::vector<std::vector<std::string>> lines = {
      {"case", "ours", "baseline", "unit", "ratio", "spread", "size"}};
  const bool bars =
      std::ranges::any_of(rows_, [](const Row& row) { return row.options.bar.has_value(); });
  if (bars) lines.front().insert(lines.front().end() - 1, "bar");
  std::string results;
  for (const Row& row : rows_) {
    lines.push_back({row.name, ShortNumber(row.ours), ShortNumber(row.baseline), row.options.unit,
                     fmt::format("{:.2f}", row.ratio),
                     fmt::format("{:.2f}..{:.2f}", row.least_ratio, row.greatest_ratio),
                     row.options.size});
    if (bars) lines.back().insert(lines.back().end() - 1, Bar(row));
    results += fmt::format(
        R"({}{{"case": {}, "ours": {:.6g}, "baseline": {:.6g}, "unit": {}, "ratio": {:.4g}{}}})",
        results.empty() ? "" : ", ", JsonString(row.name), row.ours, row.baseline,
        JsonString(row.options.unit), row.ratio,
        row.options.bar ? fmt::format(R"(, "bar": {:.4g})", *row.options.bar) : "");
  }
  PrintTable(*settings_.out, lines);
  fmt::print(*settings_.out,
             R"({{"bench": {}, "results": [{}]}})"
             "\n",
             JsonString(name_), results);
  settings_.out->flush();
  return 0;
}

}  // namespace talea::bench
