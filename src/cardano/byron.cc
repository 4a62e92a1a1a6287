#include "cardano/byron.h"

#include <fmt/format.h>

#include <limits>
#include <string_view>

#include "cardano/hash.h"

namespace talea::cardano {
namespace {

constexpr std::uint64_t kSlotsInEpoch = 21'600;
constexpr std::uint64_t kEncodedCbor = 24;  // the tag of a byte string that holds an item

// What is hashed before a header tells one kind of block from the other.
constexpr std::string_view kBoundaryPrefix{"\x82\x00", 2};
constexpr std::string_view kMainPrefix{"\x82\x01", 2};

// [number]
Result<std::uint64_t> ReadDifficulty(CborCursor& cursor) {
  const CborItems difficulty = TALEA_TRY(cursor.Record("the difficulty", 1));
  const std::uint64_t number = TALEA_TRY(cursor.Unsigned("the difficulty"));
  TALEA_TRY(cursor.Close(difficulty));
  return number;
}

Result<std::uint64_t> ReadFirstSlotOfEpoch(CborCursor& cursor) {
  const std::size_t begin = cursor.offset();
  const std::uint64_t epoch = TALEA_TRY(cursor.Unsigned("the epoch"));
  if (epoch <= std::numeric_limits<std::uint32_t>::max()) return epoch * kSlotsInEpoch;
  return cursor.Wrong(begin, fmt::format("expected an epoch of 32 bits, found {}", epoch));
}

// [epoch, [difficulty]]
Status ReadBoundaryPlace(CborCursor& cursor, BlockContents& block) {
  const CborItems place = TALEA_TRY(cursor.Record("the place of the block", 2));
  block.slot = TALEA_TRY(ReadFirstSlotOfEpoch(cursor));
  block.number = TALEA_TRY(ReadDifficulty(cursor));
  return cursor.Close(place);
}

// [[epoch, slot in it], issuer, [difficulty], signature]
Status ReadMainPlace(CborCursor& cursor, BlockContents& block) {
  const CborItems place = TALEA_TRY(cursor.Record("the place of the block", 4));
  const CborItems slot = TALEA_TRY(cursor.Record("the slot", 2));
  block.slot = TALEA_TRY(ReadFirstSlotOfEpoch(cursor));
  const std::size_t begin = cursor.offset();
  const std::uint64_t within = TALEA_TRY(cursor.Unsigned("the slot"));
  if (within > std::numeric_limits<std::uint32_t>::max())
    return cursor.Wrong(begin, fmt::format("expected a slot of 32 bits, found {}", within));
  block.slot += within;
  TALEA_TRY(cursor.Close(slot));
  TALEA_TRY(cursor.Skip());
  block.number = TALEA_TRY(ReadDifficulty(cursor));
  TALEA_TRY(cursor.Skip());
  return cursor.Close(place);
}

// [network, parent, proof of the body, place, extra]
Status ReadHeader(CborCursor& cursor, BlockContents& block, std::string_view prefix) {
  const std::size_t begin = cursor.offset();
  const CborItems header = TALEA_TRY(cursor.Record("the header", 5));
  TALEA_TRY(cursor.Unsigned("the network"));
  block.parent = TALEA_TRY(ReadHash(cursor, "the parent's hash"));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(prefix == kMainPrefix ? ReadMainPlace(cursor, block)
                                  : ReadBoundaryPlace(cursor, block));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(header));
  block.hash = Blake2b256(prefix, cursor.Since(begin));
  return {};
}

// [0, #6.24(bytes of [transaction, index])]. The format leaves room for other kinds, of which the
// ledger has none.
Result<OutputReference> ReadInput(CborCursor& cursor) {
  const CborItems input = TALEA_TRY(cursor.Record("the input", 2));
  const std::size_t begin = cursor.offset();
  const std::uint64_t kind = TALEA_TRY(cursor.Unsigned("the kind of input"));
  if (kind != 0)
    return cursor.Wrong(begin, fmt::format("expected an input of kind 0, found {}", kind));
  TALEA_TRY(cursor.Tag("the input", kEncodedCbor));
  const ByteView encoded = TALEA_TRY(cursor.Bytes("the input"));
  TALEA_TRY(cursor.Close(input));
  CborCursor inner = cursor.Over(encoded);
  const OutputReference reference = TALEA_TRY(ReadReference(inner));
  TALEA_TRY(inner.CheckEnd("the input"));
  return reference;
}

// [address, coin], with an address of [#6.24(bytes), checksum]
Result<Output> ReadOutput(CborCursor& cursor) {
  const std::size_t begin = cursor.offset();
  Output output{.reference = {}, .era = static_cast<std::uint16_t>(CardanoEra::byron), .cbor = {}};
  const CborItems fields = TALEA_TRY(cursor.Record("the output", 2));
  const std::size_t address_begin = cursor.offset();
  const CborItems address = TALEA_TRY(cursor.Record("the address", 2));
  TALEA_TRY(cursor.Tag("the address", kEncodedCbor));
  TALEA_TRY(cursor.Bytes("the address"));
  TALEA_TRY(cursor.Unsigned("the address's checksum"));
  TALEA_TRY(cursor.Close(address));
  output.tags.push_back({TagKind::address, cursor.Since(address_begin)});
  output.coin = TALEA_TRY(cursor.Unsigned("the coin"));
  TALEA_TRY(cursor.Close(fields));
  output.cbor = cursor.Since(begin);
  return output;
}

// [[inputs, outputs, attributes], witnesses]
Result<CardanoTransaction> ReadTransaction(CborCursor& cursor) {
  CardanoTransaction transaction;
  const CborItems fields = TALEA_TRY(cursor.Record("the transaction", 2));
  const std::size_t begin = cursor.offset();
  const CborItems body = TALEA_TRY(cursor.Record("the transaction's body", 3));
  CborItems inputs = TALEA_TRY(cursor.Array("the inputs"));
  while (TALEA_TRY(cursor.More(inputs)))
    transaction.consumed.push_back(TALEA_TRY(ReadInput(cursor)));
  CborItems outputs = TALEA_TRY(cursor.Array("the outputs"));
  while (TALEA_TRY(cursor.More(outputs)))
    transaction.produced.push_back(TALEA_TRY(ReadOutput(cursor)));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(body));
  transaction.hash = Blake2b256(cursor.Since(begin));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(fields));
  MakeUnique(transaction.consumed);
  NameOutputs(transaction);
  return transaction;
}

}  // namespace

Result<BlockContents> ReadByronBoundaryBlock(CborCursor& cursor) {
  BlockContents contents;
  const CborItems block = TALEA_TRY(cursor.Record("the boundary block", 3));
  TALEA_TRY(ReadHeader(cursor, contents, kBoundaryPrefix));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(block));
  return contents;
}

Result<BlockContents> ReadByronBlock(CborCursor& cursor) {
  BlockContents contents;
  const CborItems block = TALEA_TRY(cursor.Record("the block", 3));
  TALEA_TRY(ReadHeader(cursor, contents, kMainPrefix));
  const CborItems body = TALEA_TRY(cursor.Record("the block's body", 4));
  CborItems transactions = TALEA_TRY(cursor.Array("the transactions"));
  while (TALEA_TRY(cursor.More(transactions))) {
    contents.transactions.push_back(
        TALEA_TRY(InTransaction(contents.transactions.size(), ReadTransaction(cursor))));
  }
  for (int part = 0; part < 3; ++part) TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(body));
  TALEA_TRY(cursor.Skip());
  TALEA_TRY(cursor.Close(block));
  return contents;
}

}  // namespace talea::cardano
