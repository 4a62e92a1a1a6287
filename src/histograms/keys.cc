#include "histograms/keys.h"

#include "base/check.h"
#include "coordination/keys.h"
#include "keyspace/prefixed_key.h"
#include "keyspace/registry.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea::histograms {
namespace {

// A generation never begins with this byte, which in a longer boundary escapes a NUL: so behind a
// packed boundary it divides its generations from all boundaries that are greater.
constexpr char kBehindGenerations = '\xff';

// The keys of all generations of a bucket begin with it. As no other keys do but those of lower
// boundaries that begin with this one and a NUL, which sort behind them, it also divides the keys
// of lesser boundaries from the rest.
std::string BoundaryKey(HistogramsPrefix prefix, IndexId index, HistogramId histogram,
                        ByteView lower) {
  std::string key = PrefixedKey(prefix, index, histogram);
  TuplePacker(key).Bytes(lower);
  return key;
}

std::string KeyOfBucket(HistogramsPrefix prefix, IndexId index, HistogramId histogram,
                        const BucketId& bucket) {
  std::string key = BoundaryKey(prefix, index, histogram, bucket.lower);
  TuplePacker(key).Int(bucket.generation);
  return key;
}

std::string CounterPrefix(IndexId index) {
  std::string key;
  TuplePacker(key).Int(index);
  return key;
}

std::string CounterPrefix(IndexId index, HistogramId histogram) {
  std::string key = CounterPrefix(index);
  TuplePacker(key).Int(histogram);
  return key;
}

// As BoundaryKey.
std::string CounterBoundaryKey(IndexId index, HistogramId histogram, ByteView boundary) {
  std::string key = CounterPrefix(index, histogram);
  TuplePacker(key).Bytes(boundary);
  return key;
}

Result<std::string> TakeName(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, HistogramsPrefix::name));
  std::string name(TALEA_TRY(reader.Text()));
  TALEA_TRY(reader.Finish());
  TALEA_TRY(CheckName("index", name));
  return name;
}

Result<EntryKeyParts> TakeEntry(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, HistogramsPrefix::entry));
  const IndexId index = TALEA_TRY(reader.Uint());
  return EntryKeyParts{index, reader.rest()};
}

Result<CounterKeyParts> TakeCounter(TupleReader& reader) {
  CounterKeyParts parts;
  parts.index = TALEA_TRY(reader.Uint());
  parts.histogram = TALEA_TRY(reader.Uint());
  parts.boundary = TALEA_TRY(reader.Bytes());
  parts.generation = TALEA_TRY(reader.Uint());
  TALEA_TRY(reader.Finish());
  return parts;
}

Result<CounterKeyParts> TakeBucket(ByteView key) {
  TupleReader reader(key);
  TALEA_TRY(TakePrefix(reader, HistogramsPrefix::bucket));
  return TakeCounter(reader);
}

}  // namespace

std::string NameKey(std::string_view name) {
  std::string key = PrefixedKey(HistogramsPrefix::name);
  TALEA_CHECK(TuplePacker(key).Text(name).has_value());  // CheckName has let it pass
  return key;
}

KeyRange NameKeys() { return KeyRange::Prefix(PrefixedKey(HistogramsPrefix::name)); }

Result<std::string> NameOfKey(ByteView key) {
  return Named(kHistogramsKeyspace, "an index's name", key, TakeName(key));
}

std::string IndexKey(IndexId index) { return PrefixedKey(HistogramsPrefix::index, index); }

Result<IndexId> IndexOfKey(ByteView key) {
  return Named(kHistogramsKeyspace, "an index", key, TakeNumber(HistogramsPrefix::index, key));
}

std::string LastIndexKey() { return PrefixedKey(HistogramsPrefix::last_index); }

std::string BuildKey(IndexId index) { return PrefixedKey(HistogramsPrefix::build, index); }

Result<IndexId> IndexOfBuildKey(ByteView key) {
  return Named(kHistogramsKeyspace, "an index that is built", key,
               TakeNumber(HistogramsPrefix::build, key));
}

std::string IndexChangeKey(IndexId index, std::uint64_t change) {
  return PrefixedKey(HistogramsPrefix::index_change, index, change);
}

