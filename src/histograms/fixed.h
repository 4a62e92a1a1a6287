// The arithmetic of fixed histograms: which counter a value belongs to, and which part of a counter
// lies before a bound.
//
// A bound is bytes as Where gives them: a packed value or the beginning of one, perhaps with more
// bytes behind it, but no document. Of text and bytes (in an index of one element) the raw bytes
// count, so that a value and the same value with trailing zeros share a prefix; of all else the
// packed bytes do.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "talea/bytes.h"

namespace talea::histograms {

// The prefix that a bound, or a value, falls into: the type code, and the first `bytes` of what
// follows, padded with zeros. Never falls as the bound grows. Not for an empty bound, as none of
// these.
std::string PrefixOf(ByteView bound, std::size_t bytes, std::size_t elements);

// The prefix of an entry: that of its value, without the document behind it.
std::string PrefixOfEntry(ByteView value_and_document, std::size_t bytes, std::size_t elements);

// Which part of the values with that prefix lies before the bound, judged by its next byte: in
// [0, 1), and never falling as the bound grows within the prefix.
double FractionBefore(ByteView bound, std::size_t bytes, std::size_t elements);

// Whether no value with the bound's prefix is less than the bound. True is always right; false also
// means that it is not known, which is so where other bytes than zeros follow on the prefix.
bool IsLeastOfItsPrefix(ByteView bound, std::size_t bytes, std::size_t elements);

// The bounds between which all values of a prefix lie, and none of another: the least one, and what
// comes after all of them, which is absent behind the last prefix there is.
struct PrefixBounds {
  std::string lower;
  std::optional<std::string> upper;
};
PrefixBounds BoundsOf(ByteView prefix, std::size_t elements);

}  // namespace talea::histograms
