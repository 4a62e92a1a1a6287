// Reads all of a keyspace, and notes what is not as it should be.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "talea/keyspace.h"
#include "talea/reader.h"

namespace talea::cli {

struct KeyspaceReport {
  const Keyspace* keyspace = nullptr;
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  // of keys and values
  std::string digest;       // of all rows in order; empty if they could not all be read
  std::uint64_t problem_count = 0;
  std::vector<std::string> problems;  // the first of them
};

inline constexpr std::size_t kMostProblems = 20;  // that are kept, of each keyspace

// Goes through the keyspace once. The engine compares the checksums of what it reads, and fails
// where they differ; where a page cannot be read, so that what follows it stays unknown, that is
// the keyspace's last problem. Besides, keys must ascend; counters must have 8 bytes, and not be 0;
// and Talea's own keys must be tuples.
//
// `advance` is told of the rows since its last call, and stops the work if it returns false.
KeyspaceReport VerifyKeyspace(Reader& reader, const Keyspace& keyspace,
                              const std::function<bool(std::uint64_t rows)>& advance);

}  // namespace talea::cli
