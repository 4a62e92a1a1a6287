// What IndexStore tells about an index as a whole, and about itself.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <unordered_map>

#include "histograms/changes.h"
#include "histograms/fixed.h"
#include "histograms/store_state.h"
#include "keyspace/registry.h"

namespace talea {

using histograms::BucketId;
using histograms::Index;
using histograms::Span;
using histograms::StoredBucket;

namespace {

std::uint64_t Unsigned(std::int64_t count) {
  return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

// The counters of a histogram by boundary: buckets that begin alike, one of which is ending, are
// together.
Result<std::map<std::string, std::int64_t>> ReadCounters(Reader& reader, const Index& index) {
  std::map<std::string, std::int64_t> counters;
  Scanner rows(reader, kHistogramCountersKeyspace,
               histograms::CounterKeys(index.id, index.reading().id));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    histograms::CounterKeyParts parts = TALEA_TRY(histograms::PartsOfCounterKey(row->key));
    counters[std::move(parts.boundary)] += TALEA_TRY(histograms::CounterOf(*row));
  }
  return counters;
}

Result<std::vector<IndexBucket>> LearnedBuckets(Reader& reader, const Index& index) {
  std::vector<IndexBucket> buckets;
  for (const StoredBucket& stored :
       TALEA_TRY(histograms::ReadBuckets(reader, index.id, index.reading().id))) {
    const Span span = stored.row.whole ? *stored.row.whole : stored.span();
    if (!buckets.empty() && buckets.back().lower == span.lower) continue;  // of the same whole
    if (!buckets.empty() && buckets.back().dividing &&
        (!buckets.back().upper || span.lower < *buckets.back().upper)) {
      continue;
    }
    buckets.push_back({span.lower, span.upper, 0, stored.row.whole.has_value()});
  }
  auto bucket = buckets.begin();
  for (const auto& [boundary, count] : TALEA_TRY(ReadCounters(reader, index))) {
    while (bucket != buckets.end() && bucket->upper && boundary >= *bucket->upper) ++bucket;
    if (bucket != buckets.end()) bucket->count += count;
  }
  return buckets;
}

Result<std::vector<IndexBucket>> BucketsOf(Reader& reader, const Index& index) {
  if (index.reading().kind.learned()) return LearnedBuckets(reader, index);
  std::vector<IndexBucket> buckets;
  for (auto& [prefix, count] : TALEA_TRY(ReadCounters(reader, index))) {
    buckets.push_back({prefix, std::nullopt, count});
  }
  return buckets;
}

// A value and the number of its entries.
struct Counted {
  std::string value;  // packed
  std::uint64_t entries = 0;
  bool all = true;  // or else it has at least so many
};

// A bucket that was looked into.
struct Sampled {
  IndexBucket bucket;
  std::vector<Counted> values = {};
  bool all = false;  // of its entries are known
  bool one_value = false;
};

// Whether a value of the bucket's span is the bucket's. Where the prefixes of a fixed histogram end
// the bytes of an entry do not tell: behind a value shorter than they are comes the document.
bool Holds(const Index& index, const IndexBucket& bucket, ByteView value) {
  const Histogram& kind = index.reading().kind;
  return kind.learned() ||
         histograms::PrefixOf(value, kind.fixed_bytes, index.state->elements) == bucket.lower;
}

// Counts the entries of each value of a bucket, reading at most so many. Of a value that has very
// many not all are read: if it is the only one, it has what the others leave of the bucket.
Status LookInto(Reader& reader, const Index& index, const Span& span, std::uint64_t most,
                Sampled& sampled) {
  const std::uint64_t heavy = index.state->peek_cap;
  std::optional<std::size_t> skipped;
  std::uint64_t others = 0;
  std::optional<Scanner> rows;
  const auto start = [&](ByteView lower) {
    rows.emplace(reader, kHistogramsKeyspace,
                 histograms::EntryKeysWithin(index.id, lower, span.upper));
  };
  start(span.lower);
  for (std::uint64_t seen = 0; seen < most; ++seen) {
    const std::optional<Row> row = TALEA_TRY(rows->Next());
    sampled.all = !row;
    if (!row) break;
    const ByteView entry = TALEA_TRY(histograms::PartsOfEntryKey(row->key))
    .value_and_document;
    const ByteView value =
        entry.substr(0, TALEA_TRY(histograms::ValueLength(entry, index.state->elements)));
    sampled.all = !Holds(index, sampled.bucket, value);
    if (sampled.all) break;
    if (sampled.values.empty() || sampled.values.back().value != value) {
      sampled.values.push_back({std::string(value), 0});
    }
    ++others;
    if (++sampled.values.back().entries <= heavy || skipped) continue;
    skipped = sampled.values.size() - 1;
    others -= sampled.values.back().entries;
    const std::string after = sampled.values.back().value + '\xff';
    sampled.all = span.upper && after >= *span.upper;
    if (sampled.all) break;
    start(after);
  }
  if (!sampled.all && !sampled.values.empty()) sampled.values.back().all = false;
  if (!skipped) return {};
  Counted& heaviest = sampled.values[*skipped];
  const std::uint64_t count = Unsigned(sampled.bucket.count);
  heaviest.all = sampled.all;
  if (sampled.all) heaviest.entries = count - std::min(count, others);
  return {};
}

// The value that fills a bucket, if there is one: the bucket ends behind a value, [.., v + ff), and
// has nothing in front of it.
Result<std::optional<std::string>> OnlyValue(Reader& reader, const Index& index,
                                             const IndexBucket& bucket) {
  if (!bucket.upper || !bucket.upper->ends_with('\xff')) return std::nullopt;
  std::string value = bucket.upper->substr(0, bucket.upper->size() - 1);
  const Result<std::size_t> length = histograms::ValueLength(value, index.state->elements);
  if (!length || *length != value.size() || value < bucket.lower) return std::nullopt;
  const std::uint64_t in_front =
      TALEA_TRY(histograms::CountEntries(reader, index.id, {bucket.lower, value}, 1));
  return in_front == 0 ? std::optional(std::move(value)) : std::nullopt;
}

// Where the values of a bucket lie, and perhaps others behind them.
Span SpanOf(const Index& index, const IndexBucket& bucket) {
  if (index.reading().kind.learned()) return {bucket.lower, bucket.upper};
  return {histograms::BoundsOf(bucket.lower, index.state->elements).lower, std::nullopt};
}

enum class Spread { evenly, largest };

// Looks into at most `sample` of the buckets that are not empty. Those with one value need no look.
Result<std::vector<Sampled>> Sample(Reader& reader, const Index& index, std::size_t sample,
                                    Spread spread) {
  std::vector<IndexBucket> buckets = TALEA_TRY(BucketsOf(reader, index));
  std::erase_if(buckets, [](const IndexBucket& bucket) { return bucket.count <= 0; });
  std::vector<Sampled> sampled;
  std::vector<std::size_t> unknown;
  for (IndexBucket& bucket : buckets) {
    if (std::optional<std::string> only = TALEA_TRY(OnlyValue(reader, index, bucket))) {
      const std::uint64_t count = Unsigned(bucket.count);
      sampled.push_back({bucket, {{std::move(*only), count}}, true, true});
    } else {
      unknown.push_back(sampled.size());
      sampled.push_back({bucket, {}, false});
    }
  }
  const std::uint64_t most = std::uint64_t{4} * index.state->peek_cap;
  const std::size_t looks = std::min(sample, unknown.size());
  const auto size = [&](std::size_t place) { return sampled[place].bucket.count; };
  if (spread == Spread::largest) {
    std::ranges::stable_sort(unknown, std::ranges::greater{}, size);
    unknown.resize(looks);
  }
  for (std::size_t look = 0; look < looks; ++look) {
    Sampled& each = sampled[unknown[look * unknown.size() / looks]];
    TALEA_TRY(LookInto(reader, index, SpanOf(index, each.bucket), most, each));
  }
  return sampled;
}

}  // namespace

Result<std::vector<IndexBucket>> IndexStore::Buckets(Reader& reader, std::string_view name) {
  return BucketsOf(reader, TALEA_TRY(state_->Find(reader, name)));
}

Result<CountEstimate> IndexStore::Distinct(Reader& reader, std::string_view name,
                                           std::size_t sample) {
  const Index index = TALEA_TRY(state_->Find(reader, name));
  CountEstimate result;
  // Values for each entry, where it was looked: the rest is taken to be alike.
  double looked_values = 0;
  double looked_entries = 0;
  double unknown_entries = 0;
  for (const Sampled& each : TALEA_TRY(Sample(reader, index, sample, Spread::evenly))) {
    const std::uint64_t count = Unsigned(each.bucket.count);
    std::uint64_t entries = 0;
    for (const Counted& value : each.values) entries += value.entries;
    const std::uint64_t values = each.values.size();
    result.low += std::max<std::uint64_t>(values, 1);
    result.high +=
        each.all ? values : std::max<std::uint64_t>(values + count - std::min(count, entries), 1);
    result.estimate += static_cast<double>(values);
    result.exact = result.exact && each.all;
    if (!each.one_value) {
      looked_values += static_cast<double>(values);
      looked_entries += static_cast<double>(entries);
      if (!each.all) unknown_entries += static_cast<double>(count - std::min(count, entries));
    }
  }
  if (looked_entries > 0) result.estimate += unknown_entries * looked_values / looked_entries;
  result.estimate = std::clamp(result.estimate, static_cast<double>(result.low),
                               static_cast<double>(result.high));
  return result;
}

Result<CommonValues> IndexStore::MostCommon(Reader& reader, std::string_view name, std::size_t most,
                                            std::size_t sample) {
  const Index index = TALEA_TRY(state_->Find(reader, name));
  std::vector<Counted> values;
  CommonValues result;
  for (Sampled& each : TALEA_TRY(Sample(reader, index, sample, Spread::largest))) {
    if (!each.all) {
      // One that was not read to its end, or not at all, may have all the rest.
      std::erase_if(each.values, [](const Counted& value) { return !value.all; });
      std::uint64_t entries = 0;
      for (const Counted& value : each.values) entries += value.entries;
      const std::uint64_t count = Unsigned(each.bucket.count);
      result.others_have_at_most =
          std::max(result.others_have_at_most, count - std::min(count, entries));
    }
    std::ranges::move(each.values, std::back_inserter(values));
  }
  std::ranges::stable_sort(values, std::ranges::greater{}, &Counted::entries);
  for (const Counted& value : values) {
    if (result.values.size() == most) {
      result.others_have_at_most = std::max(result.others_have_at_most, value.entries);
      break;
    }
    result.values.push_back({
      TALEA_TRY(Unpack(value.value))
      , value.entries
    });
  }
  return result;
}

Result<NullShare> IndexStore::NullFraction(Reader& reader, std::string_view name) {
  NullShare share;
  share.entries = TALEA_TRY(Estimate(reader, name, Where::Equal({nullptr})));
  const std::uint64_t all = TALEA_TRY(Describe(reader, name))
  .entries;
  if (all > 0) share.fraction = share.entries.estimate / static_cast<double>(all);
  return share;
}

namespace {

Error Disagreement(const Index& index, std::string_view bucket, std::int64_t counter,
                   std::uint64_t entries) {
  return Error(ErrorCode::corruption,
               fmt::format("index {}, histogram {}, bucket {}: expected {} entries as its counter "
                           "says, found {}",
                           Quoted(index.state->name), index.reading().kind.ToString(),
                           Quoted(bucket), counter, entries));
}

// Tells how far a verification is, and whether it is to go on.
class Meter {
 public:
  Meter(const IndexProgress& progress, std::uint64_t total) : progress_(progress), total_(total) {}
  bool Add(std::uint64_t entries) {
    done_ += entries;
    return !progress_ || progress_(done_, std::max(total_, done_));
  }

