// Copies and checks whole databases, from any engine to any other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// Called every now and then in long work: how much is done, in rows, and in all, or 0 while that is
// not known. Returning false stops the work, which can be resumed.
using RowProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

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

// A hash of every row that CopyDatabase copies: equal on every engine that holds the same. Of one
// state where snapshots do not expire; elsewhere nobody should write meanwhile.
Result<CopyReport> DigestDatabase(Engine& engine, const RowProgress& progress = {});

}  // namespace talea
