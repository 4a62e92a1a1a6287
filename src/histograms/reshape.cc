#include "histograms/reshape.h"

#include <algorithm>
#include <limits>
#include <map>

#include "coordination/attempts.h"
#include "histograms/changes.h"
#include "histograms/fixed.h"
#include "histograms/learned.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// So many entries, in units of the peek cap, are looked at to divide a bucket. What lies beyond is
// divided next.
constexpr std::uint64_t kMostCaps = 64;

// A transaction that changes the buckets of a histogram. It reads the index's row, and writes it,
// so there is one at a time.
class LayoutChange {
 public:
  static Result<std::optional<LayoutChange>> Open(Engine& engine, IndexId id,
                                                  HistogramId histogram) {
    LayoutChange change(engine, histogram);
    std::optional<Index> index = TALEA_TRY(FindIndex(change.transaction_, id));
    if (!index || !index->Find(histogram)) return std::nullopt;  // dropped since
    change.index_ = std::move(*index);
    return change;
  }

  const Index& index() const { return index_; }
  const HistogramState& histogram() const { return *index_.Find(histogram_); }
  std::uint64_t next_layout() const { return histogram().layout + 1; }
  std::uint64_t cap() const { return index_.state->peek_cap; }
  Transaction& transaction() { return transaction_; }
  Reader& unrecorded() { return transaction_.unrecorded(); }

  void Put(const BucketId& id, const BucketRow& row) {
    transaction_.Put(kHistogramsKeyspace, BucketKey(index_.id, histogram_, id),
                     EncodeBucketRow(row));
  }
  void Erase(const BucketId& id) {
    transaction_.Erase(kHistogramsKeyspace, BucketKey(index_.id, histogram_, id));
    transaction_.Erase(kHistogramsKeyspace, BucketEndKey(index_.id, histogram_, id));
  }
  void AddTo(const std::string& counter, std::int64_t delta) {
    if (delta != 0) transaction_.Add(kHistogramCountersKeyspace, counter, delta);
  }
  std::string CounterOfBucket(const BucketId& id) const {
    return CounterKey(index_.id, histogram_, id.lower, id.generation);
  }

  Status Commit() {
    IndexState state = *index_.state;
    for (HistogramState& each : state.histograms) {
      if (each.id == histogram_) ++each.layout;
    }
    transaction_.Put(kHistogramsKeyspace, IndexKey(index_.id), EncodeIndexState(state));
    TALEA_TRY(transaction_.Commit());
    return {};
  }

 private:
  LayoutChange(Engine& engine, HistogramId histogram)
      : transaction_(engine), histogram_(histogram) {}

  Transaction transaction_;
  HistogramId histogram_;
  Index index_;
};

// A bucket to come.
struct Successor {
  BucketId id;
  BucketRow row;
};

Result<ByteView> ValueOf(const Row& row, const Index& index) {
  const ByteView entry = TALEA_TRY(PartsOfEntryKey(row.key))
  .value_and_document;
  return entry.substr(0, TALEA_TRY(ValueLength(entry, index.state->elements)));
}

// Where values ascend, the last bucket grows at its end, and what lies before stays as it is. So it
// is left nearly full, and not half empty: that takes half the divisions, and each has to look at,
// and count, little. Returns where the new last bucket begins; nothing where this is of no use.
Result<std::optional<std::string>> BoundaryNearTheEnd(LayoutChange& change, const Bucket& bucket) {
  const std::uint64_t cap = change.cap();
  const std::uint64_t kept = 2 * cap - cap / 32;
  if (bucket.upper || bucket.uncounted) return std::nullopt;
  const std::int64_t count = TALEA_TRY(change.unrecorded().GetCounter(
      kHistogramCountersKeyspace, change.CounterOfBucket(bucket.id)));
  const std::uint64_t entries = static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
  if (entries <= kept || entries > kept + cap) return std::nullopt;
  std::optional<std::string> boundary;
  std::string greater;
  std::uint64_t taken = 0;  // by the new bucket, if it begins with `greater`
  std::optional<KeyRange> rest = EntryKeysWithin(change.index().id, bucket.id.lower, std::nullopt);
  while (rest && taken <= entries - kept) {
    const Page page = TALEA_TRY(change.unrecorded().Range(
        kHistogramsKeyspace, *rest,
        {.reverse = true, .row_limit = static_cast<std::size_t>(entries - kept + 1 - taken)}));
    rest = page.rest();
    for (const Row& row : page) {
      const ByteView value = TALEA_TRY(ValueOf(row, change.index()));
      if (taken > 0 && value != greater) {
        boundary = entries - taken <= 2 * cap ? std::optional(Separator(value, greater)) : boundary;
      }
      greater = value;
      ++taken;
    }
  }
  if (boundary && boundary->size() > kLongestBoundary) return std::nullopt;
  return boundary;
}

