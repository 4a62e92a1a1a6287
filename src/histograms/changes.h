// What a transaction does to an index, and what it counts for it.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "histograms/index.h"
#include "histograms/layout.h"
#include "talea/transaction.h"

namespace talea::histograms {

// Counts changes of entries, given by their packed values and documents in ascending order, in the
// bucket of a histogram that takes them all.
void CountIn(Transaction& transaction, const Index& index, const HistogramState& histogram,
             const Bucket& bucket, std::span<const ByteView> entries, std::int64_t delta);

// A bucket of that row, with its keys.
BucketPointer MakeBucket(IndexId index, const HistogramState& histogram, const BucketId& id,
                         const BucketRow& row);

// The undo rule of the layer's keyspaces (engine/undo_rules.h): entries come back and go, and are
// counted in the buckets that take them now.
Status UndoEntries(Transaction& transaction, const WriteBatch& restore);

// Sets it, wherever something may be undone.
void SetUndoRules();

}  // namespace talea::histograms
