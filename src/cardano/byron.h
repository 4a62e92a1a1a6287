// Reads blocks of the Byron era.
#pragma once

#include "cardano/block_contents.h"
#include "cardano/cbor_cursor.h"
#include "talea/result.h"

namespace talea::cardano {

// The block that begins an epoch: [header, stakeholders, extra]. It is in the first slot of its
// epoch, which it may share with the block behind it.
Result<BlockContents> ReadByronBoundaryBlock(CborCursor& cursor);

// [header, [transactions, ..], extra]
Result<BlockContents> ReadByronBlock(CborCursor& cursor);

}  // namespace talea::cardano
