#include "histograms/division.h"

#include <algorithm>

#include "histograms/learned.h"

namespace talea::histograms {
namespace {

// So many entries, in units of the peek cap, are looked at to divide a bucket. What lies beyond is
// divided next.
constexpr std::uint64_t kMostCaps = 64;

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

}  // namespace

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

}  // namespace talea::histograms
