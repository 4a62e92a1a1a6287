#include "cardano/block_parser.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "cardano/byron.h"
#include "cardano/shelley.h"

namespace talea {

Result<CardanoBlock> CardanoBlockParser::Take() {
  const cardano::CborItems wrapper = TALEA_TRY(cursor_.Record("the era and the block", 2));
  CardanoBlock block;
  block.era_ = TALEA_TRY(ReadEra());
  cardano::BlockContents contents = TALEA_TRY(ReadContents(block.era_));
  TALEA_TRY(cursor_.Close(wrapper));
  block.number_ = contents.number;
  block.slot_ = contents.slot;
  block.hash_ = contents.hash;
  block.parent_ = contents.parent;
  block.transactions_ = std::move(contents.transactions);
  block.bytes_ = cursor_.Since(0);
  block.joined_ = joined_.Release();
  return block;
}

Result<CardanoEra> CardanoBlockParser::ReadEra() {
  const std::size_t begin = cursor_.offset();
  const std::uint64_t era = TALEA_TRY(cursor_.Unsigned("the era"));
  constexpr auto kNewest = static_cast<std::uint64_t>(CardanoEra::conway);
  if (era <= kNewest) return static_cast<CardanoEra>(era);
  return cursor_.Wrong(begin, fmt::format("expected an era of 0 to {}, found {}", kNewest, era));
}

Result<cardano::BlockContents> CardanoBlockParser::ReadContents(CardanoEra era) {
  switch (era) {
    case CardanoEra::byron_boundary:
      return cardano::ReadByronBoundaryBlock(cursor_);
    case CardanoEra::byron:
      return cardano::ReadByronBlock(cursor_);
    default:
      return cardano::ReadShelleyBlock(cursor_, era, joined_);
  }
}

}  // namespace talea
