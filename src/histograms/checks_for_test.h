// What must hold of every index at every state, whatever was done to it. For tests alone.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "histograms/values_for_test.h"
#include "talea/histograms.h"
#include "talea/testing/random.h"

namespace talea::histograms {

// What the checks have met, so that a test can tell whether it was worth its while.
struct Coverage {
  std::size_t most_entries = 0;
  std::size_t most_buckets = 0;
  int dividing = 0;  // buckets
  int building = 0;  // indexes
  int changing = 0;  // indexes
  int exact = 0;     // estimates
  int inexact = 0;
};

// Compares what an index tells at one state with its entries there. Each check fails with
// corruption, telling what it found.
class IndexChecks {
 public:
  IndexChecks(IndexStore& store, Reader& reader, std::string name, Random& random,
              Coverage* coverage = nullptr)
      : store_(store),
        reader_(reader),
        name_(std::move(name)),
        random_(random),
        coverage_(coverage ? *coverage : unused_) {}

  // By a scan, both ways.
  Result<Entries> ReadEntries() {
    Entries entries;
    std::vector<IndexEntry> scanned;
    const auto take = [&](const IndexEntry& entry) { return scanned.push_back(entry), true; };
    TALEA_TRY(store_.Scan(reader_, name_, Where::All(), take));
    for (const IndexEntry& entry : scanned) {
      if (!entries.empty() && !EntryOrder()(*entries.rbegin(), entry))
        return Wrong("a scan is not in order at {}", talea::ToString(entry.value));
      entries.insert(entries.end(), entry);
    }
    std::vector<IndexEntry> forward;
    forward.swap(scanned);
    TALEA_TRY(store_.Scan(reader_, name_, Where::All(), take, true));
    std::ranges::reverse(scanned);
    if (scanned != forward) return Wrong("a scan backwards finds something else");
    return entries;
  }

  // Everything. The entries must be those of this state.
  Status Check(const Entries& entries, int conditions) {
    information_ = TALEA_TRY(store_.Describe(reader_, name_));
    TALEA_TRY(store_.Verify(reader_, name_));
    TALEA_TRY(CheckBuckets(entries));
    if (information_.building) return CheckThereAreNoEstimates();
    for (int round = 0; round < conditions; ++round) {
      TALEA_TRY(CheckCondition(entries, RandomCondition(random_, elements())));
      TALEA_TRY(CheckArithmetic(entries));
    }
    return CheckStatistics(entries);
  }

  // Only what is quick: the mass, and one condition.
  Status CheckQuickly() {
    const Entries entries = TALEA_TRY(ReadEntries());
    information_ = TALEA_TRY(store_.Describe(reader_, name_));
    TALEA_TRY(CheckBuckets(entries));
    if (information_.building) return {};
    return CheckCondition(entries, RandomCondition(random_, elements()));
  }

 private:
  template <class... Arguments>
  std::unexpected<Error> Wrong(fmt::format_string<Arguments...> text, Arguments&&... arguments) {
    return Fail(
        ErrorCode::corruption,
        fmt::format("index {} ({}, cap {}): ", name_, information_.options.histogram.ToString(),
                    information_.options.peek_cap) +
            fmt::format(text, std::forward<Arguments>(arguments)...));
  }
  std::size_t elements() const { return information_.options.elements; }

  static std::string Packed(const IndexEntry& entry) {
    Tuple tuple = entry.value;
    tuple.push_back(entry.document);
    return Pack(tuple).value();
  }

  Status CheckBuckets(const Entries& entries) {
    if (information_.entries != entries.size())
      return Wrong("{} entries are described, {} are there", information_.entries, entries.size());
    std::int64_t sum = 0;
    const std::vector<IndexBucket> buckets = TALEA_TRY(store_.Buckets(reader_, name_));
    coverage_.most_entries = std::max(coverage_.most_entries, entries.size());
    coverage_.most_buckets = std::max(coverage_.most_buckets, buckets.size());
    coverage_.building += information_.building;
    coverage_.changing += information_.next_histogram.has_value();
    for (const IndexBucket& bucket : buckets) {
      sum += bucket.count;
      coverage_.dividing += bucket.dividing;
      if (bucket.count < 0) return Wrong("bucket {} has {}", Quoted(bucket.lower), bucket.count);
    }
    if (sum != static_cast<std::int64_t>(entries.size()))
      return Wrong("the buckets have {} entries, the index has {}", sum, entries.size());
    if (!information_.options.histogram.learned()) return {};
    std::map<std::string, std::int64_t> found;
    for (const IndexEntry& entry : entries) {
      const std::string packed = Packed(entry);
      const auto after = std::ranges::upper_bound(buckets, packed, {}, &IndexBucket::lower);
      ++found[std::prev(after)->lower];
    }
    for (const IndexBucket& bucket : buckets) {
      if (bucket.count != found[bucket.lower])
        return Wrong("bucket {}: {} entries are counted, {} are there", Quoted(bucket.lower),
                     bucket.count, found[bucket.lower]);
    }
    return {};
  }

  Status CheckThereAreNoEstimates() {
    const Result<CountEstimate> estimate = store_.Estimate(reader_, name_, Where::All());
    if (!estimate && estimate.error().code() == ErrorCode::precondition_failed) return {};
    return Wrong("an estimate while it is built is not refused");
  }

  Result<CountEstimate> Estimate(const Condition& condition, bool peek = true) {
    return store_.Estimate(reader_, name_, condition.ToWhere(), {.peek = peek});
  }

