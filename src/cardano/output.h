// Reads outputs as they are since Shelley, and finds what they are found by.
#pragma once

#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"
#include "talea/cardano.h"
#include "talea/chain_types.h"
#include "talea/result.h"

namespace talea::cardano {

// The output that comes next: [address, value, ..], or since Babbage {0: address, 1: value, ..}.
// Views are of the cursor's bytes or of `joined`; tags are in order, each once; the reference is
// left to the caller.
Result<Output> ReadOutput(CborCursor& cursor, CardanoEra era, SteadyBytes& joined);

}  // namespace talea::cardano
