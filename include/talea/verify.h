// Checks a whole database: that every row can be read, and that all that Talea wrote is sound.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "talea/copy.h"
#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// What was found in one keyspace.
struct KeyspaceReport {
  Keyspace keyspace;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // of keys and values
  std::string digest;       // of all rows, as CopyReport has it; empty if they were not all read
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  // the first of them, at most kMostProblems
};

inline constexpr std::size_t kMostProblems = 20;

struct VerifyReport {
  bool finished = false;  // false: `progress` said to stop, and what was not read is not known
  Version version;        // the state that was read
  std::vector<KeyspaceReport> keyspaces;

  std::uint64_t problem_count() const;
  bool well() const { return finished && problem_count() == 0; }
};

struct VerifyOptions {
  // Only these, of those that the engine has; all of them if empty.
  std::vector<Keyspace> keyspaces = {};
};

// Where a ledger is (talea/chain.h), with the records of what can be undone: to verify it alone.
std::vector<Keyspace> ChainKeyspaces();

// Reads every row of every keyspace in one pass, changes nothing, and reports what is not as it
// should be:
// - what the engine cannot read, as checksums differ; what follows in that keyspace is not known;
// - keys that do not ascend, and counters that are not 8 bytes or are 0;
// - rows of Talea's own that nothing in Talea would write: an unknown kind, a malformed key or
//   value, an undo record with a part missing or a wrong checksum;
// - rows that lack another: a request or lease its expiry, a session its mark, each also the other
//   way round; an undo record beyond its source's progress; rows without a schema;
// - an index whose name, entries and buckets do not belong together, whose buckets leave a gap or
//   overlap, or whose counters do not say how many entries there are;
// - a ledger whose outputs, notes, tags and namespaces do not belong together, whose counts are not
//   those of its rows, or whose steps do not lead to its cursor; an import of one that was not
//   finished;
// - a copy that was not finished.
// Where the engine holds tenants, the same of each of them, and rows of numbers that no tenant has.
// Rows that a newer version of Talea wrote are read and not judged.
//
// It reads one state where snapshots do not expire; elsewhere nobody should write meanwhile, as
// what changes between two reads may look like a problem. Fails only where nothing can be read at
// all. Progress counts rows.
Result<VerifyReport> VerifyDatabase(Engine& engine, const RowProgress& progress = {},
                                    const VerifyOptions& options = {});

}  // namespace talea
