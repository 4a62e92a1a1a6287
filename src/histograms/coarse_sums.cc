#include "histograms/coarse_sums.h"

#include <algorithm>
#include <utility>

#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// What the keys of a histogram's counters begin with, in front of the boundary.
std::string PrefixOfCounters(IndexId index, HistogramId histogram) {
  return CounterKeys(index, histogram).begin();
}

}  // namespace

void CounterBlocks::Add(ByteView key, std::int64_t delta) {
  const auto place = std::prev(blocks_.upper_bound(key));
  Block& block = place->second;
  block.sum += delta;
  const auto counter = block.counters.try_emplace(std::string(key), 0).first;
  counter->second += delta;
  if (counter->second == 0) block.counters.erase(counter);
  if (block.counters.size() <= kMostInBlock) return;
  auto middle = std::next(block.counters.begin(), kMostInBlock / 2);
  Block& upper = blocks_[middle->first];
  while (middle != block.counters.end()) {
    upper.sum += middle->second;
    block.sum -= middle->second;
    upper.counters.insert(upper.counters.end(), block.counters.extract(middle++));
  }
}

std::int64_t CounterBlocks::Sum(const KeyRange& keys) const {
  std::int64_t sum = 0;
  for (auto block = std::prev(blocks_.upper_bound(keys.begin())); block != blocks_.end(); ++block) {
    if (keys.end() && block->first >= *keys.end()) break;
    const auto next = std::next(block);
    const bool whole = block->first >= keys.begin() &&
                       (!keys.end() || (next != blocks_.end() && next->first <= *keys.end()));
    if (whole) {
      sum += block->second.sum;
      continue;
    }
    const auto& counters = block->second.counters;
    for (auto each = counters.lower_bound(keys.begin()); each != counters.end(); ++each) {
      if (keys.end() && each->first >= *keys.end()) break;
      sum += each->second;
    }
  }
  return sum;
}

// A transaction's reads have its own writes in them, and a paged reader has no version: only a
// snapshot is answered from memory.
Result<CounterSum> CoarseSums::Sum(Reader& reader, IndexId index, HistogramId histogram,
                                   const Span& span) {
  const auto* snapshot = dynamic_cast<const Snapshot*>(&reader);
  const std::string prefix = PrefixOfCounters(index, histogram);
  if (snapshot != nullptr) {
    const KeyRange keys = CounterKeysWithin(index, histogram, span.lower, span.upper);
    const std::optional<std::int64_t> known = Known(snapshot->version(), prefix, keys);
    if (known) return CounterSum{.sum = *known, .counters = 0};
  }
  const CounterSum read = TALEA_TRY(SumCounters(reader, index, histogram, span));
  if (snapshot != nullptr && read.counters > kWorthwhile) Follow(index, histogram);
  return read;
}

std::optional<std::int64_t> CoarseSums::Known(Version version, const std::string& prefix,
                                              const KeyRange& keys) const {
  const std::lock_guard lock(mutex_);
  const auto found = followed_.find(prefix);
  if (found == followed_.end() || version < found->second.from) return std::nullopt;
  std::int64_t sum = found->second.counters.Sum(keys);
  const std::deque<Write>& newest = found->second.newest;
  for (auto write = newest.rbegin(); write != newest.rend() && write->version > version; ++write) {
    if (keys.Contains(write->key)) sum -= write->delta;
  }
  return sum;
}

// Reads all counters of the histogram at a snapshot, and what is written meanwhile on top of it.
// Where that fails nothing is followed, and the next wide sum tries again.
void CoarseSums::Follow(IndexId index, HistogramId histogram) {
  std::call_once(watching_,
                 [&] { watches_ = engine_.Watch(kHistogramCountersKeyspace, weak_from_this()); });
  if (!watches_) return;
  const std::unique_lock following(following_, std::try_to_lock);
  if (!following.owns_lock()) return;  // somebody else is at it
  const std::string prefix = PrefixOfCounters(index, histogram);
  Version told;
  {
    const std::lock_guard lock(mutex_);
    if (followed_.contains(prefix)) return;
    reading_ = prefix;
    meanwhile_.emplace();
    told = told_;
  }
  Result<std::optional<Followed>> followed = ReadAll(index, histogram, told);
  const std::lock_guard lock(mutex_);
  const std::optional<std::deque<Write>> meanwhile = std::exchange(meanwhile_, std::nullopt);
  if (!followed || !*followed || !meanwhile) return;  // not read, or rewritten meanwhile
  for (const Write& write : *meanwhile) {
    if (write.version > (*followed)->from) Apply(**followed, write);
  }
  followed_.emplace(prefix, std::move(**followed));
}

Result<std::optional<CoarseSums::Followed>> CoarseSums::ReadAll(IndexId index,
                                                                HistogramId histogram,
                                                                Version told) {
  const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_.OpenSnapshot());
  if (snapshot->version() < told) return std::nullopt;  // what was told before is not in it yet
  Followed followed;
  followed.from = snapshot->version();
  std::uint64_t counters = 0;
  Scanner rows(*snapshot, kHistogramCountersKeyspace, CounterKeys(index, histogram));
  while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
    if (++counters > kMostFollowed) return std::nullopt;
    followed.counters.Add(row->key, TALEA_TRY(CounterOf(*row)));
  }
  return followed;
}

void CoarseSums::Apply(Followed& followed, Write write) {
  followed.counters.Add(write.key, write.delta);
  followed.newest.push_back(std::move(write));
  if (followed.newest.size() <= kMostRemembered) return;
  followed.from = std::max(followed.from, followed.newest.front().version);
  followed.newest.pop_front();
}

void CoarseSums::Written(Version version, std::span<const WriteBatch::Operation> writes) {
  const std::lock_guard lock(mutex_);
  told_ = version;
  if (followed_.empty() && !meanwhile_) return;
  for (const WriteBatch::Operation& operation : writes) {
    if (operation.kind != WriteBatch::Kind::add) {
      followed_.clear();
      meanwhile_.reset();
      return;
    }
    const auto after = followed_.upper_bound(operation.key);
    if (after != followed_.begin() && operation.key.starts_with(std::prev(after)->first)) {
      Apply(std::prev(after)->second, {version, std::string(operation.key), operation.delta});
    }
    if (meanwhile_ && operation.key.starts_with(reading_)) {
      meanwhile_->push_back({version, std::string(operation.key), operation.delta});
    }
  }
}

void CoarseSums::Rewritten(Version version) {
  const std::lock_guard lock(mutex_);
  told_ = version;
  followed_.clear();
  meanwhile_.reset();
}

}  // namespace talea::histograms
