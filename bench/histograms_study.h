// A data set on its way through an index: loaded, grown beyond its end, and mostly deleted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/histograms_accuracy.h"
#include "bench/histograms_data.h"
#include "bench/histograms_index.h"

namespace talea::bench {

// How good the estimates of each histogram are, in one state of the data.
struct Findings {
  std::uint64_t entries = 0;
  Accuracy learned;
  Accuracy learned_without_peeking;
  std::optional<Accuracy> fixed2;
  std::optional<Accuracy> fixed3;

  std::string ToString() const;  // a table

  // The first thing that is not as promised, if any: exact in 99 % of the queries, correct where
  // exact, and the truth within the bounds.
  std::optional<std::string> BrokenPromise() const;
};

// On the memory engine. The fixed histograms are there for as long as the data is only loaded.
class Study {
 public:
  enum class Phase : std::uint8_t { begun, loaded, drifted, thinned };
  enum class Histograms : std::uint8_t { all, learned_only };

  Study(const DataSet& set, std::size_t values, Histograms histograms)
      : set_(set), values_(values), histograms_(histograms) {}

  // Goes on to that phase, which must not lie behind.
  void Reach(Phase phase);

  // Asks each histogram the same queries, the fixed ones fewer of them; once in a phase.
  const Findings& Ask();

 private:
  void Load();
  void Drift();
  void Thin();
  void AddFrom(MeasuredIndex& index, std::size_t first_document) const;
  std::vector<std::uint32_t> Victims() const;
  Findings Measure() const;

  const DataSet& set_;
  const std::size_t values_;
  const Histograms histograms_;
  Phase phase_ = Phase::begun;
  std::vector<std::string> entries_;  // packed, by document; until they are thinned
  std::unique_ptr<Truth> truth_;
  std::optional<Findings> findings_;  // of this phase
  std::unique_ptr<MeasuredIndex> learned_, fixed2_, fixed3_;
};

}  // namespace talea::bench
