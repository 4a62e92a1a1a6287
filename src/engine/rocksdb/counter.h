// Counters as RocksDB stores them: an Add is a merge operand, and their sum is found when it is
// read or compacted.
#pragma once

#include <rocksdb/compaction_filter.h>
#include <rocksdb/merge_operator.h>

#include <cstdint>
#include <memory>

#include "talea/bytes.h"
#include "talea/keyspace.h"
#include "talea/result.h"

namespace talea {

// Adds signed 64-bit little-endian numbers; sums wrap.
//
// It never fails. RocksDB takes a failed merge for a damaged database: the flush fails, then every
// later write, and then even opening it again. So bytes that are no counter become a poison value
// instead, which outlasts every Add, is reported as corruption by every read, and is healed by Put
// and Erase.
std::shared_ptr<rocksdb::MergeOperator> CounterMergeOperator();

// Lets compactions drop sums of 0, which no read shows.
const rocksdb::CompactionFilter* ZeroCounterFilter();

// Whether a read shows what is stored for a counter: a sum of 0 is hidden, and what is no counter
// is corruption.
Result<bool> CounterShown(const Keyspace& keyspace, ByteView key, ByteView value);

// What poison starts with. It is longer than a counter, so no counter looks like it.
inline constexpr ByteView kPoison = "talea: malformed counter: ";

}  // namespace talea
