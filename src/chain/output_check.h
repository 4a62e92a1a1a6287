// What an output may hold.
#pragma once

#include "talea/chain_types.h"
#include "talea/result.h"

namespace talea::chain {

// invalid_argument, naming the output, for a coin beyond 2^63 - 1 or a tag that is too long.
Status CheckOutput(const Output& output);

}  // namespace talea::chain
