// The keys of the histograms layer. Each is a packed tuple, so `talea scan` can show it.
//
// Within an index values are compared as bytes: the packed elements of the value, followed in an
// entry by the packed document. A boundary of a bucket is any such bytes, not always a whole value.
#pragma once

#include <cstdint>
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

// What the key of an entry or counter tells; views into the key, or into `scratch` where the stored
// bytes are escaped.
struct CounterKeyParts {
  IndexId index;
  HistogramId histogram;
  std::string boundary;
  Generation generation;
};
Result<CounterKeyParts> PartsOfCounterKey(ByteView key);

struct EntryKeyParts {
  IndexId index;
  ByteView value_and_document;  // packed
};
Result<EntryKeyParts> PartsOfEntryKey(ByteView key);

// Where the packed value of so many elements ends, and the document begins.
Result<std::size_t> ValueLength(ByteView value_and_document, std::size_t elements);

}  // namespace talea::histograms
