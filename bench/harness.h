// The form of every benchmark: ours against a baseline that is measured in the same run.
//
//   int main(int argc, char** argv) {
//     Bench bench("engine", ParseArguments(argc, argv));
//     const std::size_t rows = bench.quick() ? 100'000 : 1'000'000;
//     bench.Case(
//         "scan/1", {.unit = "rows/s", .better = Better::higher, .size = "1 M rows of 100 bytes"},
//         [&](Round& round) {
//           Ours ours = FillOurs(rows);  // not timed
//           round.Time([&] { round.Answer(ours.Scan()); }, rows);
//         },
//         [&](Round& round) { ... the same with the baseline ... });
//     return bench.Finish();
//   }
//
// Both sides run five times, in turns, and take turns in going first. Medians are reported. The
// ratio is the median of the five rounds' ratios, not the ratio of the medians: the two runs of a
// round are neighbours in time, so whatever slows the machine for a while slows both, and their
// ratio stays. Above 1 we are better, always.
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "terminal/progress_bar.h"

namespace talea::bench {

enum class Better : std::uint8_t { higher, lower };

struct CaseOptions {
  std::string
      unit;  // "rows/s" and the like, "s", "ms", "us" or "ns" for what is timed; any for a Value
  Better better;     // rates are better higher; times, bytes and errors lower
  std::string size;  // of the data and of the batches, for people
  double least = 0;  // what is smaller counts as this, so that an error of zero has a ratio
  int rounds = 5;    // 1 suits a value that is the same each time, such as an error or a size
  std::optional<double> bar = {};  // the ratio that is to be reached; shown beside the one that is
};

// One run of one side. It measures either a time or a value, and must give an answer.
class Round {
 public:
  using Now = std::function<std::chrono::steady_clock::time_point()>;

  explicit Round(const Now& now) : now_(now) {}

  // Runs `work`, which does `count` operations, and adds to the measured time. In a unit such as
  // "rows/s" the case is worth count / time, in a unit of time it is worth time / count.
  template <std::invocable Work>
  void Time(Work&& work, std::uint64_t count = 1) {
    const auto start = now_();
    work();
    elapsed_ += now_() - start;
    count_ += count;
  }

  // What was measured, where it is not a time: bytes, an error, a percentile.
  void Value(double value) { value_ = value; }

  // What the work came to. Both sides must agree on it; a checksum does.
  void Answer(std::string answer) { answer_ = std::move(answer); }
  void Answer(std::integral auto answer) { Answer(std::to_string(answer)); }

  const std::optional<std::string>& answer() const { return answer_; }

  // The measurement in the given unit, or nothing if none was made that has it.
  std::optional<double> Measured(std::string_view unit) const;

 private:
  const Now& now_;
  std::chrono::duration<double> elapsed_{};
  std::uint64_t count_ = 0;
  std::optional<double> value_;
  std::optional<std::string> answer_;
};

using Side = std::function<void(Round&)>;

struct Settings {
  bool quick = false;
  std::string only;  // runs the cases whose names contain this
  std::ostream* out;
  ProgressBarOutput progress;  // its clock is the one that measures
};

// Reads --quick and --only TEXT. Ends the process if there is anything else.
Settings ParseArguments(int argc, char** argv);

class Bench {
 public:
  Bench(std::string name, Settings settings);

  // True when everything together has to end within a minute: take less data.
  bool quick() const { return settings_.quick; }

  // Whether any of these cases will be measured: data that only they need is then worth making.
  bool WantsAny(std::initializer_list<std::string_view> names) const;

  // Measures now; so the sides may capture what is around them by reference.
  void Case(std::string name, CaseOptions options, const Side& ours, const Side& baseline);

  // Measures ours against a fixed bar, such as the greatest error that is allowed. Needs no answer.
  void Case(std::string name, CaseOptions options, const Side& ours, double bar);

  // Prints the table, and as the last line the JSON object. Returns what main has to: 1 if the
  // answers of a case differed or it was not measured. All cases after that one are left out. A bar
  // that is missed is shown as such and fails nothing: that depends on the machine.
  [[nodiscard]] int Finish();

 private:
  struct Samples {
    std::vector<double> values;
    std::string answer;  // the last one
  };
  struct Row {
    std::string name;
    CaseOptions options;
    double ours;
    double baseline;
    double ratio;
    double least_ratio;
    double greatest_ratio;
  };

  bool Wanted(std::string_view name) const;
  bool Run(std::string_view name, const CaseOptions& options, std::string_view who,
           const Side& side, Samples& samples);
  void Add(std::string name, CaseOptions options, const Samples& ours, const Samples& baseline);
  static std::string Bar(const Row& row);
  void Fail(std::string message);

  const std::string name_;
  const Settings settings_;
  std::vector<Row> rows_;
  bool failed_ = false;
};

}  // namespace talea::bench
