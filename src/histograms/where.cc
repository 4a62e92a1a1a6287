#include "talea/where.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace talea {
namespace {

using Interval = Where::Interval;

// The first bytes beyond every entry whose value begins with the packed tuple: type codes, of
// further elements as of the document, are all less than 0xff. Absent for the empty tuple, with
// which everything begins.
std::optional<std::string> Beyond(std::string packed) {
  if (packed.empty()) return std::nullopt;
  packed.push_back('\xff');
  return packed;
}

bool IsEmpty(const Interval& interval) {
  return interval.upper && *interval.upper <= interval.lower;
}

bool EndsBefore(const std::optional<std::string>& left, const std::optional<std::string>& right) {
  return left && (!right || *left < *right);
}

// The same bytes as disjoint intervals in ascending order, none of them empty or adjacent.
std::vector<Interval> Normalized(std::vector<Interval> intervals) {
  std::erase_if(intervals, IsEmpty);
  std::ranges::sort(intervals, {}, &Interval::lower);
  std::vector<Interval> united;
  for (Interval& interval : intervals) {
    const bool apart =
        united.empty() || (united.back().upper && *united.back().upper < interval.lower);
    if (apart) {
      united.push_back(std::move(interval));
    } else if (EndsBefore(united.back().upper, interval.upper)) {
      united.back().upper = std::move(interval.upper);
    }
  }
  return united;
}

std::string Shown(const Tuple& tuple) {
  constexpr std::size_t kShown = 64;
  const std::string text = ToString(tuple);
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

}  // namespace

Where::Where(std::vector<Interval> intervals, std::size_t longest)
    : intervals_(Normalized(std::move(intervals))), longest_(longest) {}

Where::Where(Error error) : status_(std::unexpected(std::move(error))) {}

Where Where::Of(const Tuple& value, Interval (*interval)(std::string packed)) {
  Result<std::string> packed = Pack(value);
  if (!packed) return Where(std::move(packed).error());
  return Where({interval(*std::move(packed))}, value.size());
}

Where Where::All() { return Where({{"", std::nullopt}}, 0); }

Where Where::Equal(const Tuple& value) {
  return Of(value, [](std::string packed) { return Interval{packed, Beyond(packed)}; });
}

Where Where::In(const std::vector<Tuple>& values) {
  Where all;
  for (const Tuple& value : values) {
    Where one = Equal(value);
    if (!one.status_) return one;
    all.longest_ = std::max(all.longest_, one.longest_);
    all.intervals_.push_back(std::move(one.intervals_.front()));
  }
  all.intervals_ = Normalized(std::move(all.intervals_));
  return all;
}

Where Where::Below(const Tuple& value) {
  return Of(value, [](std::string packed) { return Interval{"", std::move(packed)}; });
}

Where Where::AtMost(const Tuple& value) {
  return Of(value, [](std::string packed) { return Interval{"", Beyond(std::move(packed))}; });
}

Where Where::Above(const Tuple& value) { return !AtMost(value); }

Where Where::AtLeast(const Tuple& value) { return !Below(value); }

Where Where::Range(const Tuple& lower, const Tuple& upper) {
  Where range = AtLeast(lower) && Below(upper);
  if (range.status_ && lower > upper) {
    return Where(Error(ErrorCode::invalid_argument,
                       fmt::format("range of values: expected an end at or after the begin {}, "
                                   "found {}",
                                   Shown(lower), Shown(upper))));
  }
  return range;
}

Where Where::StartsWith(const Tuple& prefix) {
  const Result<KeyRange> keys = KeysStartingWithPartOf(prefix);
  if (!keys) return Where(keys.error());
  return Where({{keys->begin(), keys->end()}}, prefix.size());
}

Where operator||(const Where& left, const Where& right) {
  if (!left.status_) return left;
  if (!right.status_) return right;
  std::vector<Interval> both = left.intervals_;
  both.insert(both.end(), right.intervals_.begin(), right.intervals_.end());
  return Where(std::move(both), std::max(left.longest_, right.longest_));
}

Where operator&&(const Where& left, const Where& right) { return !(!left || !right); }

Where Where::operator!() const {
  if (!status_) return *this;
  std::vector<Interval> gaps = {{"", std::nullopt}};
  for (const Interval& interval : intervals_) {
    gaps.back().upper = interval.lower;
    if (!interval.upper) return Where(std::move(gaps), longest_);
    gaps.push_back({*interval.upper, std::nullopt});
  }
  return Where(std::move(gaps), longest_);
}

Result<std::vector<Where::Interval>> Where::Intervals(std::size_t elements) const {
  TALEA_TRY(status_);
  if (longest_ <= elements) return intervals_;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("condition: expected values of at most {} elements, as the index has, "
                          "found one of {}",
                          elements, longest_));
}

}  // namespace talea
