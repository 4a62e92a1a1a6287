// An index as its readers and writers find it in a state of the engine.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "histograms/codec.h"
#include "histograms/keys.h"
#include "talea/reader.h"

namespace talea::histograms {

struct Index {
  IndexId id = 0;
  std::shared_ptr<const IndexState> state;

  const HistogramState& reading() const { return state->histograms.front(); }
  const HistogramState* Find(HistogramId histogram) const {
    for (const HistogramState& each : state->histograms) {
      if (each.id == histogram) return &each;
    }
    return nullptr;
  }
};

Error UnknownIndex(std::string_view name);

// The index of that name; not_found if there is none.
Result<Index> FindIndex(Reader& reader, std::string_view name);

// The index of that number, or nothing.
Result<std::optional<Index>> FindIndex(Reader& reader, IndexId id);

// The buckets of a histogram, in the order of their keys.
struct StoredBucket {
  BucketId id;
  BucketRow row;
  Span span() const { return {id.lower, row.upper}; }
};
Result<std::vector<StoredBucket>> ReadBuckets(Reader& reader, IndexId index, HistogramId histogram);

// Those of the division or union that covers this span, or the one bucket that does.
Result<std::vector<StoredBucket>> ReadBucketsWithin(Reader& reader, IndexId index,
                                                    HistogramId histogram, const Span& span);

// The span whose counters together are right, and that holds the bound: a bucket, or all of a
// division or union that is under way.
Result<Span> FindSpan(Reader& reader, IndexId index, HistogramId histogram, ByteView bound);

// The bucket that takes an entry.
Result<StoredBucket> FindTaker(Reader& reader, IndexId index, HistogramId histogram,
                               ByteView value_and_document);

// The sum of the counters whose boundaries lie in the span, and how many there are.
struct CounterSum {
  std::int64_t sum = 0;
  std::uint64_t counters = 0;
};
Result<CounterSum> SumCounters(Reader& reader, IndexId index, HistogramId histogram,
                               const Span& span);

// The number of entries in the span, up to `most`.
Result<std::uint64_t> CountEntries(Reader& reader, IndexId index, const Span& span,
                                   std::uint64_t most);

// A counter's value as a scan shows it.
Result<std::int64_t> CounterOf(const Row& row);

}  // namespace talea::histograms
