// Any bytes are either refused, with the place, or a block whose outputs are parts of them, whose
// transactions are told apart and named by their hashes, and which is the same when read again.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>

#include "base/check.h"
#include "talea/cardano.h"

namespace talea {
namespace {

bool IsPartOf(ByteView whole, ByteView part) {
  return std::less_equal<>()(whole.data(), part.data()) &&
         std::less_equal<>()(part.data() + part.size(), whole.data() + whole.size());
}

void CheckOutput(const CardanoBlock& block, const Output& output) {
  TALEA_CHECK(output.era == static_cast<std::uint16_t>(block.era()));
  TALEA_CHECK(!output.cbor.empty() && IsPartOf(block.bytes(), output.cbor));
  TALEA_CHECK(!output.tags.empty() && output.tags.front().kind == TagKind::address);
  for (std::size_t i = 1; i < output.tags.size(); ++i)
    TALEA_CHECK(output.tags[i - 1] < output.tags[i]);
}

void CheckTransaction(const CardanoBlock& block, const CardanoTransaction& transaction) {
  TALEA_CHECK(transaction.valid || transaction.produced.size() <= 1);
  TALEA_CHECK(transaction.valid || block.era() >= CardanoEra::alonzo);
  for (std::size_t i = 0; i < transaction.produced.size(); ++i) {
    const OutputReference& reference = transaction.produced[i].reference;
    TALEA_CHECK(reference.transaction == transaction.hash);
    TALEA_CHECK(!transaction.valid || reference.index == i);
    CheckOutput(block, transaction.produced[i]);
  }
}

// Of two readings, which share no memory.
void CheckSame(const CardanoTransaction& one, const CardanoTransaction& other) {
  TALEA_CHECK(one.hash == other.hash && one.valid == other.valid && one.fee == other.fee);
  TALEA_CHECK(one.consumed == other.consumed);
  TALEA_CHECK(one.produced.size() == other.produced.size());
  for (std::size_t i = 0; i < one.produced.size(); ++i) {
    TALEA_CHECK(one.produced[i].cbor == other.produced[i].cbor);
    TALEA_CHECK(one.produced[i].coin == other.produced[i].coin);
    TALEA_CHECK(one.produced[i].tags == other.produced[i].tags);
  }
}

void CheckBlock(const CardanoBlock& block, ByteView input) {
  TALEA_CHECK(block.bytes() == input);
  TALEA_CHECK(block.era() != CardanoEra::byron_boundary || block.transactions().empty());
  for (const CardanoTransaction& transaction : block.transactions())
    CheckTransaction(block, transaction);
}

void Check(const std::string& bytes) {
  Result<CardanoBlock> read = CardanoBlock::Read(bytes);
  if (!read) {
    TALEA_CHECK(read.error().code() == ErrorCode::invalid_argument);
    TALEA_CHECK(read.error().message().find("byte ") != std::string::npos);
    return;
  }
  const CardanoBlock block = std::move(*read);
  CheckBlock(block, bytes);
  const CardanoBlock again = CardanoBlock::Read(bytes).value();
  TALEA_CHECK(again.hash() == block.hash() && again.parent() == block.parent());
  TALEA_CHECK(again.transactions().size() == block.transactions().size());
  for (std::size_t i = 0; i < again.transactions().size(); ++i)
    CheckSame(block.transactions()[i], again.transactions()[i]);
  // One byte less or more is no block.
  TALEA_CHECK(!CardanoBlock::Read(bytes.substr(0, bytes.size() - 1)));
  TALEA_CHECK(!CardanoBlock::Read(bytes + '\0'));
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talea::Check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
