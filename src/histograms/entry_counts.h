// Compares the counters of an index with its entries, in one pass over them.
#pragma once

#include <memory>
#include <vector>

#include "coordination/row_check.h"
#include "histograms/index.h"

namespace talea::histograms {

// Counts the entries of one histogram by what its counters stand for.
class HistogramCounts {
 public:
  virtual ~HistogramCounts() = default;

  // The next entry in ascending order.
  virtual Status Take(ByteView value_and_document, Problems& problems) = 0;
  virtual Status Finish(Problems& problems) = 0;
};

// Is shown all entries of an index in ascending order. Beside them it walks over the buckets and
// counters of each histogram that is not building, so it remembers one of each only. It notes
// where their numbers differ, and gives up on a histogram that it cannot read, or whose buckets do
// not lie side by side: those rows have problems of their own.
class EntryCounts {
 public:
  EntryCounts(const CheckedDatabase& database, const Index& index);

  void Take(ByteView value_and_document, Problems& problems);
  void Finish(Problems& problems);

 private:
  std::vector<std::unique_ptr<HistogramCounts>> histograms_;
};

}  // namespace talea::histograms
