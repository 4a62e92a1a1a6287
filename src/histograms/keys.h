// The keys of the histograms layer. Each is a packed tuple, so `talea scan` can show it.
//
// Keys that are read back are untrusted: what is no such key is corruption.
//
// Within an index values are compared as bytes: the packed elements of the value, followed in an
// entry by the packed document. A boundary of a bucket is any such bytes, not always a whole value.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "talea/key_range.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea::histograms {

using IndexId = std::uint64_t;
using HistogramId = std::uint64_t;  // within its index
using Generation = std::uint64_t;   // within its histogram; those of later buckets are greater

// One bucket, among all that a histogram ever had.
struct BucketId {
  std::string lower;
  Generation generation = 0;
  friend auto operator<=>(const BucketId&, const BucketId&) = default;
};

std::string NameKey(std::string_view name);
KeyRange NameKeys();
Result<std::string> NameOfKey(ByteView key);
std::string IndexKey(IndexId index);
Result<IndexId> IndexOfKey(ByteView key);

// Holds the number of the newest index, so that none is given twice.
std::string LastIndexKey();

// Holds the key up to which Build has taken rows in.
std::string BuildKey(IndexId index);
Result<IndexId> IndexOfBuildKey(ByteView key);

// Recorded by whoever relies on what is known of an index, and erased by whoever changes it. The
// division of buckets is no such change.
std::string IndexChangeKey(IndexId index, std::uint64_t change);

// Entries: the prefix, followed by packed value and packed document.
std::string EntryPrefix(IndexId index);
KeyRange EntryKeys(IndexId index);
// Those whose packed value and document lie in [lower, upper).
KeyRange EntryKeysWithin(IndexId index, ByteView lower, const std::optional<std::string>& upper);

std::string BucketKey(IndexId index, HistogramId histogram, const BucketId& bucket);
KeyRange BucketKeys(IndexId index, HistogramId histogram);
KeyRange BucketKeysOfIndex(IndexId index);
// Those of buckets whose lower boundary is at most `bytes`.
KeyRange BucketKeysUpTo(IndexId index, HistogramId histogram, ByteView bytes);
// Those of buckets whose lower boundary lies in [lower, upper).
KeyRange BucketKeysWithin(IndexId index, HistogramId histogram, ByteView lower,
                          const std::optional<std::string>& upper);
struct BucketKeyParts {
  IndexId index = 0;
  HistogramId histogram = 0;
  BucketId bucket;
  friend bool operator==(const BucketKeyParts&, const BucketKeyParts&) = default;
};
Result<BucketKeyParts> PartsOfBucketKey(ByteView key);
Result<BucketId> BucketOfKey(ByteView key);

// Recorded by whoever adds to a bucket, and erased when the bucket takes no more.
std::string BucketEndKey(IndexId index, HistogramId histogram, const BucketId& bucket);

// Counters: of a learned histogram by the bucket's lower boundary, of a fixed one by the prefix of
// the values (PrefixOf in fixed.h), each with the generation of the bucket that takes the value.
std::string CounterKey(IndexId index, HistogramId histogram, ByteView boundary,
                       Generation generation);
KeyRange CounterKeys(IndexId index, HistogramId histogram);
KeyRange CounterKeysOfIndex(IndexId index);
// Those whose boundary lies in [lower, upper).
KeyRange CounterKeysWithin(IndexId index, HistogramId histogram, ByteView lower,
                           const std::optional<std::string>& upper);

struct CounterKeyParts {
  IndexId index = 0;
  HistogramId histogram = 0;
  std::string boundary;
  Generation generation = 0;
  friend bool operator==(const CounterKeyParts&, const CounterKeyParts&) = default;
};
Result<CounterKeyParts> PartsOfCounterKey(ByteView key);

// What follows the index is not looked at, so that a scan pays for what it needs only.
struct EntryKeyParts {
  IndexId index = 0;
  ByteView value_and_document;  // packed, in the key
  friend bool operator==(const EntryKeyParts&, const EntryKeyParts&) = default;
};
Result<EntryKeyParts> PartsOfEntryKey(ByteView key);

// Where the packed value of so many elements ends, and the document begins.
Result<std::size_t> ValueLength(ByteView value_and_document, std::size_t elements);

}  // namespace talea::histograms
