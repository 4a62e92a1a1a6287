// Real blocks of Cardano's chain, from Byron to Conway, and a ledger that follows them.
//
//   auto file = TALEA_TRY(CardanoFile::Open("01836.chunk"));
//   while (const CardanoBlock* block = TALEA_TRY(file.Next())) {
//     TALEA_TRY(chain.Apply(block->ToBlock(cursor)));
//     cursor = block->point();
//   }
//
// Nothing is checked that it takes a ledger's rules to know: signatures, scripts, fees, balances.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/chain.h"
#include "talea/chain_types.h"
#include "talea/result.h"

namespace talea {

// As the chain's files number them, and the rows of outputs.
enum class CardanoEra : std::uint16_t {
  byron_boundary = 0,  // of a block alone, which begins an epoch and holds no transactions
  byron = 1,
  shelley = 2,
  allegra = 3,
  mary = 4,
  alonzo = 5,
  babbage = 6,
  conway = 7,
};
std::string_view Name(CardanoEra era);  // "unknown" of a number that is none of these

// What a transaction does. One that is marked invalid consumes its collateral and produces the
// collateral's return, if it has one, whose index follows those of its outputs; nothing else.
// Inputs are a set: one that is listed twice is here once.
//
// The tags of an output: the address; the credentials for payment and stake that are in it, 28
// bytes each; the policies of its assets, and the assets: policy and then name. Of a Byron address
// that is the address alone, in CBOR; one with a pointer to its stake has no tag of the stake, as
// what is there is known to the whole ledger only.
struct CardanoTransaction {
  Bytes32 hash;  // BLAKE2b-256 of its body
  bool valid = true;
  std::uint64_t fee = 0;  // 0 in Byron, where it is what the outputs leave over
  std::vector<OutputReference> consumed;
  std::vector<Output> produced;
};

// A block. What it owns can be moved, and its outputs are views that stay valid then.
class CardanoBlock {
 public:
  // The bytes of [era, block], all of them. invalid_argument names what was expected, what was
  // found and where: the byte, and the transaction if it is in one.
  static Result<CardanoBlock> Read(std::string bytes);

  CardanoBlock(CardanoBlock&&) noexcept = default;
  CardanoBlock& operator=(CardanoBlock&&) noexcept = default;

  CardanoEra era() const { return era_; }
  // As its header says; a boundary block has that of the block before it.
  std::uint64_t number() const { return number_; }
  std::uint64_t slot() const { return slot_; }  // since the chain began
  const Bytes32& hash() const { return hash_; }
  // Its hash. The first block has none; or in Byron that of the genesis, which is no block.
  const std::optional<Bytes32>& parent() const { return parent_; }
  ChainPoint point() const { return ChainPoint::Of(slot_, hash_); }
  const std::vector<CardanoTransaction>& transactions() const { return transactions_; }
  ByteView bytes() const { return bytes_; }

  // What a ledger at `parent` applies; its views are those of this block.
  Block ToBlock(const Cursor& parent) const;

 private:
  friend class CardanoBlockParser;
  friend class CardanoFile;
  CardanoBlock() = default;

  CardanoEra era_ = CardanoEra::byron_boundary;
  std::uint64_t number_ = 0;
  std::uint64_t slot_ = 0;
  Bytes32 hash_;
  std::optional<Bytes32> parent_;
  std::vector<CardanoTransaction> transactions_;
  ByteView bytes_;
  std::shared_ptr<const std::string> kept_;  // what these are in: they alone, or more of a file
  // What is not in one piece in the block, such as policy and name of an asset.
  std::vector<std::unique_ptr<char[]>> joined_;
};

// A file of blocks, read one after the other: concatenated CBOR as a node's chunks are, or one
// block in hexadecimal digits. It holds a piece of the file in memory, of 256 KiB, or more where
// that takes a block.
class CardanoFile {
 public:
  static Result<CardanoFile> Open(const std::filesystem::path& path);
  ~CardanoFile();
  CardanoFile(CardanoFile&&) noexcept;
  CardanoFile& operator=(CardanoFile&&) noexcept;

  // The next block, valid until the next call; null at the end. Errors name the file, the byte in
  // it where the block begins, and which block of the file it is. A file that ends within a block
  // is an error.
  Result<const CardanoBlock*> Next();

  // The same, for the caller to keep; nothing at the end. It keeps a piece of the file in memory,
  // which it shares with the blocks beside it.
  Result<std::optional<CardanoBlock>> Take();

  std::uint64_t bytes_read() const;
  std::uint64_t size() const;

 private:
  struct State;
  explicit CardanoFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Some of an asset, which an output holds beside its coin.
struct CardanoAsset {
  std::string policy;  // 28 bytes
  std::string name;    // 32 at most
  std::uint64_t quantity = 0;
  friend auto operator<=>(const CardanoAsset&, const CardanoAsset&) = default;
};

// In the order in which the output has them; none before Mary. corruption where the output is not
// as its era has them.
Result<std::vector<CardanoAsset>> ReadCardanoAssets(const OutputValue& output);

// Names of addresses as people write them.
//
// Bech32 (addr1.., addr_test1.., stake1..) of Shelley's addresses, base 58 of Byron's; hexadecimal
// digits of what is neither, such as one of Byron's whose checksum is wrong.
std::string CardanoAddressText(ByteView address);
// Bech32, base 58 or hexadecimal digits; invalid_argument for what is none of them, and for a wrong
// checksum.
Result<std::string> ParseCardanoAddress(std::string_view text);

}  // namespace talea
