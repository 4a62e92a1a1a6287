#include <cstddef>
#include <utility>

#include "cardano/block_parser.h"
#include "talea/cardano.h"

namespace talea {

Result<CardanoBlock> CardanoBlock::Read(std::string bytes) {
  auto kept = std::make_shared<const std::string>(std::move(bytes));
  CardanoBlockParser parser(*kept);
  CardanoBlock block = TALEA_TRY(parser.Take());
  TALEA_TRY(parser.CheckEnd());
  block.kept_ = std::move(kept);
  return block;
}

Block CardanoBlock::ToBlock(const Cursor& parent) const {
  Block block{.parent = parent, .point = point()};
  std::size_t produced = 0;
  std::size_t consumed = 0;
  for (const CardanoTransaction& transaction : transactions_) {
    produced += transaction.produced.size();
    consumed += transaction.consumed.size();
  }
  block.produced.reserve(produced);
  block.consumed.reserve(consumed);
  for (const CardanoTransaction& transaction : transactions_) {
    block.produced.insert(block.produced.end(), transaction.produced.begin(),
                          transaction.produced.end());
    block.consumed.insert(block.consumed.end(), transaction.consumed.begin(),
                          transaction.consumed.end());
  }
  return block;
}

}  // namespace talea
