#include "cardano/hash.h"

#include <sodium.h>

#include "base/check.h"

namespace talea::cardano {
namespace {

const unsigned char* Data(ByteView bytes) {
  return reinterpret_cast<const unsigned char*>(bytes.data());
}

// Without it libsodium hashes with the slowest of its implementations.
void ChooseImplementation() {
  static const int outcome = sodium_init();
  TALEA_CHECK(outcome >= 0);
}

}  // namespace

Bytes32 Blake2b256(ByteView bytes) {
  ChooseImplementation();
  Bytes32 hash;
  crypto_generichash(hash.bytes.data(), hash.bytes.size(), Data(bytes), bytes.size(), nullptr, 0);
  return hash;
}

Bytes32 Blake2b256(ByteView first, ByteView second) {
  ChooseImplementation();
  Bytes32 hash;
  crypto_generichash_state state;
  crypto_generichash_init(&state, nullptr, 0, hash.bytes.size());
  crypto_generichash_update(&state, Data(first), first.size());
  crypto_generichash_update(&state, Data(second), second.size());
  crypto_generichash_final(&state, hash.bytes.data(), hash.bytes.size());
  return hash;
}

}  // namespace talea::cardano