  Status CheckCondition(const Entries& entries, const Condition& condition) {
    const std::uint64_t truth = CountMatches(entries, condition);
    for (const bool peek : {true, false}) {
      const CountEstimate found = TALEA_TRY(Estimate(condition, peek));
      ++(found.exact ? coverage_.exact : coverage_.inexact);
      const bool within = found.low <= truth && truth <= found.high;
      const bool exact_is_true =
          !found.exact || (found.estimate == static_cast<double>(truth) && found.low == found.high);
      const bool sane = found.estimate >= static_cast<double>(found.low) &&
                        found.estimate <= static_cast<double>(found.high) &&
                        found.high <= entries.size();
      if (within && exact_is_true && sane) continue;
      return Wrong("{}{}: {} of {} match, the estimate is {} within [{}, {}]{}",
                   ToString(condition), peek ? "" : " (no peek)", truth, entries.size(),
                   found.estimate, found.low, found.high, found.exact ? ", exactly" : "");
    }
    const std::uint64_t most = random_.Below(entries.size() + 2);
    const std::uint64_t counted =
        TALEA_TRY(store_.Count(reader_, name_, condition.ToWhere(), most));
    if (counted != std::min(truth, most))
      return Wrong("{}: {} match, {} are counted up to {}", ToString(condition), truth, counted,
                   most);
    return {};
  }

  static bool Same(double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max({1.0, std::abs(a), std::abs(b)});
  }

  // Estimates of ranges that lie within or next to each other.
  Status CheckArithmetic(const Entries& entries) {
    using Kind = Condition::Kind;
    const bool peek = random_.Chance(0.8);
    std::vector<Tuple> bounds;
    for (int count = 0; count < 4; ++count) {
      const bool stored = !entries.empty() && random_.Chance(0.5);
      const auto place = static_cast<std::ptrdiff_t>(stored ? random_.Below(entries.size()) : 0);
      bounds.push_back(stored ? std::next(entries.begin(), place)->value
                              : RandomBound(random_, elements()));
    }
    std::ranges::sort(bounds);
    const auto range = [&](std::size_t from, std::size_t to) -> Result<double> {
      return TALEA_TRY(Estimate({Kind::range, {bounds[from], bounds[to]}, {}}, peek))
      .estimate;
    };
    const double whole = TALEA_TRY(range(0, 3));
    const double inner = TALEA_TRY(range(1, 2));
    const double parts = TALEA_TRY(range(0, 1))
    +inner + TALEA_TRY(range(2, 3));
    if (!Same(whole, parts))
      return Wrong("from {} by {} and {} to {}{}: {} as a whole, {} in parts",
                   talea::ToString(bounds[0]), talea::ToString(bounds[1]),
                   talea::ToString(bounds[2]), talea::ToString(bounds[3]), peek ? "" : " (no peek)",
                   whole, parts);
    if (inner > whole + 1e-9) return Wrong("a part has {}, the whole {}", inner, whole);
    if (TALEA_TRY(range(1, 1)) != 0) return Wrong("nothing is estimated to be something");
    if (!information_.options.histogram.learned()) return {};
    const double equal = TALEA_TRY(Estimate({Kind::equal, {bounds[1]}, {}}, peek))
    .estimate;
    const double from = TALEA_TRY(Estimate({Kind::at_least, {bounds[1]}, {}}, peek))
    .estimate;
    const double after = TALEA_TRY(Estimate({Kind::above, {bounds[1]}, {}}, peek))
    .estimate;
    if (Same(from - after, equal)) return {};
    return Wrong("equal to {}{}: {}, but {} from there on and {} after it",
                 talea::ToString(bounds[1]), peek ? "" : " (no peek)", equal, from, after);
  }

  Status CheckStatistics(const Entries& entries) {
    std::map<Tuple, std::uint64_t> values;
    for (const IndexEntry& entry : entries) ++values[entry.value];
    const std::size_t sample = 1 + random_.Below(8);
    const CountEstimate distinct = TALEA_TRY(store_.Distinct(reader_, name_, sample));
    const std::uint64_t truth = values.size();
    if (distinct.low > truth || distinct.high < truth ||
        (distinct.exact && distinct.estimate != static_cast<double>(truth)))
      return Wrong("{} different values: the estimate is {} within [{}, {}]{}", truth,
                   distinct.estimate, distinct.low, distinct.high,
                   distinct.exact ? ", exactly" : "");
    const CommonValues common = TALEA_TRY(store_.MostCommon(reader_, name_, 4, sample));
    std::uint64_t before = ~0ull;
    for (const CommonValue& value : common.values) {
      if (value.entries > before || values[value.value] != value.entries)
        return Wrong("{} has {} entries, not {}, or comes too late", talea::ToString(value.value),
                     values[value.value], value.entries);
      before = value.entries;
      values.erase(value.value);
    }
    for (const auto& [value, count] : values) {
      if (count > common.others_have_at_most)
        return Wrong("{} has {} entries, where others have at most {}", talea::ToString(value),
                     count, common.others_have_at_most);
    }
    const NullShare nulls = TALEA_TRY(store_.NullFraction(reader_, name_));
    const auto with_null = static_cast<std::uint64_t>(std::ranges::count_if(
        entries, [](const IndexEntry& entry) { return entry.value[0].is_null(); }));
    if (nulls.entries.low > with_null || nulls.entries.high < with_null || nulls.fraction < 0 ||
        nulls.fraction > 1)
      return Wrong("{} of {} are null: found {} within [{}, {}]", with_null, entries.size(),
                   nulls.fraction, nulls.entries.low, nulls.entries.high);
    return {};
  }

  IndexStore& store_;
  Reader& reader_;
  const std::string name_;
  Random& random_;
  Coverage unused_;
  Coverage& coverage_;
  IndexInformation information_;
};

}  // namespace talea::histograms
