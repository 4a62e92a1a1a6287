#include "histograms/known_indexes.h"

#include <fmt/format.h>

namespace talea::histograms {

Result<const Index*> KnownIndexes::Find(std::string_view what, IndexId index) {
  if (id_ != index) {
    index_ = FindIndex(*database_.reader, index);
    id_ = index;
  }
  if (!index_) return nullptr;
  if (*index_) return &**index_;
  if (!database_.complete) return nullptr;
  return Damaged(what, fmt::format("index number {} to exist", index), "none");
}

Result<const HistogramState*> KnownIndexes::FindHistogram(std::string_view what, IndexId index,
                                                          HistogramId histogram) {
  const Index* const found = TALEA_TRY(Find(what, index));
  if (!found) return nullptr;
  if (const HistogramState* const state = found->Find(histogram)) return state;
  return Damaged(
      what, fmt::format("index {} to have histogram {}", Quoted(found->state->name), histogram),
      "none");
}

}  // namespace talea::histograms
