// Checks the rows of indexes, for VerifyDatabase.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea::histograms {

// Of the keyspace "histograms": that each row can be read; that names, indexes, entries and buckets
// belong together; that the buckets of each histogram lie side by side; and that, but for
// histograms that are building, the counters of each bucket say how many entries it has.
std::unique_ptr<RowCheck> MakeIndexRowCheck(const CheckedDatabase& database);

// Of the keyspace "histograms-counters": that each counter belongs to a bucket, and that it is not
// below zero where it stands for one bucket by itself.
std::unique_ptr<RowCheck> MakeCounterRowCheck(const CheckedDatabase& database);

}  // namespace talea::histograms
