#include "histograms/layout.h"

#include <algorithm>
#include <mutex>

#include "base/check.h"

namespace talea::histograms {
namespace {

bool Overlap(const Span& a, const Bucket& b) {
  return (!b.upper || a.lower < *b.upper) && (!a.upper || b.id.lower < *a.upper);
}

}  // namespace

std::uint64_t Layout::number() const {
  const std::shared_lock lock(mutex_);
  return number_;
}

const BucketPointer& Layout::At(ByteView bytes) const {
  const auto after = buckets_.upper_bound(bytes);
  TALEA_CHECK(after != buckets_.begin());  // the first bucket begins with the empty string
  return std::prev(after)->second;
}

Pin Layout::Find(ByteView bytes) const {
  const std::shared_lock lock(mutex_);
  return Pin(At(bytes));
}

void Layout::Reset(std::uint64_t number, std::vector<BucketPointer> buckets,
                   std::vector<Reshaping> reshapings) {
  const std::unique_lock lock(mutex_);
  if (number < number_) return;
  // Those that are known already keep their pins.
  Buckets fresh;
  for (BucketPointer& bucket : buckets) {
    if (const BucketPointer known = FindKnown(bucket->id);
        known && known->uncounted == bucket->uncounted) {
      known->entries = bucket->entries.load();
      bucket = known;
    }
    std::string lower = bucket->id.lower;
    fresh.emplace(std::move(lower), std::move(bucket));
  }
  for (Reshaping& reshaping : reshapings) {
    for (BucketPointer& ending : reshaping.ending) {
      if (BucketPointer known = FindKnown(ending->id)) ending = std::move(known);
    }
  }
  buckets_ = std::move(fresh);
  reshapings_ = std::move(reshapings);
  number_ = number;
}

void Layout::Begin(std::uint64_t number, Reshaping reshaping,
                   std::vector<BucketPointer> successors) {
  const std::unique_lock lock(mutex_);
  if (number != number_ + 1) return;
  for (BucketPointer& ending : reshaping.ending) {
    const auto known = buckets_.find(ending->id.lower);
    TALEA_CHECK(known != buckets_.end() && known->second->id == ending->id);
    ending = known->second;
    buckets_.erase(known);
  }
  for (BucketPointer& successor : successors) {
    std::string lower = successor->id.lower;
    buckets_.emplace(std::move(lower), std::move(successor));
  }
  reshapings_.push_back(std::move(reshaping));
  number_ = number;
}

void Layout::End(std::uint64_t number, const Span& whole,
                 const std::vector<std::pair<BucketId, std::int64_t>>& entries) {
  const std::unique_lock lock(mutex_);
  if (number != number_ + 1) return;
  std::erase_if(reshapings_, [&](const Reshaping& each) { return each.whole == whole; });
  for (const auto& [id, count] : entries) {
    const auto known = buckets_.find(id.lower);
    if (known != buckets_.end() && known->second->id == id) known->second->entries = count;
  }
  number_ = number;
}

BucketPointer Layout::FindKnown(const BucketId& id) const {
  const auto found = buckets_.find(id.lower);
  if (found != buckets_.end() && found->second->id == id) return found->second;
  for (const Reshaping& reshaping : reshapings_) {
    const auto ending = std::ranges::find(reshaping.ending, id,
                                          [](const BucketPointer& bucket) { return bucket->id; });
    if (ending != reshaping.ending.end()) return *ending;
  }
  return nullptr;
}

void Layout::Note(BucketPointer bucket) {
  const std::unique_lock lock(mutex_);
  if (std::ranges::find(noted_, bucket) == noted_.end()) noted_.push_back(std::move(bucket));
}

std::vector<BucketPointer> Layout::TakeNoted() {
  const std::unique_lock lock(mutex_);
  return std::exchange(noted_, {});
}

bool Layout::HasNoted() const {
  const std::shared_lock lock(mutex_);
  return !noted_.empty();
}

bool Layout::IsWhole(const Bucket& bucket) const {
  const std::shared_lock lock(mutex_);
  const auto found = buckets_.find(bucket.id.lower);
  return found != buckets_.end() && found->second.get() == &bucket && !IsReshaping(bucket);
}

std::vector<BucketPointer> Layout::Within(const Span& span) const {
  const std::shared_lock lock(mutex_);
  std::vector<BucketPointer> within;
  for (auto each = buckets_.lower_bound(span.lower); each != buckets_.end(); ++each) {
    if (!span.Contains(each->first)) break;
    within.push_back(each->second);
  }
  return within;
}

std::vector<Span> Layout::Unfinished(bool pinned_too) const {
  const std::shared_lock lock(mutex_);
  std::vector<Span> unfinished;
  for (const Reshaping& each : reshapings_) {
    const auto pinned = [](const BucketPointer& bucket) { return bucket->pins.load() > 0; };
    if (pinned_too || std::ranges::none_of(each.ending, pinned)) unfinished.push_back(each.whole);
  }
  return unfinished;
}

bool Layout::IsReshaping(const Bucket& bucket) const {
  return std::ranges::any_of(reshapings_,
                             [&](const Reshaping& each) { return Overlap(each.whole, bucket); });
}

std::vector<BucketPointer> Layout::SmallNeighbours(const Bucket& bucket, std::int64_t most) const {
  constexpr std::size_t kMostAtOnce = 64;
  const std::shared_lock lock(mutex_);
  const auto start = buckets_.find(bucket.id.lower);
  if (start == buckets_.end() || start->second->id != bucket.id || IsReshaping(bucket)) return {};
  std::vector<BucketPointer> before;
  std::vector<BucketPointer> found{start->second};
  std::int64_t entries = bucket.entries;
  const auto fits = [&](const Bucket& other) {
    const std::int64_t together = entries + other.entries;
    if (before.size() + found.size() == kMostAtOnce || together > most || other.uncounted ||
        IsReshaping(other)) {
      return false;
    }
    entries = together;
    return true;
  };
  for (auto next = std::next(start); next != buckets_.end() && fits(*next->second); ++next) {
    found.push_back(next->second);
  }
  for (auto next = start; next != buckets_.begin() && fits(*std::prev(next)->second);) {
    before.push_back((--next)->second);
  }
  std::ranges::reverse(before);
  before.insert(before.end(), found.begin(), found.end());
  return before;
}

}  // namespace talea::histograms
