#include "histograms/changes.h"

#include <algorithm>
#include <map>

#include "engine/undo_rules.h"
#include "histograms/fixed.h"
#include "keyspace/registry.h"

namespace talea::histograms {
namespace {

// Neighbours often share a prefix: one addition for each run of them.
void CountByPrefix(Transaction& transaction, const Index& index, const HistogramState& histogram,
                   Generation generation, std::span<const ByteView> entries, std::int64_t delta) {
  std::string prefix;
  std::int64_t sum = 0;
  const auto add = [&] {
    if (sum == 0) return;
    transaction.Add(kHistogramCountersKeyspace,
                    CounterKey(index.id, histogram.id, prefix, generation), sum);
  };
  for (const ByteView entry : entries) {
    std::string next = PrefixOfEntry(entry, histogram.kind.fixed_bytes, index.state->elements);
    if (next != prefix) {
      add();
      sum = 0;
      prefix = std::move(next);
    }
    sum += delta;
  }
  add();
}

}  // namespace

BucketPointer MakeBucket(IndexId index, const HistogramState& histogram, const BucketId& id,
                         const BucketRow& row) {
  auto bucket = std::make_shared<Bucket>(id, row.upper, row.uncounted);
  bucket->counter_key = CounterKey(index, histogram.id, id.lower, id.generation);
  bucket->end_key = BucketEndKey(index, histogram.id, id);
  return bucket;
}

void CountIn(Transaction& transaction, const Index& index, const HistogramState& histogram,
             const Bucket& bucket, std::span<const ByteView> entries, std::int64_t delta) {
  transaction.Record(kHistogramsKeyspace, bucket.end_key);
  // What has not been counted is told of as well, for whoever counts it to conflict with.
  if (!histogram.kind.learned() && !bucket.uncounted) {
    CountByPrefix(transaction, index, histogram, bucket.id.generation, entries, delta);
    return;
  }
  transaction.Add(kHistogramCountersKeyspace, bucket.counter_key,
                  delta * static_cast<std::int64_t>(entries.size()));
}

namespace {

// The entries that an undo brings back, and those that it takes away, of one index.
struct Restored {
  std::vector<std::string> come;
  std::vector<std::string> go;
};

// Counts entries one by one in the buckets that the stored rows name.
Status CountWhereStored(Transaction& transaction, const Index& index,
                        const std::vector<std::string>& entries, std::int64_t delta) {
  for (const std::string& entry : entries) {
    for (const HistogramState& histogram : index.state->histograms) {
      const StoredBucket taker =
          TALEA_TRY(FindTaker(transaction.unrecorded(), index.id, histogram.id, entry));
      const BucketPointer bucket = MakeBucket(index.id, histogram, taker.id, taker.row);
      const ByteView view = entry;
      CountIn(transaction, index, histogram, *bucket, {&view, 1}, delta);
    }
  }
  return {};
}

// Looks which of the restored entries make a difference to what is stored, and writes them.
Status RestoreIndex(Transaction& transaction, const Index& index, Restored restored) {
  transaction.Record(kHistogramsKeyspace, IndexChangeKey(index.id, index.state->change));
  const std::string prefix = EntryPrefix(index.id);
  const auto drop = [&](std::vector<std::string>& entries, bool present) -> Status {
    std::vector<std::string> changed;
    for (std::string& entry : entries) {
      const bool stored = TALEA_TRY(transaction.Get(kHistogramsKeyspace, prefix + entry))
      .has_value();
      if (stored == present) continue;
      if (present) {
        transaction.Insert(kHistogramsKeyspace, prefix + entry, "");
      } else {
        transaction.Erase(kHistogramsKeyspace, prefix + entry);
      }
      changed.push_back(std::move(entry));
    }
    entries = std::move(changed);
    return {};
  };
  TALEA_TRY(drop(restored.come, true));
  TALEA_TRY(drop(restored.go, false));
  TALEA_TRY(CountWhereStored(transaction, index, restored.come, 1));
  return CountWhereStored(transaction, index, restored.go, -1);
}

}  // namespace

// Only entries are restored: what counts them is derived, and the rest of the layer's rows is never
// written in a transaction that keeps an undo.
Status UndoEntries(Transaction& transaction, const WriteBatch& restore) {
  std::map<IndexId, Restored> by_index;
  for (const WriteBatch::Operation& operation : restore) {
    if (operation.keyspace != kHistogramsKeyspace.id) continue;
    const EntryKeyParts parts = TALEA_TRY(PartsOfEntryKey(operation.key));
    Restored& restored = by_index[parts.index];
    const bool comes = operation.kind == WriteBatch::Kind::put;
    (comes ? restored.come : restored.go).emplace_back(parts.value_and_document);
  }
  for (auto& [id, restored] : by_index) {
    const std::optional<Index> index = TALEA_TRY(FindIndex(transaction.unrecorded(), id));
    if (!index) continue;  // it was dropped since, with all its entries
    TALEA_TRY(RestoreIndex(transaction, *index, std::move(restored)));
  }
  return {};
}

void SetUndoRules() {
  SetUndoRule({&kHistogramsKeyspace, &kHistogramCountersKeyspace}, UndoEntries);
}

}  // namespace talea::histograms