// The buckets that a bucket of a learned histogram should be divided into: one if it is well as it
// is. What is not counted yet is not divided beyond what was looked at.
Result<std::vector<Successor>> Divisions(LayoutChange& change, const Bucket& bucket) {
  if (std::optional<std::string> end = TALEA_TRY(BoundaryNearTheEnd(change, bucket))) {
    return std::vector<Successor>{
        {.id = {bucket.id.lower, change.next_layout()}, .row = {.upper = end}},
        {.id = {*end, change.next_layout()}, .row = {}}};
  }
  const std::uint64_t cap = change.cap();
  // The last part need not be looked at: it is what the others leave. But if there are no others
  // yet, a common value may follow on what was seen.
  const std::uint64_t about = static_cast<std::uint64_t>(std::max<std::int64_t>(bucket.entries, 0));
  const std::uint64_t enough =
      bucket.uncounted ? kMostCaps * cap : std::min(kMostCaps * cap, about > cap ? about - cap : 1);
  Divider divider(bucket.id.lower, cap, cap);
  const auto most = [&] { return divider.divided() ? enough : kMostCaps * cap; };
  std::optional<KeyRange> rest = EntryKeysWithin(change.index().id, bucket.id.lower, bucket.upper);
  std::uint64_t seen = 0;
  while (rest && seen <= most()) {
    const std::uint64_t next = seen <= enough ? enough + 1 - seen : cap;
    const Page page = TALEA_TRY(change.unrecorded().Range(
        kHistogramsKeyspace, *rest,
        {.row_limit = static_cast<std::size_t>(std::min<std::uint64_t>(next, 4096))}));
    rest = page.rest();
    for (const Row& row : page) {
      const ByteView value = TALEA_TRY(ValueOf(row, change.index()));
      ++seen;
      if (!divider.Add(value)) continue;
      std::string after(value);
      after += '\xff';
      if (bucket.upper && after >= *bucket.upper) {
        rest = std::nullopt;
      } else {
        rest = EntryKeysWithin(change.index().id, after, bucket.upper);
      }
      break;
    }
  }
  std::vector<Successor> successors;
  const std::vector<Divider::Part> parts = divider.Finish();
  for (std::size_t place = 0; place < parts.size(); ++place) {
    const bool last = place + 1 == parts.size();
    successors.push_back(
        {.id = {parts[place].lower, change.next_layout()},
         .row = {.upper = last ? bucket.upper : std::optional(parts[place + 1].lower),
                 .uncounted = bucket.uncounted && last && parts.size() > 1 && rest.has_value()}});
  }
  return successors;
}

