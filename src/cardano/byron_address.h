// Byron's addresses, which have a checksum of their own in them.
#pragma once

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::cardano {

// Whether the bytes begin as an address of Byron's does.
bool BeginsAsByronAddress(ByteView bytes);

// invalid_argument where the bytes are not [#6.24(bytes), checksum] and nothing behind it, or the
// checksum, CRC-32 of these bytes, is another one: naming it, and the one that it should be.
Status CheckByronAddress(ByteView address);

}  // namespace talea::cardano
