// The hash that names Cardano's blocks and transactions.
#pragma once

#include "talea/bytes.h"
#include "talea/chain_types.h"

namespace talea::cardano {

// BLAKE2b with 256 bits, without a key, of one part behind the other.
Bytes32 Blake2b256(ByteView bytes);
Bytes32 Blake2b256(ByteView first, ByteView second);

}  // namespace talea::cardano
