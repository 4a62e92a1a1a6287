// Copies and checks whole databases, from any engine to any other.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "talea/engine.h"
#include "talea/result.h"

namespace talea {

// Called every now and then in long work: how much is done, in rows, and in all if that is known.
// Returning false stops the work, which can be resumed.
using RowProgress = std::function<bool(std::uint64_t done, std::uint64_t total)>;

struct CopyReport {
  std::uint64_t rows = 0;     // in the copy
  std::uint64_t resumed = 0;  // of these were there already
  std::string digest;         // of every keyspace, key and value: equal states have equal ones
};

// Copies every row of every keyspace to an engine that holds the same keyspaces and is empty, or
// that holds the beginning of such a copy: then it goes on from there. At the end both are read and
// compared. Until then the target is marked, and Database::Open refuses it.
//
// Where the source was written to since the copy began, it fails with precondition_failed at the
// comparison at the latest; erase the target, and copy what stands still, a checkpoint or a backup.
Result<CopyReport> CopyDatabase(Engine& source, Engine& target, const RowProgress& progress = {});

// A hash of every row, in one state: equal on every engine that holds the same.
Result<CopyReport> DigestDatabase(Engine& engine, const RowProgress& progress = {});

}  // namespace talea