// What is not counted yet of a fixed histogram may be divided anywhere, as its buckets only say
// what is counted.
Result<std::vector<Successor>> CountedPart(LayoutChange& change, const Bucket& bucket) {
  // Each entry may take a counter of its own.
  constexpr std::uint64_t kCounterBytes = 500;
  const std::uint64_t most = std::min<std::uint64_t>(
      kMostCaps * change.cap(),
      change.transaction().engine().limits().transaction_bytes / kCounterBytes);
  std::optional<KeyRange> rest = EntryKeysWithin(change.index().id, bucket.id.lower, bucket.upper);
  std::uint64_t seen = 0;
  std::optional<std::string> end;
  while (rest && !end) {
    const Page page = TALEA_TRY(change.unrecorded().Range(kHistogramsKeyspace, *rest));
    rest = page.rest();
    for (const Row& row : page) {
      const ByteView entry = TALEA_TRY(PartsOfEntryKey(row.key))
      .value_and_document;
      const bool enough = seen++ >= most && entry != bucket.id.lower;
      if (!enough || entry.size() > kLongestBoundary) continue;
      end = std::string(entry);
      break;
    }
  }
  const std::uint64_t generation = change.next_layout();
  if (!end) return std::vector<Successor>{{{bucket.id.lower, generation}, {.upper = bucket.upper}}};
  return std::vector<Successor>{{{bucket.id.lower, generation}, {.upper = end}},
                                {{*end, generation}, {.upper = bucket.upper, .uncounted = true}}};
}

// Whether these buckets are stored as they are remembered, and nothing is under way with them.
Result<bool> AreAsRemembered(LayoutChange& change, const std::vector<BucketPointer>& buckets) {
  std::vector<std::string> keys;
  std::vector<KeyReference> references;
  for (const BucketPointer& bucket : buckets) {
    keys.push_back(BucketKey(change.index().id, change.histogram().id, bucket->id));
  }
  for (const std::string& key : keys) references.emplace_back(kHistogramsKeyspace, key);
  for (const std::optional<std::string>& row :
       TALEA_TRY(change.unrecorded().MultiGet(references))) {
    if (!row || TALEA_TRY(DecodeBucketRow(*row)).whole) return false;
  }
  return true;
}

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

}  // namespace

Status ReadLayout(Reader& reader, IndexId index, const HistogramState& histogram, Layout& layout) {
  std::vector<BucketPointer> buckets;
  std::vector<Reshaping> reshapings;
  for (const StoredBucket& stored : TALEA_TRY(ReadBuckets(reader, index, histogram.id))) {
    BucketPointer bucket = MakeBucket(index, histogram, stored.id, stored.row);
    if (stored.row.whole && (reshapings.empty() || reshapings.back().whole != *stored.row.whole)) {
      reshapings.push_back({*stored.row.whole, {}});
    }
    if (stored.row.ending && stored.row.whole) {
      reshapings.back().ending.push_back(std::move(bucket));
    } else {
      buckets.push_back(std::move(bucket));
    }
  }
  if (buckets.empty() || !buckets.front()->id.lower.empty()) {
    return Fail(ErrorCode::corruption, "index number " + std::to_string(index) + ", histogram " +
                                           std::to_string(histogram.id) +
                                           ": expected a bucket for the least values, found none");
  }
  if (histogram.kind.learned()) {
    std::map<BucketId, std::int64_t> counts;
    Scanner rows(reader, kHistogramCountersKeyspace, CounterKeys(index, histogram.id));
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      CounterKeyParts parts = TALEA_TRY(PartsOfCounterKey(row->key));
      counts[{std::move(parts.boundary), parts.generation}] = TALEA_TRY(CounterOf(*row));
    }
    for (const BucketPointer& bucket : buckets) {
      const auto count = counts.find(bucket->id);
      if (count != counts.end()) bucket->entries = count->second;
    }
  }
  layout.Reset(histogram.layout, std::move(buckets), std::move(reshapings));
  return {};
}

// An empty bucket goes into any neighbour that has room, others only together with small ones.
std::vector<BucketPointer> Reshaper::ToUnite(const Bucket& bucket, std::int64_t cap) const {
  return layout_->SmallNeighbours(bucket, bucket.entries <= 0 ? cap + cap / 2 : cap / 2);
}

void Reshaper::Tend(std::int64_t cap) {
  do {
    const std::unique_lock lock(index_.reshaping, std::try_to_lock);
    if (!lock.owns_lock()) return;  // who has it looks once more when it is done
    if (!FinishOthers(false)) return;
    for (const BucketPointer& bucket : layout_->TakeNoted()) {
      if (!Tend(bucket, cap)) return;
    }
  } while (layout_->HasNoted());
}

