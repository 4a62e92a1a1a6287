#include "cli/index_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

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
  if (bucket.lower.empty()) return "the first";
  const std::string span = ShownSpan(bucket.lower, bucket.upper);
  return span.starts_with("=") ? span : ShownBoundary(bucket.lower);
}

// The first entry whose value is not null, or the last one.
Result<std::optional<Tuple>> ValueAtEnd(IndexStore& indexes, Reader& reader,
                                        const std::string& name, bool last) {
  std::optional<Tuple> found;
  const auto take = [&](const IndexEntry& entry) {
    found = entry.value;
    return false;
  };
  TALEA_TRY(indexes.Scan(reader, name, !Where::Equal({nullptr}), take, last));
  return found;
}

std::vector<Element> IntegerSpans(std::int64_t first, std::int64_t last, std::size_t most) {
  // Unsigned, as the distance of two integers need not be one.
  const auto begin = static_cast<std::uint64_t>(first);
  const std::uint64_t distance = static_cast<std::uint64_t>(last) - begin;
  const std::uint64_t length = distance / most + 1;
  std::vector<Element> spans;
  for (std::uint64_t span = 0; span <= distance / length; ++span) {
    spans.emplace_back(static_cast<std::int64_t>(begin + span * length));
  }
  return spans;
}

std::vector<Element> DoubleSpans(double first, double last, std::size_t most) {
  const double length = last / static_cast<double>(most) - first / static_cast<double>(most);
  std::vector<Element> spans;
  for (std::size_t span = 0; span < most && std::isfinite(length); ++span) {
    spans.emplace_back(first + length * static_cast<double>(span));
  }
  return spans;
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
  double total = 0;
  for (const IndexBucket& bucket : buckets) total += static_cast<double>(bucket.count);
  // Beside each bucket that stands alone there may be a small bar; together they have this much.
  const double share = 2 * total / static_cast<double>(most);
  std::vector<Bar> bars;
  double open = 0;  // entries of the last bar, if it takes more
  for (const IndexBucket& bucket : buckets) {
    const auto count = static_cast<double>(bucket.count);
    const bool joins = !bars.empty() && open > 0 && count < share && open < share;
    if (count == 0 && !bars.empty()) continue;
    open = joins ? open + count : count;
    if (joins) {
      bars.back() = BarOf(bars.back().label, open);
    } else {
      bars.push_back(BarOf(LabelOf(bucket), count));
    }
  }
  return bars;
}

Result<IndexChart> ChartOf(IndexStore& indexes, Reader& reader, const std::string& name,
                           const CommonValues& common) {
  if (common.others_have_at_most == 0) {
    return IndexChart{"Entries by value, all values", OneForEach(common)};
  }
  const auto first = TALEA_TRY(ValueAtEnd(indexes, reader, name, false));
  const auto last = TALEA_TRY(ValueAtEnd(indexes, reader, name, true));
  if (first && last && first->size() == 1) {
    const auto spans = EqualSpans(first->front(), last->front(), kMostChartBars);
    if (!spans.empty()) {
      return IndexChart {
        "Entries by value, in equal spans from",
            TALEA_TRY(CountedSpans(indexes, reader, name, spans))
      };
    }
  }
  const auto buckets = TALEA_TRY(indexes.Buckets(reader, name));
  return IndexChart{"Entries by value, in buckets joined to about equal shares from",
                    JoinedBuckets(buckets, kMostChartBars)};
}

}  // namespace talea::cli
