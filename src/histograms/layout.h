// The buckets of a histogram as a store remembers them, so that a write finds its bucket without
// reading.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <shared_mutex>
#include <string>
#include <utility>
#include <vector>

#include "histograms/codec.h"
#include "histograms/keys.h"

namespace talea::histograms {

// A bucket that takes new entries, or did.
struct Bucket {
  Bucket(BucketId bucket_id, std::optional<std::string> bucket_upper, bool is_uncounted)
      : id(std::move(bucket_id)), upper(std::move(bucket_upper)), uncounted(is_uncounted) {}

  bool Contains(ByteView bytes) const { return bytes >= id.lower && (!upper || bytes < *upper); }
  Span span() const { return {id.lower, upper}; }
  bool IsTooLarge(std::int64_t cap) const { return entries > std::max(2 * cap, patience.load()); }

  const BucketId id;
  const std::optional<std::string> upper;
  const bool uncounted;
  std::string counter_key;  // of a learned histogram
  std::string end_key;

  // About how many entries it has: what this store has read, added and removed. Nothing stored
  // depends on it, only when it is looked at whether to divide.
  std::atomic<std::int64_t> entries{0};
  std::atomic<std::int64_t> patience{0};  // dividing was of no use up to this size
  std::atomic<std::uint64_t> writes{0};
  std::atomic<std::int64_t> pins{0};
};

using BucketPointer = std::shared_ptr<Bucket>;

// Held by a transaction that has added to a bucket: until then its division is not finished, so
// that no transaction of this store is aborted by it.
class Pin {
 public:
  explicit Pin(BucketPointer bucket) : bucket_(std::move(bucket)) { ++bucket_->pins; }
  Pin(Pin&&) noexcept = default;
  Pin& operator=(Pin&&) = delete;
  ~Pin() {
    if (bucket_) --bucket_->pins;
  }
  const BucketPointer& bucket() const { return bucket_; }

 private:
  BucketPointer bucket_;
};

// A division or union under way.
struct Reshaping {
  Span whole;
  std::vector<BucketPointer> ending;
};

// The buckets that take new entries in the newest layout that is known. From any thread.
class Layout {
 public:
  // Grows with each change of the layout. A transaction may use any layout that is not older than
  // its snapshot's: the bucket has not ended at that snapshot, and if it ends later that conflicts.
  std::uint64_t number() const;

  // The bucket for an entry, pinned.
  Pin Find(ByteView bytes) const;

  // The same for many in ascending order: calls take(place, pin) with the first place that each
  // bucket takes; it takes all up to the next one's.
  template <class Take>
  void FindSorted(const std::vector<ByteView>& sorted, Take take) const {
    const std::shared_lock lock(mutex_);
    const Bucket* newest = nullptr;
    for (std::size_t place = 0; place < sorted.size(); ++place) {
      if (newest && newest->Contains(sorted[place])) continue;
      const BucketPointer& bucket = At(sorted[place]);
      newest = bucket.get();
      take(place, Pin(bucket));
    }
  }

  // Takes over what was read, unless something newer is known already.
  void Reset(std::uint64_t number, std::vector<BucketPointer> buckets,
             std::vector<Reshaping> reshapings);

  // A commit made layout `number`: it began to replace some buckets by others, or ended that.
  // Ignored unless the layout before it is the one that is known; then it will be read.
  void Begin(std::uint64_t number, Reshaping reshaping, std::vector<BucketPointer> successors);
  void End(std::uint64_t number, const Span& whole,
           const std::vector<std::pair<BucketId, std::int64_t>>& entries);

  std::vector<BucketPointer> All() const { return Within({}); }

  // Those that begin in the span.
  std::vector<BucketPointer> Within(const Span& span) const;

  // Remembers a bucket that has grown or shrunk beyond its bounds, until somebody takes care of it.
  void Note(BucketPointer bucket);
  std::vector<BucketPointer> TakeNoted();
  bool HasNoted() const;

  // Whether a bucket still takes what is new, and nothing is under way with it.
  bool IsWhole(const Bucket& bucket) const;

  // Those whose old buckets are not pinned any more, so that they can be finished; or all.
  std::vector<Span> Unfinished(bool pinned_too = false) const;

  // Neighbours of a bucket, itself included, that have at most `most` entries together.
  std::vector<BucketPointer> SmallNeighbours(const Bucket& bucket, std::int64_t most) const;

 private:
  using Buckets = std::map<std::string, BucketPointer, std::less<>>;

  const BucketPointer& At(ByteView bytes) const;
  BucketPointer FindKnown(const BucketId& id) const;
  bool IsReshaping(const Bucket& bucket) const;

  mutable std::shared_mutex mutex_;
  std::uint64_t number_ = 0;
  Buckets buckets_;  // by lower boundary
  std::vector<Reshaping> reshapings_;
  std::vector<BucketPointer> noted_;
};

}  // namespace talea::histograms