 private:
  const IndexProgress& progress_;
  std::uint64_t done_ = 0;
  const std::uint64_t total_;
};

Status Stopped(const Index& index) {
  return Fail(
      ErrorCode::precondition_failed,
      fmt::format("index {}: verifying was stopped before its end", Quoted(index.state->name)));
}

Status VerifyLearned(Reader& reader, const Index& index, Meter& meter) {
  for (const IndexBucket& bucket : TALEA_TRY(LearnedBuckets(reader, index))) {
    const std::uint64_t entries = TALEA_TRY(histograms::CountEntries(
        reader, index.id, {bucket.lower, bucket.upper}, std::numeric_limits<std::uint64_t>::max()));
    if (std::cmp_not_equal(entries, bucket.count)) {
      return std::unexpected(Disagreement(index, bucket.lower, bucket.count, entries));
    }
    if (!meter.Add(entries)) return Stopped(index);
  }
  return {};
}

Status VerifyFixed(Reader& reader, const Index& index, Meter& meter) {
  std::map<std::string, std::int64_t> counters = TALEA_TRY(ReadCounters(reader, index));
  std::unordered_map<std::string, std::uint64_t> entries;
  Scanner rows(reader, kHistogramsKeyspace, histograms::EntryKeys(index.id));
  std::uint64_t since = 0;
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    const ByteView entry = TALEA_TRY(histograms::PartsOfEntryKey(row->key))
    .value_and_document;
    ++entries[histograms::PrefixOfEntry(entry, index.reading().kind.fixed_bytes,
                                        index.state->elements)];
    if (++since == 4096 && !meter.Add(std::exchange(since, 0))) return Stopped(index);
  }
  for (const auto& [prefix, count] : entries) counters.try_emplace(prefix, 0);
  for (const auto& [prefix, counter] : counters) {
    const auto found = entries.find(prefix);
    const std::uint64_t count = found == entries.end() ? 0 : found->second;
    if (std::cmp_not_equal(count, counter)) {
      return std::unexpected(Disagreement(index, prefix, counter, count));
    }
  }
  meter.Add(since);
  return {};
}

}  // namespace

