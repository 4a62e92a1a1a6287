// Writes as the rows of chain-staging hold them; docs/formats/chain.md has their bytes.
#pragma once

#include <cstdint>
#include <string>

#include "talea/engine.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/write_batch.h"

namespace talea::chain {

// Whether writes to this keyspace may be staged: those of the ledger's that its readers lay over
// what is stored, and undo records.
bool MayBeStaged(std::uint8_t keyspace);

// Whether a write can be staged, and its row later be moved, within the engine's limits: what was
// staged and could not be moved would block the ledger for good.
Status CheckStageable(const Engine& engine, const WriteBatch::Operation& write);

// What the commit weighs that moves the row of this write alone, at most.
std::size_t SizeToMove(const Limits& limits, const WriteBatch::Operation& write);

// The row that stages a write: a Put, Erase or Add.
struct StagedRow {
  std::string key;
  std::string value;
};
StagedRow Stage(const WriteBatch::Operation& write);

// The write that a row stages, as views into it. The row is untrusted: corruption where it is none.
Result<WriteBatch::Operation> ReadStagedRow(const Row& row);

}  // namespace talea::chain
