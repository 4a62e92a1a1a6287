// Reads all of a keyspace, and notes what is not as it should be.
#pragma once

#include <cstdint>
#include <functional>

#include "coordination/row_check.h"
#include "talea/reader.h"
#include "talea/verify.h"

namespace talea {

// Goes through the keyspace once. Where a page cannot be read, so that what follows it stays
// unknown, that is the keyspace's last problem. Keys must ascend; counters must have 8 bytes, and
// not be 0; what else its rows must be is for `check` to say.
//
// `advance` is told of the rows since its last call, and stops the work if it returns false.
KeyspaceReport VerifyKeyspace(Reader& reader, const Keyspace& keyspace, RowCheck& check,
                              const std::function<bool(std::uint64_t rows)>& advance);

}  // namespace talea
