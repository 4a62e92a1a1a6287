#include "histograms/estimate.h"

#include <algorithm>
#include <cmath>

#include "histograms/fixed.h"
#include "histograms/learned.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

using Edge = Explanation::Edge;
using Step = Explanation::Step;

std::uint64_t Unsigned(std::int64_t count) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

// Where the ends of an interval lie, as positions after a common start.
CountEstimate Between(const Position& first, const Position& last) {
  CountEstimate result;
  result.estimate = std::max(0.0, last.estimate - first.estimate);
  result.low = last.low > first.high ? last.low - first.high : 0;
  result.high = last.high > first.low ? last.high - first.low : 0;
  result.exact = first.exact() && last.exact();
  return result;
}

Position Shifted(Position position, std::int64_t by) {
  const std::uint64_t shift = Unsigned(by);
  return {position.estimate + static_cast<double>(shift), position.low + shift,
          position.high + shift};
}

class LearnedEstimator {
 public:
  LearnedEstimator(Reader& reader, CoarseSums& sums, const Index& index,
                   const EstimateOptions& options)
      : reader_(reader),
        sums_(sums),
        index_(index),
        histogram_(index.reading().id),
        cap_(index.state->peek_cap),
        peek_(options.peek) {}

  Result<Step> Estimate(const Where::Interval& interval) {
    Step step{.interval = interval};
    std::optional<Span> first;
    std::optional<Span> last;
    if (!interval.lower.empty()) first = TALEA_TRY(Find(interval.lower));
    if (interval.upper) last = TALEA_TRY(Find(*interval.upper));
    if (first && last && *first == *last) {
      TALEA_TRY(WithinOne(interval, *first, step));
    } else {
      TALEA_TRY(AcrossSeveral(interval, first, last, step));
    }
    return step;
  }

 private:
  Result<Span> Find(ByteView bound) { return FindSpan(reader_, index_.id, histogram_, bound); }

  Result<std::int64_t> Sum(const Span& span, Step& step) {
    const CounterSum sum = TALEA_TRY(sums_.Sum(reader_, index_.id, histogram_, span));
    step.counters_read += sum.counters;
    return sum.sum;
  }

  Status WithinOne(const Where::Interval& interval, const Span& bucket, Step& step) {
    const std::int64_t count = TALEA_TRY(Sum(bucket, step));
    // The positions of both ends would be exact: so is this, and it is cheaper.
    if (peek_ && Unsigned(count) <= 2 * cap_) {
      const std::uint64_t found =
          TALEA_TRY(CountEntries(reader_, index_.id, {interval.lower, interval.upper}, cap_ + 1));
      step.entries_counted = found;
      if (found <= cap_) {
        step.estimate = {static_cast<double>(found), found, found, true};
        return {};
      }
    }
    const Position first = TALEA_TRY(Look(bucket, interval.lower, count, step.first));
    const Position last = TALEA_TRY(Look(bucket, *interval.upper, count, step.last));
    step.estimate = Between(first, last);
    return {};
  }

  Status AcrossSeveral(const Where::Interval& interval, const std::optional<Span>& first,
                       const std::optional<Span>& last, Step& step) {
    Position begin;
    Position end;
    std::int64_t in_first = 0;
    if (first) {
      in_first = TALEA_TRY(Sum(*first, step));
      begin = TALEA_TRY(Look(*first, interval.lower, in_first, step.first));
    }
    if (!first || first->upper) {
      step.between = TALEA_TRY(Sum(
          {first ? *first->upper : std::string(), last ? std::optional(last->lower) : std::nullopt},
          step));
    }
    if (last) {
      const std::int64_t in_last = TALEA_TRY(Sum(*last, step));
      end = TALEA_TRY(Look(*last, *interval.upper, in_last, step.last));
    }
    step.estimate = Between(begin, Shifted(end, in_first + step.between));
    return {};
  }

  // The position of a bound in its bucket, found from the nearer edge, as far as the bytes tell
  // which that is.
  Result<Position> Look(const Span& bucket, ByteView bound, std::int64_t count,
                        std::optional<Edge>& edge) {
    edge = Edge{.lower = bucket.lower, .upper = bucket.upper, .count = count};
    Peeked in_front;
    Peeked behind;
    if (bound == bucket.lower) {
      in_front.all = true;
    } else if (peek_) {
      const auto look = [&](bool at_back) -> Status {
        const Span part = at_back ? Span{std::string(bound), bucket.upper}
                                  : Span{bucket.lower, std::string(bound)};
        const std::uint64_t found = TALEA_TRY(CountEntries(reader_, index_.id, part, cap_ + 1));
        edge->entries_read += found;
        (at_back ? behind : in_front) = {found, found <= cap_};
        return {};
      };
      const bool back_first = FractionOf(bucket, bound) > 0.5;
      TALEA_TRY(look(back_first));
      if (!in_front.all && !behind.all) TALEA_TRY(look(!back_first));
    }
    const Position position = PositionWithin(bucket, bound, count, in_front, behind);
    edge->before = position.estimate;
    edge->exact = position.exact();
    return position;
  }

  Reader& reader_;
  CoarseSums& sums_;
  const Index& index_;
  const HistogramId histogram_;
  const std::uint64_t cap_;
  const bool peek_;
};

