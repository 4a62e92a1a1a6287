// Conditions on the value of an index: which entries are meant.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

#include "talea/result.h"
#include "talea/tuple.h"

namespace talea {

// A set of values, built from comparisons and combined at will:
//
//   Where::Equal({"London"})                      Where::In({{"London"}, {"Paris"}})
//   Where::Range({"A"}, {"M"})                    A included, M not
//   Where::AtLeast({18}) && Where::Below({65})    Where::StartsWith({"Lon"})
//   !Where::Equal({nullptr})                      all that are not null
//
// Values are tuples and compare as tuples do: by type first, so 1 and 1.0 are different. On an
// index of several elements a shorter tuple stands for everything that begins with it:
// Equal({"de"}) finds ("de", 1) and ("de", 2), and Above({"de"}) neither.
//
// Each && and || takes time in proportion to both sides: for a long list use In.
//
// What is wrong with a condition, such as a range that ends before it begins or text that is not
// UTF-8, is remembered, and every call that is given it fails with invalid_argument.
class Where {
 public:
  // Of the packed bytes of values: from `lower` up to, and without, `upper`.
  struct Interval {
    std::string lower;                 // empty: from the first value on
    std::optional<std::string> upper;  // absent: up to the last value
    friend bool operator==(const Interval&, const Interval&) = default;
  };

  Where() = default;  // no value

  static Where All();
  static Where Equal(const Tuple& value);
  static Where In(const std::vector<Tuple>& values);
  static Where Below(const Tuple& value);
  static Where AtMost(const Tuple& value);
  static Where Above(const Tuple& value);
  static Where AtLeast(const Tuple& value);

  // The values from `lower` up to, and without, `upper`, which may be equal but not inverted. For
  // other ends combine two comparisons.
  static Where Range(const Tuple& lower, const Tuple& upper);

  // The values whose last given element, which is text or bytes, starts with what is given.
  static Where StartsWith(const Tuple& prefix);

  friend Where operator&&(const Where& left, const Where& right);
  friend Where operator||(const Where& left, const Where& right);
  Where operator!() const;

  // The values as disjoint intervals in ascending order, none of them empty and no two of them
  // adjacent, or why there are none. Fails, naming both numbers, if a tuple has more elements than
  // the index.
  Result<std::vector<Interval>> Intervals(std::size_t elements) const;

 private:
  Where(std::vector<Interval> intervals, std::size_t longest);
  explicit Where(Error error);

  // The interval that is made of the packed value.
  static Where Of(const Tuple& value, Interval (*interval)(std::string packed));

  std::vector<Interval> intervals_;  // as Intervals() promises
  std::size_t longest_ = 0;          // the number of elements of the longest tuple
  Status status_;
};

}  // namespace talea
