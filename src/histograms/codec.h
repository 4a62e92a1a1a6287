// The values of the histograms layer's rows, as docs/formats.md describes them. Stored bytes are
// untrusted: decoding checks them all.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "histograms/keys.h"
#include "talea/histograms.h"

namespace talea::histograms {

// What IndexOptions allow; rows with other numbers are corrupt.
inline constexpr std::uint8_t kMostElements = 16;
inline constexpr std::uint8_t kMostFixedBytes = 8;
inline constexpr std::uint32_t kLeastPeekCap = 4;
inline constexpr std::uint32_t kMostPeekCap = 65'536;

// What is known of one histogram of an index.
struct HistogramState {
  HistogramId id = 0;
  Histogram kind;
  bool building = false;     // some of its buckets have not been counted yet
  std::uint64_t layout = 0;  // grows with each change of its buckets
  friend bool operator==(const HistogramState&, const HistogramState&) = default;
};

// What is known of an index. Every write to it looks here.
struct IndexState {
  std::string name;
  std::uint8_t elements = 1;
  std::uint32_t peek_cap = 1024;
  std::uint64_t change = 0;  // grows with each change but those of layouts
  bool building = false;     // lacks rows of its source
  HistogramId next_histogram = 0;
  // Every write counts in all of them; estimates read the first. There is always one, and each has
  // an id of its own below next_histogram.
  std::vector<HistogramState> histograms;
  friend bool operator==(const IndexState&, const IndexState&) = default;
};

// Decoding fails with corruption, and with unsupported where a later version wrote the row.
std::string EncodeIndexState(const IndexState& state);
Result<IndexState> DecodeIndexState(ByteView bytes);

// The number of an index, in the row of its name.
std::string EncodeIndexId(IndexId index);
Result<IndexId> DecodeIndexId(ByteView bytes);

// How far a build has come, and with which rows.
struct BuildRow {
  std::uint8_t keyspace = 0;  // its id
  KeyRange rows;
  std::string fingerprint;  // of how entries are made of them
  std::string next;         // the first key that was not taken in
  friend bool operator==(const BuildRow&, const BuildRow&) = default;
};

// As packed tuples.
std::string EncodeBuildRow(const BuildRow& row);
Result<BuildRow> DecodeBuildRow(ByteView bytes);

// Bytes from `lower` up to, and without, `upper`.
struct Span {
  std::string lower;
  std::optional<std::string> upper;  // absent: to the end
  bool Contains(ByteView bytes) const { return bytes >= lower && (!upper || bytes < *upper); }
  friend bool operator==(const Span&, const Span&) = default;
};

// A bucket; its lower boundary and generation are in its key.
struct BucketRow {
  std::optional<std::string> upper;
  bool uncounted = false;  // of a histogram that is building: its counters mean nothing
  bool ending = false;     // it is being divided or united: its successors take what is new
  // Of a division or union that is under way, old buckets and new: the span of all of them. Their
  // counters together are right, one by one they are not. A bucket that is ending has it.
  std::optional<Span> whole;
  friend bool operator==(const BucketRow&, const BucketRow&) = default;
};

std::string EncodeBucketRow(const BucketRow& row);
Result<BucketRow> DecodeBucketRow(ByteView bytes);

}  // namespace talea::histograms
