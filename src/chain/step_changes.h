// What steps did to the rows that a feed of changes tells of, by their undo records.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "chain/standing.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/write_batch.h"

namespace talea::chain {

// A row that a step wrote: an output, an entity, a value of a multi-value key, or a counter.
struct RowChange {
  WriteBatch::Operation undo;     // what takes it back: the value before, for one
  std::optional<ByteView> after;  // of outputs and entities
};

struct StepChanges {
  StepRow step;
  std::vector<RowChange> rows;  // in the order of keyspaces and keys
  WriteBatch record;            // which the rows are views into
};

// Steps in a row, up to the newest. All of their records are in memory; the value after a step is
// in the record of a later one, or among those that are stored now. So the oldest may be dropped,
// and no other.
struct StepsSince {
  std::deque<StepChanges> steps;  // oldest first
  std::vector<std::optional<std::string>> stored;
};

// The steps after this one, which must be one that can be gone back to. Takes a round trip for
// every 64 steps, for every part of a record that has several, and for every 4,096 rows.
Result<StepsSince> ReadStepsSince(Reader& reader, const Standing& standing, std::uint64_t step);

}  // namespace talea::chain
