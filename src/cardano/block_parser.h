// Takes a block off the front of bytes.
#pragma once

#include <cstdint>

#include "cardano/block_contents.h"
#include "cardano/cbor_cursor.h"
#include "cardano/steady_bytes.h"
#include "talea/bytes.h"
#include "talea/cardano.h"
#include "talea/result.h"

namespace talea {

// For one block.
class CardanoBlockParser {
 public:
  explicit CardanoBlockParser(ByteView bytes) : cursor_(bytes, joined_) {}
  CardanoBlockParser(const CardanoBlockParser&) = delete;
  CardanoBlockParser& operator=(const CardanoBlockParser&) = delete;

  // The block that the bytes begin with, to be called once. The block's views are of these bytes,
  // which the caller keeps.
  Result<CardanoBlock> Take();

  // Fails if there is anything behind the block.
  Status CheckEnd() const { return cursor_.CheckEnd("the block"); }

  // After an error, if that was because the bytes end: how many there would have to be at least
  // for it to come further; otherwise 0.
  std::uint64_t needed() const { return cursor_.needed(); }

 private:
  Result<CardanoEra> ReadEra();
  Result<cardano::BlockContents> ReadContents(CardanoEra era);

  cardano::SteadyBytes joined_;
  cardano::CborCursor cursor_;
};

}  // namespace talea
