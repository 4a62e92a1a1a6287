// Estimates against the truth, and what they cost.
//
//   accuracy/...           the error of a learned histogram against the bar of 1 %, on eleven data
//                          sets: as they are loaded; after a drift, twice as many values beyond the
//                          greatest, in ascending order; after most entries were deleted. A table
//                          for each shows the other histograms as well. A case fails where a
//                          promise is broken; see Findings.
//   fails-as-expected/...  that counting by two bytes misses the bar, so that it means something
//   latency                an estimate against counting 100,000 entries
//   write/...              adding to an index against writing the same entries by hand, with the
//                          same check for duplicates and no histogram
#include <fmt/format.h>
#include <fmt/ostream.h>

#include <functional>
#include <iostream>
#include <string>
#include <string_view>

#include "bench/harness.h"
#include "bench/histograms_cases.h"
#include "bench/histograms_data.h"
#include "bench/histograms_study.h"
#include "terminal/numbers.h"

namespace talea::bench {
namespace {

constexpr double kGreatestError = 0.01;
constexpr double kLeastError = 1e-6;  // zero counts as this
const std::string kAllKept = "all promises kept";

// Where an error is to be below the bar, or above.
void ErrorCase(Bench& bench, const std::string& name, Better better, const std::string& size,
               const std::function<double(std::string& kept)>& error) {
  bench.Case(
      name, {.unit = "share", .better = better, .size = size, .least = kLeastError, .rounds = 1},
      [&](Round& round) {
        std::string kept = kAllKept;
        round.Value(error(kept));
        round.Answer(kept);
      },
      [&](Round& round) { round.Value(kGreatestError), round.Answer(kAllKept); });
}

void AccuracyCase(Bench& bench, const std::string& name, Study& study, Study::Phase phase,
                  const std::string& size) {
  ErrorCase(bench, name, Better::lower, size, [&](std::string& kept) {
    study.Reach(phase);
    const Findings& findings = study.Ask();
    fmt::print(std::cout, "{}: {} entries; errors of answers above {}\n{}\n", name,
               FullNumber(findings.entries), FullNumber(Accuracy::kLeastTruth),
               findings.ToString());
    kept = findings.BrokenPromise().value_or(kAllKept);
    return findings.learned.Error(99);
  });
}

void AccuracyCases(Bench& bench, const DataSet& set) {
  const std::size_t values = bench.quick() ? 200'000 : 1'000'000;
  const std::string size = fmt::format("{} values: {}", FullNumber(values), set.description);
  const std::string name = fmt::format("accuracy/{}", set.name);
  Study study(set, values, Study::Histograms::all);
  AccuracyCase(bench, name, study, Study::Phase::loaded, size);
  if (set.two_bytes_fail) {
    ErrorCase(bench, fmt::format("fails-as-expected/{}", set.name), Better::higher, size,
              [&](std::string&) {
                study.Reach(Study::Phase::loaded);
                return study.Ask().fixed2.value().Error(99);
              });
  }
  AccuracyCase(bench, name + "/drift", study, Study::Phase::drifted,
               size + "; then twice as many beyond the greatest");
  AccuracyCase(bench, name + "/deletes", study, Study::Phase::thinned,
               size + "; with the drift's; then 80 % deleted");
}

// The same with eight times the data, on a set of each type.
void LargeAccuracyCases(Bench& bench) {
  if (bench.quick()) return;
  constexpr std::size_t kValues = 8'000'000;
  for (const std::string_view name : {"clustered", "timestamps", "lognormal", "urls"}) {
    const DataSet& set = DataSet::Named(name);
    Study study(set, kValues, Study::Histograms::learned_only);
    AccuracyCase(bench, fmt::format("accuracy/{}/8M", name), study, Study::Phase::loaded,
                 fmt::format("{} values: {}", FullNumber(kValues), set.description));
  }
}

int Main(int argc, char** argv) {
  Bench bench("histograms", ParseArguments(argc, argv));
  for (const DataSet& set : DataSets()) AccuracyCases(bench, set);
  LargeAccuracyCases(bench);
  LatencyCase(bench);
  WriteCases(bench);
  return bench.Finish();
}

}  // namespace
}  // namespace talea::bench

int main(int argc, char** argv) { return talea::bench::Main(argc, argv); }
