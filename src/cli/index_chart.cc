#include "cli/index_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "cli/boundary.h"
#include "cli/element_argument.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

Bar BarOf(std::string label, double entries, bool exact = true) {
  const std::string text =
      fmt::format("{}{}", exact ? "" : "~", FullNumber(std::int64_t{std::llround(entries)}));
  return {.label = std::move(label), .value = entries, .text = text};
}

std::vector<Bar> OneForEach(const CommonValues& common) {
  std::vector<CommonValue> values = common.values;
  std::ranges::sort(values, {}, &CommonValue::value);
  std::vector<Bar> bars;
  for (const CommonValue& value : values) {
    bars.push_back(BarOf(ShownTuple(value.value), static_cast<double>(value.entries)));
  }
  return bars;
}

std::string LabelOf(const IndexBucket& bucket) {
  if (bucket.lower.empty()) return "the least";
  const std::string span = ShownSpan(bucket.lower, bucket.upper);
  return span.starts_with("=") ? span : ShownBoundary(bucket.lower);
}

// The value of the first entry that matches, or of the last one.
Result<std::optional<Tuple>> ValueAtEnd(IndexStore& indexes, Reader& reader,
                                        const std::string& name, const Where& where, bool last) {
  std::optional<Tuple> found;
  const auto take = [&](const IndexEntry& entry) {
    found = entry.value;
    return false;
  };
  TALEA_TRY(indexes.Scan(reader, name, where, take, last));
  return found;
}

// 1, 2 or 5 with zeros: the least such number that is at least `length`.
std::uint64_t RoundLength(std::uint64_t length) {
  for (std::uint64_t power = 1;; power *= 10) {
    for (const std::uint64_t factor : {1, 2, 5}) {
      const bool fits = power <= std::numeric_limits<std::uint64_t>::max() / factor;
      if (!fits || factor * power >= length) return fits ? factor * power : length;
    }
  }
}

// Unsigned, as the distance of two integers need not be one of them.
std::vector<Element> IntegerSpans(std::int64_t first, std::int64_t last, std::size_t most) {
  const std::uint64_t distance =
      static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first);
  const std::uint64_t length = RoundLength(distance / most + 1);
  // From a multiple of the length on, unless that would be no integer any more.
  const std::uint64_t remainder = first >= 0
                                      ? static_cast<std::uint64_t>(first) % length
                                      : length - 1 - (~static_cast<std::uint64_t>(first) % length);
  const std::uint64_t room = static_cast<std::uint64_t>(first) -
                             static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::min());
  const std::uint64_t back = std::min(remainder, room);
  std::vector<Element> spans;
  for (std::uint64_t span = 0; span <= (distance + back) / length; ++span) {
    const std::uint64_t begin = static_cast<std::uint64_t>(first) - back + span * length;
    spans.emplace_back(static_cast<std::int64_t>(begin));
  }
  return spans;
}

// Whole multiples of 1, 2 or 5 with zeros or decimals, so that each begins with few digits.
std::vector<Element> DoubleSpans(double first, double last, std::size_t most) {
  const double least = last / static_cast<double>(most) - first / static_cast<double>(most);
  const double power = std::pow(10, std::abs(std::floor(std::log10(least))));
  std::vector<Element> spans;
  for (const double factor : {1, 2, 5, 10}) {
    const double length = least < 1 ? factor / power : factor * power;
    const double begin = std::floor(first / length);
    const double end = std::floor(last / length);
    if (length < least || !(std::max(std::abs(begin), std::abs(end)) < 1e12)) continue;
    for (double span = begin; span <= end; ++span) {
      spans.emplace_back(least < 1 ? span * factor / power : span * factor * power);
    }
    break;
  }
  return spans;
}

// Buckets joined until they have a share. Those that have more from the beginning stand alone.
std::vector<Bar> JoinedUpTo(std::span<const IndexBucket> buckets, double share) {
  std::vector<Bar> bars;
  for (const IndexBucket& bucket : buckets) {
    const auto count = static_cast<double>(bucket.count);
    const bool joins = !bars.empty() && bars.back().value < share && count < share;
    if (joins) {
      bars.back() = BarOf(bars.back().label, bars.back().value + count);
    } else if (count > 0 || bars.empty()) {
      bars.push_back(BarOf(LabelOf(bucket), count));
    }
  }
  return bars;
}

Result<std::vector<Bar>> CountedSpans(IndexStore& indexes, Reader& reader, const std::string& name,
                                      const std::vector<Element>& spans) {
  std::vector<Bar> bars;
  const CountEstimate nulls = TALEA_TRY(indexes.Estimate(reader, name, Where::Equal({nullptr})));
  if (nulls.high > 0) bars.push_back(BarOf("null", nulls.estimate, nulls.exact));
  for (std::size_t span = 0; span < spans.size(); ++span) {
    const Where from = Where::AtLeast({spans[span]});
    const bool last = span + 1 == spans.size();
    const CountEstimate count = TALEA_TRY(
        indexes.Estimate(reader, name, last ? from : from && Where::Below({spans[span + 1]})));
    bars.push_back(BarOf(spans[span].ToString(), count.estimate, count.exact));
  }
  return bars;
}

}  // namespace

std::vector<Element> EqualSpans(const Element& first, const Element& last, std::size_t most) {
  if (const auto begin = first.AsInt(), end = last.AsInt(); begin && end && *begin < *end) {
    return IntegerSpans(*begin, *end, most);
  }
  if (const auto begin = first.AsDouble(), end = last.AsDouble(); begin && end && *begin < *end) {
    return DoubleSpans(*begin, *end, most);
  }
  return {};
}

std::vector<Bar> JoinedBuckets(std::span<const IndexBucket> buckets, std::size_t most) {
  double share = 0;
  for (const IndexBucket& bucket : buckets) share += static_cast<double>(bucket.count);
  share /= static_cast<double>(most);
  std::vector<Bar> bars = JoinedUpTo(buckets, share);
  while (bars.size() > most) bars = JoinedUpTo(buckets, share *= 1.1);
  return bars;
}

Result<IndexChart> ChartOf(IndexStore& indexes, Reader& reader, const std::string& name,
                           const CommonValues& common) {
  if (common.others_have_at_most == 0) {
    return IndexChart{"Entries by value, all values", OneForEach(common)};
  }
  const Where not_null = !Where::Equal({nullptr});
  const auto first = TALEA_TRY(ValueAtEnd(indexes, reader, name, not_null, false));
  const auto last = TALEA_TRY(ValueAtEnd(indexes, reader, name, not_null, true));
  if (first && last && first->size() == 1) {
    const auto spans = EqualSpans(first->front(), last->front(), kMostChartBars);
    if (!spans.empty()) {
      auto bars = TALEA_TRY(CountedSpans(indexes, reader, name, spans));
      return IndexChart{"Entries by value, in equal spans from", std::move(bars)};
    }
  }
  const auto buckets = TALEA_TRY(indexes.Buckets(reader, name));
  return IndexChart{"Entries by value, in buckets joined to about equal shares from",
                    JoinedBuckets(buckets, kMostChartBars)};
}

}  // namespace talea::cli
