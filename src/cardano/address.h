// What the bytes of an address say about who may spend and who stakes.
#pragma once

#include <cstddef>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::cardano {

inline constexpr std::size_t kCredentialBytes = 28;

// Views of the address; empty where it has none.
struct Credentials {
  ByteView payment;
  ByteView stake;
};

// Of an output's address. A base address has both. One with a pointer to where its stake was
// registered, and an enterprise address, have the first alone; Byron's, which hide it in a hash,
// have neither. Bytes behind a base address are passed over, as the ledger did up to Alonzo.
// invalid_argument for an address that is too short for its kind, or of no kind that outputs have.
Result<Credentials> CredentialsOf(ByteView address);

}  // namespace talea::cardano
