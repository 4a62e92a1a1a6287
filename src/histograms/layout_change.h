// One commit that changes the buckets of a histogram.
#pragma once

#include <optional>
#include <string>
#include <utility>

#include "histograms/index.h"
#include "keyspace/registry.h"
#include "talea/transaction.h"

namespace talea::histograms {

// A transaction that changes the buckets of a histogram. It reads the index's row, and writes it,
// so there is one at a time.
class LayoutChange {
 public:
  static Result<std::optional<LayoutChange>> Open(Engine& engine, IndexId id,
                                                  HistogramId histogram) {
    LayoutChange change(engine, histogram);
    std::optional<Index> index = TALEA_TRY(FindIndex(change.transaction_, id));
    if (!index || !index->Find(histogram)) return std::nullopt;  // dropped since
    change.index_ = std::move(*index);
    return change;
  }

  const Index& index() const { return index_; }
  const HistogramState& histogram() const { return *index_.Find(histogram_); }
  std::uint64_t next_layout() const { return histogram().layout + 1; }
  std::uint64_t cap() const { return index_.state->peek_cap; }
  Transaction& transaction() { return transaction_; }
  Reader& unrecorded() { return transaction_.unrecorded(); }

  void Put(const BucketId& id, const BucketRow& row) {
    transaction_.Put(kHistogramsKeyspace, BucketKey(index_.id, histogram_, id),
                     EncodeBucketRow(row));
  }
  void Erase(const BucketId& id) {
    transaction_.Erase(kHistogramsKeyspace, BucketKey(index_.id, histogram_, id));
    transaction_.Erase(kHistogramsKeyspace, BucketEndKey(index_.id, histogram_, id));
  }
  void AddTo(const std::string& counter, std::int64_t delta) {
    if (delta != 0) transaction_.Add(kHistogramCountersKeyspace, counter, delta);
  }
  std::string CounterOfBucket(const BucketId& id) const {
    return CounterKey(index_.id, histogram_, id.lower, id.generation);
  }

  Status Commit() {
    IndexState state = *index_.state;
    for (HistogramState& each : state.histograms) {
      if (each.id == histogram_) ++each.layout;
    }
    transaction_.Put(kHistogramsKeyspace, IndexKey(index_.id), EncodeIndexState(state));
    TALEA_TRY(transaction_.Commit());
    return {};
  }

 private:
  LayoutChange(Engine& engine, HistogramId histogram)
      : transaction_(engine), histogram_(histogram) {}

  Transaction transaction_;
  HistogramId histogram_;
  Index index_;
};

}  // namespace talea::histograms
