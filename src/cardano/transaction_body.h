// Reads the body of a transaction as it is since Shelley.
#pragma once

#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"
#include "talea/cardano.h"
#include "talea/result.h"

namespace talea::cardano {

// What the transaction does: if it is valid, by its inputs and outputs, and otherwise by its
// collateral. What it does not use is passed over.
Result<CardanoTransaction> ReadTransactionBody(CborCursor& cursor, CardanoEra era, bool valid,
                                               SteadyBytes& joined);

}  // namespace talea::cardano
