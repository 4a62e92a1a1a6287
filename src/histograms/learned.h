// The arithmetic of learned histograms: where to divide, and where in a bucket a bound lies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "histograms/codec.h"

namespace talea::histograms {

// Where a bound lies among the entries of a bucket: how many come before it.
struct Position {
  double estimate = 0;
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool exact() const { return low == high; }
  friend bool operator==(const Position&, const Position&) = default;
};

// The part of [lower, upper) that lies before `bound`, judged by the bytes alone: 0 at the lower
// end, 1 at the upper, never falling in between. An absent upper end counts as the largest bytes.
double FractionOf(const Span& span, ByteView bound);

// The position of a bound within a bucket of `count` entries, of which up to `cap` were counted
// from the front, and up to `cap` from the back: each is what was found, or nothing if there were
// more than the cap or it was not looked. Never falls as the bound grows.
Position PositionWithin(const Span& bucket, ByteView bound, std::uint64_t count, std::uint64_t cap,
                        std::optional<std::uint64_t> in_front, std::optional<std::uint64_t> behind);

// A boundary between two values: the shortest bytes that are greater than `before` and at most
// `after`.
std::string Separator(ByteView before, ByteView after);

// Takes the values of a bucket in order, and finds where to divide it: about every `target`
// entries, never between two entries of one value, and around a value that has more than `heavy`
// entries, so that it has a bucket of its own.
class Divider {
 public:
  struct Part {
    std::string lower;
    std::uint64_t entries = 0;  // that were seen
    friend bool operator==(const Part&, const Part&) = default;
  };

  Divider(std::string lower, std::uint64_t target, std::uint64_t heavy);

  // The next value. Returns whether it is known to be heavy, so that the rest of its entries need
  // not be shown.
  bool Add(ByteView value);

  // The parts: the first begins at the bucket's lower end, each ends where the next begins, and the
  // last where the bucket does. One part: there is nothing to divide.
  std::vector<Part> Finish();

 private:
  void Begin(std::string lower);

  const std::uint64_t target_;
  const std::uint64_t heavy_;
  std::vector<Part> parts_;
  std::string value_;           // the newest
  std::uint64_t of_value_ = 0;  // its entries so far
  bool begun_ = false;
};

}  // namespace talea::histograms