class FixedEstimator {
 public:
  FixedEstimator(Reader& reader, CoarseSums& sums, const Index& index,
                 const EstimateOptions& options)
      : reader_(reader),
        sums_(sums),
        index_(index),
        histogram_(index.reading().id),
        bytes_(index.reading().kind.fixed_bytes),
        elements_(index.state->elements),
        cap_(index.state->peek_cap),
        peek_(options.peek) {}

  Result<Step> Estimate(const Where::Interval& interval) {
    Step step{.interval = interval};
    Position begin;
    Position end;
    std::int64_t before = 0;  // in the first prefix
    std::string first;
    std::string last;
    if (!interval.lower.empty()) {
      first = PrefixOf(interval.lower, bytes_, elements_);
      before = TALEA_TRY(SumOf(first, step));
      begin = Look(interval.lower, first, before, step.first);
    }
    if (interval.upper) {
      last = PrefixOf(*interval.upper, bytes_, elements_);
      const std::int64_t count = last == first ? before : TALEA_TRY(SumOf(last, step));
      end = Look(*interval.upper, last, count, step.last);
    }
    if (!interval.upper || last != first) {
      const Span between{first.empty() ? first : first + '\0',
                         interval.upper ? std::optional(last) : std::nullopt};
      const CounterSum sum = TALEA_TRY(sums_.Sum(reader_, index_.id, histogram_, between));
      step.between = sum.sum;
      step.counters_read += sum.counters;
      end = Shifted(end, before + step.between);
    }
    step.estimate = Between(begin, end);
    if (peek_ && IsOneValue(interval)) TALEA_TRY(LookAtValue(interval, step));
    return step;
  }

 private:
  Result<std::int64_t> SumOf(const std::string& prefix, Step& step) {
    const CounterSum sum =
        TALEA_TRY(sums_.Sum(reader_, index_.id, histogram_, {prefix, prefix + '\0'}));
    step.counters_read += sum.counters;
    return sum.sum;
  }

  Position Look(ByteView bound, const std::string& prefix, std::int64_t count,
                std::optional<Edge>& edge) const {
    Position position;
    if (!IsLeastOfItsPrefix(bound, bytes_, elements_)) {
      position = {FractionBefore(bound, bytes_, elements_) * static_cast<double>(Unsigned(count)),
                  0, Unsigned(count)};
    }
    PrefixBounds bounds = BoundsOf(prefix, elements_);
    edge = Edge{.lower = std::move(bounds.lower),
                .upper = std::move(bounds.upper),
                .count = count,
                .before = position.estimate,
                .exact = position.exact()};
    return position;
  }

  bool IsOneValue(const Where::Interval& interval) const {
    if (!interval.upper || *interval.upper != interval.lower + '\xff') return false;
    const Result<std::size_t> length = ValueLength(interval.lower, elements_);
    return length && *length == interval.lower.size();
  }

  Status LookAtValue(const Where::Interval& interval, Step& step) {
    const std::uint64_t found =
        TALEA_TRY(CountEntries(reader_, index_.id, {interval.lower, interval.upper}, cap_ + 1));
    step.entries_counted = found;
    CountEstimate& estimate = step.estimate;
    if (found <= cap_) {
      estimate = {static_cast<double>(found), found, found, true};
    } else {
      estimate.low = std::max(estimate.low, found);
      estimate.high = std::max(estimate.high, estimate.low);
      estimate.estimate = std::clamp(estimate.estimate, static_cast<double>(estimate.low),
                                     static_cast<double>(estimate.high));
      estimate.exact = estimate.low == estimate.high;
    }
    return {};
  }

  Reader& reader_;
  CoarseSums& sums_;
  const Index& index_;
  const HistogramId histogram_;
  const std::size_t bytes_;
  const std::size_t elements_;
  const std::uint64_t cap_;
  const bool peek_;
};

template <class Estimator>
Status EstimateAll(Estimator estimator, const std::vector<Where::Interval>& intervals,
                   Explanation& explanation) {
  CountEstimate& all = explanation.estimate;
  for (const Where::Interval& interval : intervals) {
    Step step = TALEA_TRY(estimator.Estimate(interval));
    all.estimate += step.estimate.estimate;
    all.low += step.estimate.low;
    all.high += step.estimate.high;
    all.exact = all.exact && step.estimate.exact;
    explanation.steps.push_back(std::move(step));
  }
  return {};
}

// Intervals that share a bucket may each claim all of it.
Status BoundByTotal(Reader& reader, CoarseSums& sums, const Index& index, CountEstimate& estimate) {
  const CounterSum total = TALEA_TRY(sums.Sum(reader, index.id, index.reading().id, {}));
  estimate.high = std::min(estimate.high, Unsigned(total.sum));
  estimate.estimate = std::min(estimate.estimate, static_cast<double>(estimate.high));
  return {};
}

}  // namespace

Result<Explanation> EstimateIntervals(Reader& reader, CoarseSums& sums, const Index& index,
                                      const std::vector<Where::Interval>& intervals,
                                      const EstimateOptions& options) {
  Explanation explanation{.histogram = index.reading().kind};
  if (explanation.histogram.learned()) {
    TALEA_TRY(EstimateAll(LearnedEstimator(reader, sums, index, options), intervals, explanation));
  } else {
    TALEA_TRY(EstimateAll(FixedEstimator(reader, sums, index, options), intervals, explanation));
  }
  if (intervals.size() > 1 && !explanation.estimate.exact) {
    TALEA_TRY(BoundByTotal(reader, sums, index, explanation.estimate));
  }
  return explanation;
}

}  // namespace talea::histograms
