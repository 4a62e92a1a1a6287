// Small blocks to be imported. For tests alone.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "cardano/cbor_for_test.h"
#include "talea/cardano.h"
#include "talea/chain.h"

namespace talea::cardano {

// Of Babbage. Each output holds 1,000 lovelace, and belongs to one of three addresses.
struct SmallTransaction {
  std::vector<OutputReference> inputs = {};
  std::uint32_t outputs = 1;
  bool valid = true;  // if not, it has the inputs as its collateral as well, and a return of it

  std::string Body() const {
    const CborWriter cbor;
    std::vector<std::string> spent;
    std::vector<std::string> made;
    for (const auto& [transaction, index] : inputs) {
      spent.push_back(cbor.Array({cbor.Bytes(transaction.view()), cbor.Unsigned(index)}));
    }
    for (std::uint32_t i = 0; i < outputs; ++i) made.push_back(SmallOutput(i));
    std::vector<std::pair<std::string, std::string>> fields{
        {cbor.Unsigned(0), cbor.Array(spent)},
        {cbor.Unsigned(1), cbor.Array(made)},
        {cbor.Unsigned(2), cbor.Unsigned(170'000)}};
    if (!valid) {
      fields.emplace_back(cbor.Unsigned(13), cbor.Array(spent));
      fields.emplace_back(cbor.Unsigned(16), SmallOutput(0));
    }
    return cbor.Map(fields);
  }

 private:
  static std::string SmallOutput(std::uint32_t number) {
    const CborWriter cbor;
    const std::string address = "\x61" + std::string(28, static_cast<char>('a' + number % 3));
    return cbor.Array({cbor.Bytes(address), cbor.Unsigned(1000)});
  }
};

// A chain that grows by a block at a time.
class SmallChain {
 public:
  const CardanoBlock& Grow(const std::vector<SmallTransaction>& transactions) {
    const CborWriter cbor;
    std::vector<std::string> bodies;
    std::vector<std::string> invalid;
    for (const SmallTransaction& transaction : transactions) {
      if (!transaction.valid) invalid.push_back(cbor.Unsigned(bodies.size()));
      bodies.push_back(transaction.Body());
    }
    std::string bytes =
        cbor.Array({cbor.Unsigned(6), cbor.Array({Header(), cbor.Array(bodies), cbor.Array({}),
                                                  cbor.Map({}), cbor.Array(invalid)})});
    return blocks_.emplace_back(CardanoBlock::Read(std::move(bytes)).value());
  }

  // So many blocks of two transactions: the first consumes an output of the block before it, the
  // second one of the first's.
  static SmallChain Of(std::size_t count) {
    SmallChain chain;
    std::vector<OutputReference> spendable;
    while (chain.blocks_.size() < count) {
      const SmallTransaction first{.inputs = spendable, .outputs = 3};
      SmallChain alone;  // tells its hash, which does not depend on the block
      const Bytes32 hash = alone.Grow({first}).transactions()[0].hash;
      chain.Grow({first, {.inputs = {{hash, 1}}, .outputs = 1}});
      spendable = {{hash, 0}};
    }
    return chain;
  }

  const std::vector<CardanoBlock>& blocks() const { return blocks_; }
  std::string Bytes(std::size_t begin, std::size_t end) const {
    std::string bytes;
    for (std::size_t i = begin; i < end; ++i) bytes += blocks_[i].bytes();
    return bytes;
  }

 private:
  // Of the next block.
  std::string Header() const {
    const CborWriter cbor;
    const std::uint64_t number = blocks_.size();
    const std::string parent =
        blocks_.empty() ? cbor.Null() : cbor.Bytes(blocks_.back().hash().view());
    return cbor.Array({cbor.Array({cbor.Unsigned(number), cbor.Unsigned(20 * number), parent}),
                       cbor.Bytes("signature")});
  }

  std::vector<CardanoBlock> blocks_;
};

// A folder for files of blocks, which is gone with it.
class BlockFolder {
 public:
  BlockFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "talea-blocks-XXXXXX").string();
    TALEA_CHECK(::mkdtemp(name.data()) != nullptr);
    path_ = name;
  }
  ~BlockFolder() { std::filesystem::remove_all(path_); }
  BlockFolder(const BlockFolder&) = delete;

  std::filesystem::path Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary | std::ios::trunc) << bytes;
    return path_ / name;
  }
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline std::string HashOfState(const ChainStore& store) {
  return store.Open().value().StateHash().value().value();
}

}  // namespace talea::cardano
