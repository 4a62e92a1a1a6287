// The eleven kinds of values that bench/histograms_bench.cc measures estimates on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/testing/random.h"
#include "talea/tuple.h"

namespace talea::bench {

// Values of one type and distribution, as an index of one element has them. They follow from their
// place alone, so every run and every machine sees the same ones.
struct DataSet {
  std::string_view name;         // of its cases
  std::string_view description;  // for people

  // Whether counting by the first two bytes is expected to be off by more than 1 %.
  bool two_bytes_fail;

  // The next value, where `share` of all values were drawn already.
  Element (*draw)(Random& random, double share);

  // The values that come when all are drawn: greater than those, and growing with their number,
  // which is less than 2^25.
  Element (*later)(std::uint64_t number);

  // One of DataSets(), which there must be.
  static const DataSet& Named(std::string_view name);

  // The first `count` values that are drawn, packed, in the order in which they come.
  std::vector<std::string> Values(std::size_t count) const;

  // The first `count` that come later, packed.
  std::vector<std::string> LaterValues(std::size_t count) const;
};

std::span<const DataSet> DataSets();

// From 1 to `count`: k about as often as k^-exponent, which is above 1.
std::uint64_t DrawZipf(Random& random, double exponent, std::uint64_t count);

// With a mean of 0 and a variance of 1.
double DrawNormal(Random& random);

}  // namespace talea::bench
