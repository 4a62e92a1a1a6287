// The indexes that rows belong to, for the checks of those rows.
#pragma once

#include <optional>
#include <string_view>

#include "coordination/damaged.h"
#include "coordination/row_check.h"
#include "histograms/index.h"

namespace talea::histograms {

// Remembers the index that was asked for last, as rows of one lie side by side.
class KnownIndexes {
 public:
  explicit KnownIndexes(const CheckedDatabase& database) : database_(database) {}

  // The index or histogram of that number. Fails with corruption, naming `what` belongs to it, if
  // there is none, and returns null where that has another reason: its row cannot be read, which is
  // that row's problem, or has not been copied yet. Valid until the next call.
  Result<const Index*> Find(std::string_view what, IndexId index);
  Result<const HistogramState*> FindHistogram(std::string_view what, IndexId index,
                                              HistogramId histogram);

 private:
  const CheckedDatabase database_;
  std::optional<IndexId> id_;
  Result<std::optional<Index>> index_;
};

}  // namespace talea::histograms
