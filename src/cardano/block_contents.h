// What is read of a block.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "cardano/cbor_cursor.h"
#include "talea/cardano.h"
#include "talea/chain_types.h"
#include "talea/result.h"

namespace talea::cardano {

struct BlockContents {
  std::uint64_t number = 0;
  std::uint64_t slot = 0;
  Bytes32 hash;
  std::optional<Bytes32> parent;
  std::vector<CardanoTransaction> transactions;
};

inline Result<Bytes32> ReadHash(CborCursor& cursor, std::string_view what) {
  Bytes32 hash;
  std::ranges::copy(TALEA_TRY(cursor.Bytes(what, hash.bytes.size())), hash.bytes.begin());
  return hash;
}

// [transaction, index]
Result<OutputReference> ReadReference(CborCursor& cursor);

// A transaction's inputs are a set: one that is there twice is consumed once.
void MakeUnique(std::vector<OutputReference>& references);

// The transaction, or the error with its place in the block in front.
Result<CardanoTransaction> InTransaction(std::size_t place, Result<CardanoTransaction> transaction);

// Gives the outputs the names that follow from the transaction's hash, counting from `first`.
void NameOutputs(CardanoTransaction& transaction, std::uint32_t first = 0);

}  // namespace talea::cardano