Status Reshaper::Tend(const BucketPointer& bucket, std::int64_t cap) {
  if (!layout_->IsWhole(*bucket)) return {};
  if (bucket->IsTooLarge(cap)) {
    TALEA_TRY(Reshape({bucket}));
  } else if (4 * bucket->entries < cap) {
    const std::vector<BucketPointer> small = ToUnite(*bucket, cap);
    if (small.size() > 1) TALEA_TRY(Reshape(small));
  }
  return {};
}

Status Reshaper::Reshape(const std::vector<BucketPointer>& ending) {
  const std::optional<Span> begun = TALEA_TRY(Begin(ending));
  return begun ? FinishOthers(false) : Status();
}

Status Reshaper::FinishOthers(bool pinned_too) {
  for (const Span& whole : layout_->Unfinished(pinned_too)) TALEA_TRY(End(whole));
  return {};
}

Result<std::optional<Span>> Reshaper::Begin(const std::vector<BucketPointer>& ending) {
  return TryUntilDecided([&]() -> Result<std::optional<Span>> {
    std::optional<LayoutChange> change =
        TALEA_TRY(LayoutChange::Open(engine_, index_.id(), histogram_));
    if (!change || !TALEA_TRY(AreAsRemembered(*change, ending))) return std::nullopt;
    const Span whole{ending.front()->id.lower, ending.back()->upper};
    const bool learned = change->histogram().kind.learned();
    std::vector<Successor> successors;
    if (ending.size() > 1) {
      successors.push_back({{whole.lower, change->next_layout()}, {.upper = whole.upper}});
    } else {
      const Bucket& bucket = *ending.front();
      successors = TALEA_TRY(learned ? Divisions(*change, bucket) : CountedPart(*change, bucket));
      if (successors.size() == 1 && !ending.front()->uncounted) {
        ending.front()->patience =
            ending.front()->entries + static_cast<std::int64_t>(change->cap());
        return std::nullopt;
      }
    }
    std::vector<BucketPointer> taking;
    for (Successor& successor : successors) {
      successor.row.whole = whole;
      change->Put(successor.id, successor.row);
      taking.push_back(MakeBucket(index_.id(), change->histogram(), successor.id, successor.row));
    }
    for (const BucketPointer& bucket : ending) {
      change->Put(
          bucket->id,
          {.upper = bucket->upper, .uncounted = bucket->uncounted, .ending = true, .whole = whole});
    }
    change->transaction().AfterCommit(
        [layout = layout_, number = change->next_layout(), whole, ending, taking](Version) mutable {
          layout->Begin(number, {whole, std::move(ending)}, std::move(taking));
        });
    TALEA_TRY(change->Commit());
    (ending.size() > 1 ? activity_.unions : activity_.divisions) += 1;
    return whole;
  });
}

namespace {

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

// Of a learned histogram: adds to the new counters what they lack, and takes the old ones away.
// Returns the new numbers.
Result<std::vector<std::pair<BucketId, std::int64_t>>> MoveCounts(
    LayoutChange& change, const std::vector<StoredBucket>& ending,
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
  std::vector<std::pair<BucketId, std::int64_t>> numbers;
  for (std::size_t place = 0; place < taking.size(); ++place) {
    if (taking[place].row.uncounted) continue;
    const std::int64_t count = counts[place].value_or(left);
    change.AddTo(counters[place], count - since[place]);
    numbers.emplace_back(taking[place].id, count);
  }
  return numbers;
}

}  // namespace

