#include "histograms/reshape.h"

#include <algorithm>
#include <map>

#include "coordination/attempts.h"
#include "histograms/changes.h"
#include "histograms/division.h"
#include "histograms/layout_change.h"
#include "histograms/recount.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// Whether these buckets are stored as they are remembered, and nothing is under way with them.
Result<bool> AreAsRemembered(LayoutChange& change, const std::vector<BucketPointer>& buckets) {
  std::vector<std::string> keys;
  std::vector<KeyReference> references;
  for (const BucketPointer& bucket : buckets) {
    keys.push_back(BucketKey(change.index().id, change.histogram().id, bucket->id));
  }
  for (const std::string& key : keys) references.emplace_back(kHistogramsKeyspace, key);
  for (const std::optional<std::string>& row :
       TALEA_TRY(change.unrecorded().MultiGet(references))) {
    if (!row || TALEA_TRY(DecodeBucketRow(*row)).whole) return false;
  }
  return true;
}

}  // namespace

Status ReadLayout(Reader& reader, IndexId index, const HistogramState& histogram, Layout& layout) {
  std::vector<BucketPointer> buckets;
  std::vector<Reshaping> reshapings;
  for (const StoredBucket& stored : TALEA_TRY(ReadBuckets(reader, index, histogram.id))) {
    BucketPointer bucket = MakeBucket(index, histogram, stored.id, stored.row);
    if (stored.row.whole && (reshapings.empty() || reshapings.back().whole != *stored.row.whole)) {
      reshapings.push_back({*stored.row.whole, {}});
    }
    if (stored.row.ending && stored.row.whole) {
      reshapings.back().ending.push_back(std::move(bucket));
    } else {
      buckets.push_back(std::move(bucket));
    }
  }
  if (buckets.empty() || !buckets.front()->id.lower.empty()) {
    return Fail(ErrorCode::corruption, "index number " + std::to_string(index) + ", histogram " +
                                           std::to_string(histogram.id) +
                                           ": expected a bucket for the least values, found none");
  }
  if (histogram.kind.learned()) {
    std::map<BucketId, std::int64_t> counts;
    Scanner rows(reader, kHistogramCountersKeyspace, CounterKeys(index, histogram.id));
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      CounterKeyParts parts = TALEA_TRY(PartsOfCounterKey(row->key));
      counts[{std::move(parts.boundary), parts.generation}] = TALEA_TRY(CounterOf(*row));
    }
    for (const BucketPointer& bucket : buckets) {
      const auto count = counts.find(bucket->id);
      if (count != counts.end()) bucket->entries = count->second;
    }
  }
  layout.Reset(histogram.layout, std::move(buckets), std::move(reshapings));
  return {};
}

// An empty bucket goes into any neighbour that has room, others only together with small ones.
std::vector<BucketPointer> Reshaper::ToUnite(const Bucket& bucket, std::int64_t cap) const {
  return layout_->SmallNeighbours(bucket, bucket.entries <= 0 ? cap + cap / 2 : cap / 2);
}

void Reshaper::Tend(std::int64_t cap) {
  do {
    const std::unique_lock lock(index_.reshaping, std::try_to_lock);
    if (!lock.owns_lock()) return;  // who has it looks once more when it is done
    if (!FinishOthers(false)) return;
    for (const BucketPointer& bucket : layout_->TakeNoted()) {
      if (!Tend(bucket, cap)) return;
    }
  } while (layout_->HasNoted());
}

Status Reshaper::Tend(const BucketPointer& bucket, std::int64_t cap) {
  if (!layout_->IsWhole(*bucket)) return {};
  if (bucket->IsTooLarge(cap)) {
    TALEA_TRY(Reshape({bucket}));
  } else if (4 * bucket->entries < cap) {
    const std::vector<BucketPointer> small = ToUnite(*bucket, cap);
    if (small.size() > 1) TALEA_TRY(Reshape(small));
  }
  return {};
}

Status Reshaper::Reshape(const std::vector<BucketPointer>& ending) {
  const std::optional<Span> begun = TALEA_TRY(Begin(ending));
  return begun ? FinishOthers(false) : Status();
}

Status Reshaper::FinishOthers(bool pinned_too) {
  for (const Span& whole : layout_->Unfinished(pinned_too)) TALEA_TRY(End(whole));
  return {};
}

