// Copies and checks whole databases, from any engine to any other.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "talea/database.h"
#include "talea/engine.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea {

struct CopyReport {
  bool finished = false;      // false: `progress` said to stop; call again to go on
  std::uint64_t rows = 0;     // in the copy, or so far
  std::uint64_t resumed = 0;  // of these were there already
  std::string digest;         // of every keyspace, key and value: equal states have equal ones
};

// Copies every row of every keyspace to an engine that holds the same keyspaces and is empty, or
// that holds the beginning of such a copy: then it goes on from there, whatever has interrupted it.
// At the end both are read and compared, row by row. Until then the target is marked, and
// Database::Open refuses it. Progress counts rows that were copied, and then those compared.
//
// Sessions and leases are not copied: they are of processes that have the source open. Either
// engine may be a tenant's; one that holds tenants is unsupported, copy each of them. A source that
// is itself a copy that was not finished fails with precondition_failed.
//
// Where the source was written to since the copy began, it fails with precondition_failed at the
// comparison at the latest, naming the first row that differs: erase the target, and copy what
// stands still, a checkpoint or a backup. A target that holds anything else is left as it is, and
// fails with already_exists; one that holds the finished copy is compared again.
Result<CopyReport> CopyDatabase(Engine& source, Engine& target, const RowProgress& progress = {});

// Whether an engine holds a copy that was not finished. A tenant's may.
Result<bool> HoldsUnfinishedCopy(Engine& engine);

// The two ends of a copy, open.
struct CopyEnds {
  std::shared_ptr<Engine> source;
  std::shared_ptr<Engine> target;
};

// Opens what two locations name, to copy from one to the other: the source, which must be there and
// be one that CopyDatabase takes, and only then the target, which is created if the location does
// not say otherwise, gets the source's keyspaces, and may be a copy that was not finished. Both may
// be tenants of the same folder; the same database twice is refused with invalid_argument. Of the
// options it takes `warn`.
Result<CopyEnds> OpenCopy(std::string_view source, std::string_view target,
                          const DatabaseOptions& options = {});

// A hash of every row that CopyDatabase copies: equal on every engine that holds the same. Of one
// state where snapshots do not expire; elsewhere nobody should write meanwhile. A copy that was not
// finished fails with precondition_failed.
Result<CopyReport> DigestDatabase(Engine& engine, const RowProgress& progress = {});

}  // namespace talea
