// Dividing and uniting the buckets of a histogram while others write, without aborting them.
//
// Two commits. The first writes the new buckets beside the old ones: from then on new entries are
// counted in the new ones, whose counters start at nothing, and readers take all of them together
// for one bucket. The second, on a later snapshot, counts the entries of the new buckets, adds to
// each counter what it lacks, and takes the old ones away. What was counted in between, and while
// the second is under way, is in the counters already and stays there: only additions are made to
// them. It conflicts with whoever still adds to an old counter, since it reads that; and whoever
// has found an old bucket before the first commit, and commits after the second, conflicts with it
// (BucketEndKey). The sum of old and new is the number of entries at every snapshot.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "histograms/store_state.h"
#include "talea/engine.h"

namespace talea::histograms {

// Reads the buckets of a histogram, and about how many entries each has.
Status ReadLayout(Reader& reader, IndexId index, const HistogramState& histogram, Layout& layout);

class Reshaper {
 public:
  Reshaper(Engine& engine, Activity& activity, KnownIndex& index, HistogramId histogram,
           std::shared_ptr<Layout> layout)
      : engine_(engine),
        activity_(activity),
        index_(index),
        histogram_(histogram),
        layout_(std::move(layout)) {}

  // Divides and unites the buckets that were noted (Layout::Note), and finishes what others have
  // left. Leaves it to another thread that is at it; on an error gives up, and the next commit to
  // the bucket tries again.
  void Tend(std::int64_t cap);

  // Divides and unites until nothing is out of bounds.
  Status Settle();

  // Counts one more part of what is not counted yet. Returns how many entries, or nothing if there
  // is no such part.
  Result<std::optional<std::uint64_t>> CountSome();

 private:
  // The two commits. Begin returns the span under way, or nothing if there is nothing to do.
  Result<std::optional<Span>> Begin(const std::vector<BucketPointer>& ending);
  Status End(const Span& whole);

  // Begins it, and ends it unless others hold an old bucket.
  Status Reshape(const std::vector<BucketPointer>& ending);
  Status Tend(const BucketPointer& bucket, std::int64_t cap);
  Status FinishOthers(bool pinned_too);
  std::vector<BucketPointer> ToUnite(const Bucket& bucket, std::int64_t cap) const;

  Engine& engine_;
  Activity& activity_;
  KnownIndex& index_;
  const HistogramId histogram_;
  const std::shared_ptr<Layout> layout_;
};

}  // namespace talea::histograms