Result<std::optional<Span>> Reshaper::Begin(const std::vector<BucketPointer>& ending) {
  return TryUntilDecided([&]() -> Result<std::optional<Span>> {
    std::optional<LayoutChange> change =
        TALEA_TRY(LayoutChange::Open(engine_, index_.id(), histogram_));
    if (!change || !TALEA_TRY(AreAsRemembered(*change, ending))) return std::nullopt;
    const Span whole{ending.front()->id.lower, ending.back()->upper};
    const bool learned = change->histogram().kind.learned();
    std::vector<Successor> successors;
    if (ending.size() > 1) {
      successors.push_back({{whole.lower, change->next_layout()}, {.upper = whole.upper}});
    } else {
      const Bucket& bucket = *ending.front();
      successors = TALEA_TRY(learned ? Divisions(*change, bucket) : CountedPart(*change, bucket));
      if (successors.size() == 1 && !ending.front()->uncounted) {
        ending.front()->patience =
            ending.front()->entries + static_cast<std::int64_t>(change->cap());
        return std::nullopt;
      }
    }
    std::vector<BucketPointer> taking;
    for (Successor& successor : successors) {
      successor.row.whole = whole;
      change->Put(successor.id, successor.row);
      taking.push_back(MakeBucket(index_.id(), change->histogram(), successor.id, successor.row));
    }
    for (const BucketPointer& bucket : ending) {
      change->Put(
          bucket->id,
          {.upper = bucket->upper, .uncounted = bucket->uncounted, .ending = true, .whole = whole});
    }
    change->transaction().AfterCommit(
        [layout = layout_, number = change->next_layout(), whole, ending, taking](Version) mutable {
          layout->Begin(number, {whole, std::move(ending)}, std::move(taking));
        });
    TALEA_TRY(change->Commit());
    (ending.size() > 1 ? activity_.unions : activity_.divisions) += 1;
    return whole;
  });
}

Status Reshaper::End(const Span& whole) {
  return TryUntilDecided([&]() -> Status {
    std::optional<LayoutChange> change =
        TALEA_TRY(LayoutChange::Open(engine_, index_.id(), histogram_));
    if (!change) return {};
    std::vector<StoredBucket> ending;
    std::vector<StoredBucket> taking;
    for (StoredBucket& bucket :
         TALEA_TRY(ReadBucketsWithin(change->unrecorded(), index_.id(), histogram_, whole))) {
      if (bucket.row.whole != whole) continue;
      (bucket.row.ending ? ending : taking).push_back(std::move(bucket));
    }
    if (taking.empty()) return {};  // another process was quicker
    const BucketNumbers numbers =
        TALEA_TRY(change->histogram().kind.learned() ? MoveCounts(*change, ending, taking)
                                                     : MovePrefixCounts(*change, ending, taking));
    for (const StoredBucket& bucket : ending) change->Erase(bucket.id);
    for (StoredBucket& bucket : taking) {
      bucket.row.whole = std::nullopt;
      change->Put(bucket.id, bucket.row);
    }
    change->transaction().AfterCommit([layout = layout_, number = change->next_layout(), whole,
                                       numbers](Version) { layout->End(number, whole, numbers); });
    const auto cap = static_cast<std::int64_t>(change->cap());
    TALEA_TRY(change->Commit());
    // Of a very large one a part is left to be divided again.
    for (const BucketPointer& part : layout_->Within(whole)) {
      if (part->IsTooLarge(cap)) layout_->Note(part);
    }
    return {};
  });
}

// Loads what is stored, as others may have divided buckets too.
Status Reshaper::Settle() {
  const std::unique_lock lock(index_.reshaping);
  for (bool changed = true; changed;) {
    changed = false;
    const auto snapshot = TALEA_TRY(engine_.OpenSnapshot());
    const std::optional<Index> index = TALEA_TRY(FindIndex(*snapshot, index_.id()));
    const HistogramState* histogram = index ? index->Find(histogram_) : nullptr;
    if (!histogram) return {};
    TALEA_TRY(ReadLayout(*snapshot, index_.id(), *histogram, *layout_));
    TALEA_TRY(FinishOthers(true));
    if (!histogram->kind.learned()) return {};
    const std::int64_t cap = index->state->peek_cap;
    for (const BucketPointer& bucket : layout_->All()) {
      if (bucket->uncounted) continue;
      const std::int64_t entries = bucket->entries;
      std::vector<BucketPointer> reshaped;
      if (bucket->IsTooLarge(cap)) {
        reshaped = {bucket};
      } else if (4 * entries < cap) {
        reshaped = ToUnite(*bucket, cap);
        if (reshaped.size() == 1) continue;
      }
      if (reshaped.empty()) continue;
      const std::optional<Span> whole = TALEA_TRY(Begin(reshaped));
      if (!whole) continue;
      TALEA_TRY(End(*whole));
      changed = true;
    }
  }
  return {};
}

Result<std::optional<std::uint64_t>> Reshaper::CountSome() {
  const std::unique_lock lock(index_.reshaping);
  const auto snapshot = TALEA_TRY(engine_.OpenSnapshot());
  const std::optional<Index> index = TALEA_TRY(FindIndex(*snapshot, index_.id()));
  const HistogramState* histogram = index ? index->Find(histogram_) : nullptr;
  if (!histogram) return std::nullopt;
  TALEA_TRY(ReadLayout(*snapshot, index_.id(), *histogram, *layout_));
  TALEA_TRY(FinishOthers(true));
  for (const BucketPointer& bucket : layout_->All()) {
    if (!bucket->uncounted) continue;
    const std::optional<Span> whole = TALEA_TRY(Begin({bucket}));
    if (!whole) return 0;
    TALEA_TRY(End(*whole));
    std::uint64_t counted = 0;
    for (const BucketPointer& each : layout_->All()) {
      if (whole->Contains(each->id.lower) && !each->uncounted) {
        counted += static_cast<std::uint64_t>(std::max<std::int64_t>(each->entries, 0));
      }
    }
    return counted;
  }
  return std::nullopt;
}

}  // namespace talea::histograms