Status IndexStore::Verify(Reader& reader, std::string_view name, const IndexProgress& progress) {
  const Index index = TALEA_TRY(state_->Find(reader, name));
  Meter meter(progress, TALEA_TRY(Describe(reader, name)).entries);
  return index.reading().kind.learned() ? VerifyLearned(reader, index, meter)
                                        : VerifyFixed(reader, index, meter);
}

std::vector<Metric> IndexStore::Metrics() const {
  const histograms::Activity& activity = state_->activity();
  const auto number = [](const std::atomic<std::uint64_t>& count) {
    return static_cast<double>(count.load());
  };
  std::vector<Metric> metrics{
      {"talea_histograms_adds_total", "", number(activity.adds), "Index entries added"},
      {"talea_histograms_deletes_total", "", number(activity.deletes), "Index entries removed"},
      {"talea_histograms_estimates_total", "", number(activity.estimates), "Estimates made"},
      {"talea_histograms_peek_hit_rate", "",
       activity.peeks ? number(activity.peek_hits) / number(activity.peeks) : 1,
       "The part of the estimates with a peek that were exact"},
      {"talea_histograms_divisions_total", "", number(activity.divisions), "Buckets divided"},
      {"talea_histograms_unions_total", "", number(activity.unions), "Groups of buckets united"},
  };
  for (const auto& [label, part] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
    metrics.push_back({"talea_histograms_estimate_latency_ms", label,
                       activity.latencies.Milliseconds(part), "How long an estimate takes"});
  }
  constexpr std::size_t kHottest = 5;
  std::vector<Metric> buckets;
  for (const auto& [name, known] : state_->AllKnown()) {
    for (const std::shared_ptr<histograms::Layout>& layout : known->Layouts()) {
      for (const histograms::BucketPointer& bucket : layout->All()) {
        buckets.push_back({"talea_histograms_hottest_bucket",
                           fmt::format("{} from {}", name, Quoted(bucket->id.lower)),
                           number(bucket->writes), "Writes to the buckets that have most of them"});
      }
    }
  }
  const auto middle =
      buckets.begin() + static_cast<std::ptrdiff_t>(std::min(kHottest, buckets.size()));
  std::ranges::partial_sort(buckets, middle, std::ranges::greater{}, &Metric::value);
  metrics.insert(metrics.end(), std::make_move_iterator(buckets.begin()),
                 std::make_move_iterator(middle));
  return metrics;
}

}  // namespace talea
