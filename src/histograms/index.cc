#include "histograms/index.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// Pages as large as what is asked for, but not larger than memory is worth.
PageOptions Pages(std::uint64_t most) {
  constexpr std::uint64_t kMostRows = 4096;
  return {.row_limit = static_cast<std::size_t>(std::clamp<std::uint64_t>(most, 1, kMostRows))};
}

Error NoBucket(IndexId index, HistogramId histogram, ByteView bytes) {
  return Error(ErrorCode::corruption,
               fmt::format("index number {}, histogram {}: expected a bucket for {}, found none",
                           index, histogram, Quoted(bytes)));
}

// The last bucket that begins at or before the bytes.
Result<StoredBucket> LastUpTo(Reader& reader, IndexId index, HistogramId histogram,
                              ByteView bytes) {
  Scanner rows(reader, kHistogramsKeyspace, BucketKeysUpTo(index, histogram, bytes),
               {.reverse = true, .row_limit = 1});
  const std::optional<Row> row = TALEA_TRY(rows.Next());
  if (!row) return std::unexpected(NoBucket(index, histogram, bytes));
  return StoredBucket {
    TALEA_TRY(BucketOfKey(row->key))
    , TALEA_TRY(DecodeBucketRow(row->value))
  };
}

Result<std::vector<StoredBucket>> ReadBucketRows(Reader& reader, const KeyRange& keys) {
  std::vector<StoredBucket> buckets;
  Scanner rows(reader, kHistogramsKeyspace, keys);
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    buckets.push_back({
      TALEA_TRY(BucketOfKey(row->key))
      , TALEA_TRY(DecodeBucketRow(row->value))
    });
  }
  return buckets;
}

}  // namespace

Error UnknownIndex(std::string_view name) {
  return Error(
      ErrorCode::not_found,
      fmt::format("index {}: expected it to exist, found none of that name", Quoted(name)));
}

Result<Index> FindIndex(Reader& reader, std::string_view name) {
  const std::optional<std::string> row = TALEA_TRY(reader.Get(kHistogramsKeyspace, NameKey(name)));
  if (!row) return std::unexpected(UnknownIndex(name));
  const IndexId id = TALEA_TRY(DecodeIndexId(*row));
  std::optional<Index> index = TALEA_TRY(FindIndex(reader, id));
  if (index) return std::move(*index);
  return Fail(
      ErrorCode::corruption,
      fmt::format("index {}: expected a row of index number {}, found none", Quoted(name), id));
}

Result<std::optional<Index>> FindIndex(Reader& reader, IndexId id) {
  const std::optional<std::string> row = TALEA_TRY(reader.Get(kHistogramsKeyspace, IndexKey(id)));
  if (!row) return std::nullopt;
  return Index { id, std::make_shared<const IndexState>(TALEA_TRY(DecodeIndexState(*row))) };
}

Result<std::vector<StoredBucket>> ReadBuckets(Reader& reader, IndexId index,
                                              HistogramId histogram) {
  return ReadBucketRows(reader, BucketKeys(index, histogram));
}

Result<std::vector<StoredBucket>> ReadBucketsWithin(Reader& reader, IndexId index,
                                                    HistogramId histogram, const Span& span) {
  return ReadBucketRows(reader, BucketKeysWithin(index, histogram, span.lower, span.upper));
}

Result<Span> FindSpan(Reader& reader, IndexId index, HistogramId histogram, ByteView bound) {
  StoredBucket bucket = TALEA_TRY(LastUpTo(reader, index, histogram, bound));
  return bucket.row.whole ? std::move(*bucket.row.whole) : bucket.span();
}

Result<StoredBucket> FindTaker(Reader& reader, IndexId index, HistogramId histogram,
                               ByteView value_and_document) {
  StoredBucket bucket = TALEA_TRY(LastUpTo(reader, index, histogram, value_and_document));
  if (!bucket.row.ending) return bucket;
  for (StoredBucket& each :
       TALEA_TRY(ReadBucketsWithin(reader, index, histogram, *bucket.row.whole))) {
    if (!each.row.ending && each.span().Contains(value_and_document)) return std::move(each);
  }
  return std::unexpected(NoBucket(index, histogram, value_and_document));
}

Result<std::int64_t> CounterOf(const Row& row) {
  if (const std::optional<std::int64_t> counter = DecodeCounter(row.value)) return *counter;
  return Fail(ErrorCode::corruption, fmt::format("counter {}: expected 8 bytes, found {}",
                                                 Quoted(row.key), row.value.size()));
}

Result<CounterSum> SumCounters(Reader& reader, IndexId index, HistogramId histogram,
                               const Span& span) {
  CounterSum result;
  Scanner rows(reader, kHistogramCountersKeyspace,
               CounterKeysWithin(index, histogram, span.lower, span.upper));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    result.sum = WrappingAdd(result.sum, TALEA_TRY(CounterOf(*row)));
    ++result.counters;
  }
  return result;
}

Result<std::uint64_t> CountEntries(Reader& reader, IndexId index, const Span& span,
                                   std::uint64_t most) {
  std::uint64_t count = 0;
  std::optional<KeyRange> rest = EntryKeysWithin(index, span.lower, span.upper);
  while (rest && count < most) {
    const Page page = TALEA_TRY(reader.Range(kHistogramsKeyspace, *rest, Pages(most - count)));
    count += page.size();
    rest = page.rest();
  }
  return count;
}

}  // namespace talea::histograms
