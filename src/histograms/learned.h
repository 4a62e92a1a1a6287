// The arithmetic of learned histograms: where to divide, and where in a bucket a bound lies.
#pragma once

#include <cstddef>
#include <cstdint>
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

// How many entries were counted from an edge of a bucket up to a bound. Nothing was: not looked.
struct Peeked {
  std::uint64_t entries = 0;
  bool all = false;  // the bound was reached; else there are at least so many
  friend bool operator==(const Peeked&, const Peeked&) = default;
};

// The position of a bound within a bucket that has `count` entries by its counter, of which some
// were counted from the front and from the back. As the bound grows it never falls, as long as
// peeks at the same entries are made with the same cap. Entries that were counted are believed more
// than a counter that has fewer, or is negative, as only damage makes it.
Position PositionWithin(const Span& bucket, ByteView bound, std::int64_t count,
                        const Peeked& in_front, const Peeked& behind);

// A boundary between two packed values of as many elements, of which `before` is the lesser: the
// shortest bytes that are greater than `before`, also with any document behind it, and at most
// `after`.
std::string Separator(ByteView before, ByteView after);

// Longer ones are not used, to keep rows small; the part in front goes on instead.
inline constexpr std::size_t kLongestBoundary = 1000;

// Takes the values of a bucket in order, and finds where to divide it: about every `target`
// entries, never between two entries of one value, and around a value that has more than `heavy`
// entries, so that it has a bucket of its own, [v, v + ff). No part is made that has no entries:
// so a heavy value which is the first of the bucket, or follows on another heavy one, has the empty
// room in front of it in its part.
class Divider {
 public:
  struct Part {
    std::string lower;
    std::uint64_t entries = 0;  // that were seen
    friend bool operator==(const Part&, const Part&) = default;
  };

  Divider(std::string lower, std::uint64_t target, std::uint64_t heavy);

  // The value of the next entry, packed and without its document: not less than the one before.
  // Returns whether it is known to be heavy, so that the rest of its entries need not be shown.
  bool Add(ByteView value);

  // Whether there are several parts already.
  bool divided() const { return parts_.size() > 1; }

  // The parts: the first begins at the bucket's lower end, each ends where the next begins, and the
  // last where the bucket does. One part: there is nothing to divide.
  std::vector<Part> Finish();

 private:
  bool heavy() const { return of_value_ > heavy_; }
  void Meet(ByteView value);
  void SetApart();
  bool Begin(std::string lower);

  const std::uint64_t target_;
  const std::uint64_t heavy_;
  std::vector<Part> parts_;
  bool behind_heavy_ = true;    // the last part begins right where a heavy one ends, or the bucket
  std::string value_;           // the newest
  std::uint64_t of_value_ = 0;  // its entries so far
};

}  // namespace talea::histograms
