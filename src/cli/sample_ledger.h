// A ledger to look at, as a part of the sample data.
#pragma once

#include <cstdint>

#include "talea/database.h"
#include "talea/result.h"

namespace talea::cli {

inline constexpr std::uint64_t kSampleBlocks = 300;

// Applies the blocks of a made-up ledger that are not in yet, each in a commit of its own: payments
// between a few addresses, stake pools, and rewards. The same each time.
Status WriteSampleLedger(Database& database);

}  // namespace talea::cli
