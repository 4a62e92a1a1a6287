#include "histograms/recount.h"

#include <limits>
#include <map>

#include "histograms/fixed.h"

namespace talea::histograms {
namespace {

// The entries of a bucket by the counter they belong to; the keys of counters.
using Counts = std::map<std::string, std::int64_t>;

// The prefix of an entry; or of the beginning of all, where a bucket of a fixed histogram may begin
// too.
std::string PrefixAt(const LayoutChange& change, ByteView entry) {
  if (entry.empty()) return {};
  return PrefixOfEntry(entry, change.histogram().kind.fixed_bytes, change.index().state->elements);
}

Result<Counts> CountByPrefix(LayoutChange& change, const StoredBucket& bucket) {
  Counts counts;
  Scanner rows(change.unrecorded(), kHistogramsKeyspace,
               EntryKeysWithin(change.index().id, bucket.id.lower, bucket.row.upper));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    const ByteView entry = TALEA_TRY(PartsOfEntryKey(row->key))
    .value_and_document;
    ++counts[CounterKey(change.index().id, change.histogram().id, PrefixAt(change, entry),
                        bucket.id.generation)];
  }
  return counts;
}

// Adds what the counters of a bucket lack, given what it has in truth. Returns its entries.
Result<std::int64_t> AddWhatIsLacking(LayoutChange& change, const StoredBucket& bucket,
                                      const Counts& counts) {
  std::int64_t entries = 0;
  for (const auto& [key, count] : counts) entries += count;
  // A counter that is left at something while its entries are gone again is not among those.
  Counts lacking = counts;
  std::optional<std::string> upper;
  if (bucket.row.upper) upper = PrefixAt(change, *bucket.row.upper) + '\0';
  Scanner rows(change.unrecorded(), kHistogramCountersKeyspace,
               CounterKeysWithin(change.index().id, change.histogram().id,
                                 PrefixAt(change, bucket.id.lower), upper));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    const CounterKeyParts parts = TALEA_TRY(PartsOfCounterKey(row->key));
    if (parts.generation != bucket.id.generation) continue;
    lacking[std::string(row->key)] -= TALEA_TRY(CounterOf(*row));
  }
  for (const auto& [key, delta] : lacking) change.AddTo(key, delta);
  return entries;
}

// The number of entries of each new bucket that is to be counted. One of them is left out, and gets
// what the others leave: the first, or one that is so large that counting it would take long.
Result<std::vector<std::optional<std::int64_t>>> CountTaking(
    LayoutChange& change, const std::vector<StoredBucket>& taking, bool leave_one) {
  const auto count = [&](std::size_t place, std::uint64_t most) {
    return CountEntries(change.unrecorded(), change.index().id, taking[place].span(), most);
  };
  constexpr std::uint64_t kAll = std::numeric_limits<std::int64_t>::max();
  std::vector<std::optional<std::int64_t>> counts(taking.size());
  std::size_t left_out = 0;
  for (std::size_t place = taking.size(); place-- > 0;) {
    if (taking[place].row.uncounted || (leave_one && place == left_out)) continue;
    const bool may_leave = leave_one && left_out == 0;
    const std::uint64_t most = may_leave ? 4 * change.cap() : kAll;
    const std::uint64_t entries = TALEA_TRY(count(place, most));
    if (entries < most) {
      counts[place] = static_cast<std::int64_t>(entries);
    } else {
      left_out = place;
    }
  }
  return counts;
}

// Takes the counter of an old bucket away, and returns what it was. It is read, so whoever adds to
// it meanwhile makes this conflict.
Result<std::int64_t> TakeAway(LayoutChange& change, const StoredBucket& bucket) {
  const std::string counter = change.CounterOfBucket(bucket.id);
  const std::int64_t count =
      TALEA_TRY(change.transaction().GetCounter(kHistogramCountersKeyspace, counter));
  change.AddTo(counter, -count);
  return count;
}

}  // namespace

Result<BucketNumbers> MoveCounts(LayoutChange& change, const std::vector<StoredBucket>& ending,
                                 const std::vector<StoredBucket>& taking) {
  std::int64_t left = 0;
  bool uncounted = false;
  for (const StoredBucket& bucket : ending) {
    left += TALEA_TRY(TakeAway(change, bucket));
    uncounted = uncounted || bucket.row.uncounted;
  }
  std::vector<std::string> counters;
  std::vector<KeyReference> references;
  for (const StoredBucket& bucket : taking) counters.push_back(change.CounterOfBucket(bucket.id));
  for (const std::string& key : counters) references.emplace_back(kHistogramCountersKeyspace, key);
  const std::vector<std::optional<std::string>> stored =
      TALEA_TRY(change.unrecorded().MultiGet(references));
  std::vector<std::int64_t> since;
  for (std::size_t place = 0; place < taking.size(); ++place) {
    since.push_back(stored[place] ? TALEA_TRY(CounterOf({counters[place], *stored[place]})) : 0);
    left += since.back();
  }
  const std::vector<std::optional<std::int64_t>> counts =
      TALEA_TRY(CountTaking(change, taking, !uncounted));
  for (const std::optional<std::int64_t>& count : counts) left -= count.value_or(0);
  BucketNumbers numbers;
  for (std::size_t place = 0; place < taking.size(); ++place) {
    if (taking[place].row.uncounted) continue;
    const std::int64_t count = counts[place].value_or(left);
    change.AddTo(counters[place], count - since[place]);
    numbers.emplace_back(taking[place].id, count);
  }
  return numbers;
}

Result<BucketNumbers> MovePrefixCounts(LayoutChange& change,
                                       const std::vector<StoredBucket>& ending,
                                       const std::vector<StoredBucket>& taking) {
  for (const StoredBucket& bucket : ending) TALEA_TRY(TakeAway(change, bucket));
  BucketNumbers numbers;
  for (const StoredBucket& bucket : taking) {
    if (bucket.row.uncounted) continue;
    const Counts counts = TALEA_TRY(CountByPrefix(change, bucket));
    numbers.emplace_back(bucket.id, TALEA_TRY(AddWhatIsLacking(change, bucket, counts)));
  }
  return numbers;
}

}  // namespace talea::histograms