Status Reshaper::End(const Span& whole) {
  return TryUntilDecided([&]() -> Status {
    std::optional<LayoutChange> change =
        TALEA_TRY(LayoutChange::Open(engine_, index_.id(), histogram_));
    if (!change) return {};
    std::vector<StoredBucket> ending;
    std::vector<StoredBucket> taking;
    for (StoredBucket& bucket :
         TALEA_TRY(ReadBucketsWithin(change->unrecorded(), index_.id(), histogram_, whole))) {
      if (bucket.row.whole != whole) continue;
      (bucket.row.ending ? ending : taking).push_back(std::move(bucket));
    }
    if (taking.empty()) return {};  // another process was quicker
    std::vector<std::pair<BucketId, std::int64_t>> numbers;
    if (change->histogram().kind.learned()) {
      numbers = TALEA_TRY(MoveCounts(*change, ending, taking));
    } else {
      for (const StoredBucket& bucket : ending) TALEA_TRY(TakeAway(*change, bucket));
      for (const StoredBucket& bucket : taking) {
        if (bucket.row.uncounted) continue;
        numbers.emplace_back(
            bucket.id, TALEA_TRY(AddWhatIsLacking(*change, bucket,
                                                  TALEA_TRY(CountByPrefix(*change, bucket)))));
      }
    }
    for (const StoredBucket& bucket : ending) change->Erase(bucket.id);
    for (StoredBucket& bucket : taking) {
      bucket.row.whole = std::nullopt;
      change->Put(bucket.id, bucket.row);
    }
    change->transaction().AfterCommit([layout = layout_, number = change->next_layout(), whole,
                                       numbers](Version) { layout->End(number, whole, numbers); });
    const auto cap = static_cast<std::int64_t>(change->cap());
    TALEA_TRY(change->Commit());
    // Of a very large one a part is left to be divided again.
    for (const BucketPointer& part : layout_->Within(whole)) {
      if (part->IsTooLarge(cap)) layout_->Note(part);
    }
    return {};
  });
}

// Loads what is stored, as others may have divided buckets too.
Status Reshaper::Settle() {
  const std::unique_lock lock(index_.reshaping);
  for (bool changed = true; changed;) {
    changed = false;
    const auto snapshot = TALEA_TRY(engine_.OpenSnapshot());
    const std::optional<Index> index = TALEA_TRY(FindIndex(*snapshot, index_.id()));
    const HistogramState* histogram = index ? index->Find(histogram_) : nullptr;
    if (!histogram) return {};
    TALEA_TRY(ReadLayout(*snapshot, index_.id(), *histogram, *layout_));
    TALEA_TRY(FinishOthers(true));
    if (!histogram->kind.learned()) return {};
    const std::int64_t cap = index->state->peek_cap;
    for (const BucketPointer& bucket : layout_->All()) {
      if (bucket->uncounted) continue;
      const std::int64_t entries = bucket->entries;
      std::vector<BucketPointer> reshaped;
      if (bucket->IsTooLarge(cap)) {
        reshaped = {bucket};
      } else if (4 * entries < cap) {
        reshaped = ToUnite(*bucket, cap);
        if (reshaped.size() == 1) continue;
      }
      if (reshaped.empty()) continue;
      const std::optional<Span> whole = TALEA_TRY(Begin(reshaped));
      if (!whole) continue;
      TALEA_TRY(End(*whole));
      changed = true;
    }
  }
  return {};
}

Result<std::optional<std::uint64_t>> Reshaper::CountSome() {
  const std::unique_lock lock(index_.reshaping);
  const auto snapshot = TALEA_TRY(engine_.OpenSnapshot());
  const std::optional<Index> index = TALEA_TRY(FindIndex(*snapshot, index_.id()));
  const HistogramState* histogram = index ? index->Find(histogram_) : nullptr;
  if (!histogram) return std::nullopt;
  TALEA_TRY(ReadLayout(*snapshot, index_.id(), *histogram, *layout_));
  TALEA_TRY(FinishOthers(true));
  for (const BucketPointer& bucket : layout_->All()) {
    if (!bucket->uncounted) continue;
    const std::optional<Span> whole = TALEA_TRY(Begin({bucket}));
    if (!whole) return 0;
    TALEA_TRY(End(*whole));
    std::uint64_t counted = 0;
    for (const BucketPointer& each : layout_->All()) {
      if (whole->Contains(each->id.lower) && !each->uncounted) {
        counted += static_cast<std::uint64_t>(std::max<std::int64_t>(each->entries, 0));
      }
    }
    return counted;
  }
  return std::nullopt;
}

}  // namespace talea::histograms
