// The arithmetic of fixed histograms: which counter a value belongs to, and which part of a counter
// lies before a bound.
//
// A bound is bytes as Where gives them: a packed value or the beginning of one, perhaps with more
// bytes behind it, but no document. Of text and bytes (in an index of one element) the raw bytes
// count, so that a value and the same value with trailing zeros share a prefix; of all else the
// packed bytes do.
#pragma once

#include <cstddef>
#include <string>

#include "talea/bytes.h"

namespace talea::histograms {

// The prefix that a bound, or a value, falls into: the type code, and the first `bytes` of what
// follows, padded with zeros. Never falls as the bound grows. Not for an empty bound; nor are the
// other two.
std::string PrefixOf(ByteView bound, std::size_t bytes, std::size_t elements);

// Which part of the values with that prefix lies before the bound, judged by its next byte: in
// [0, 1), and never falling as the bound grows within the prefix.
double FractionBefore(ByteView bound, std::size_t bytes, std::size_t elements);

// Whether no value with the bound's prefix is less than the bound. May say false where it is so, of
// a bound that is greater than the prefix itself, and never true where it is not.
bool IsLeastOfItsPrefix(ByteView bound, std::size_t bytes, std::size_t elements);

}  // namespace talea::histograms