std::string EntryPrefix(IndexId index) { return PrefixedKey(HistogramsPrefix::entry, index); }

KeyRange EntryKeys(IndexId index) { return KeyRange::Prefix(EntryPrefix(index)); }

KeyRange EntryKeysWithin(IndexId index, ByteView lower, const std::optional<std::string>& upper) {
  const std::string prefix = EntryPrefix(index);
  const KeyRange from = EntryKeys(index).StartingAt(prefix + std::string(lower));
  return upper ? from.EndingAt(prefix + *upper) : from;
}

std::string BucketKey(IndexId index, HistogramId histogram, const BucketId& bucket) {
  return KeyOfBucket(HistogramsPrefix::bucket, index, histogram, bucket);
}

KeyRange BucketKeys(IndexId index, HistogramId histogram) {
  return KeyRange::Prefix(PrefixedKey(HistogramsPrefix::bucket, index, histogram));
}

KeyRange BucketKeysOfIndex(IndexId index) {
  return KeyRange::Prefix(PrefixedKey(HistogramsPrefix::bucket, index));
}

KeyRange BucketKeysUpTo(IndexId index, HistogramId histogram, ByteView bytes) {
  const std::string last = BoundaryKey(HistogramsPrefix::bucket, index, histogram, bytes);
  return BucketKeys(index, histogram).EndingAt(last + kBehindGenerations);
}

KeyRange BucketKeysWithin(IndexId index, HistogramId histogram, ByteView lower,
                          const std::optional<std::string>& upper) {
  const auto at = [&](ByteView bytes) {
    return BoundaryKey(HistogramsPrefix::bucket, index, histogram, bytes);
  };
  const KeyRange from = BucketKeys(index, histogram).StartingAt(at(lower));
  return upper ? from.EndingAt(at(*upper)) : from;
}

Result<BucketKeyParts> PartsOfBucketKey(ByteView key) {
  CounterKeyParts parts = TALEA_TRY(Named(kHistogramsKeyspace, "a bucket", key, TakeBucket(key)));
  return BucketKeyParts{
      parts.index, parts.histogram, {std::move(parts.boundary), parts.generation}};
}

Result<BucketId> BucketOfKey(ByteView key) {
  BucketKeyParts parts = TALEA_TRY(PartsOfBucketKey(key));
  return std::move(parts.bucket);
}

std::string BucketEndKey(IndexId index, HistogramId histogram, const BucketId& bucket) {
  return KeyOfBucket(HistogramsPrefix::bucket_end, index, histogram, bucket);
}

std::string CounterKey(IndexId index, HistogramId histogram, ByteView boundary,
                       Generation generation) {
  std::string key = CounterBoundaryKey(index, histogram, boundary);
  TuplePacker(key).Int(generation);
  return key;
}

KeyRange CounterKeys(IndexId index, HistogramId histogram) {
  return KeyRange::Prefix(CounterPrefix(index, histogram));
}

KeyRange CounterKeysOfIndex(IndexId index) { return KeyRange::Prefix(CounterPrefix(index)); }

KeyRange CounterKeysWithin(IndexId index, HistogramId histogram, ByteView lower,
                           const std::optional<std::string>& upper) {
  const KeyRange from =
      CounterKeys(index, histogram).StartingAt(CounterBoundaryKey(index, histogram, lower));
  return upper ? from.EndingAt(CounterBoundaryKey(index, histogram, *upper)) : from;
}

Result<CounterKeyParts> PartsOfCounterKey(ByteView key) {
  TupleReader reader(key);
  return Named(kHistogramCountersKeyspace, "a bucket's counter", key, TakeCounter(reader));
}

Result<EntryKeyParts> PartsOfEntryKey(ByteView key) {
  return Named(kHistogramsKeyspace, "an entry", key, TakeEntry(key));
}

Result<std::size_t> ValueLength(ByteView value_and_document, std::size_t elements) {
  TupleReader reader(value_and_document);
  for (std::size_t taken = 0; taken < elements; ++taken) TALEA_TRY(reader.Skip());
  return reader.offset();
}

}  // namespace talea::histograms
