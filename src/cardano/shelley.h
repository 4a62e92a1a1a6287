// Reads blocks of the eras since Shelley.
#pragma once

#include "cardano/block_contents.h"
#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"
#include "talea/cardano.h"
#include "talea/result.h"

namespace talea::cardano {

// [header, bodies of transactions, witnesses, auxiliary data], and since Alonzo the places of the
// transactions that are invalid.
Result<BlockContents> ReadShelleyBlock(CborCursor& cursor, CardanoEra era, SteadyBytes& joined);

}  // namespace talea::cardano
