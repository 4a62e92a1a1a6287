// Small blocks to be imported, and the real ones, if they are there. For tests alone.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/coding.h"
#include "talea/cardano.h"
#include "talea/chain.h"

namespace talea::cardano {

// CBOR, in more bytes than it takes.
inline std::string CborHeadBytes(int major, std::uint64_t value) {
  std::string bytes(1, static_cast<char>(major << 5 | 27));
  AppendBigEndian64(bytes, value);
  return bytes;
}
inline std::string CborUnsigned(std::uint64_t value) { return CborHeadBytes(0, value); }
inline std::string CborBytes(ByteView bytes) {
  return CborHeadBytes(2, bytes.size()) + std::string(bytes);
}
inline std::string CborArray(const std::vector<std::string>& items) {
  std::string bytes = CborHeadBytes(4, items.size());
  for (const std::string& item : items) bytes += item;
  return bytes;
}

// Of Babbage. Each output holds 1,000 lovelace, and belongs to one of three addresses.
struct SmallTransaction {
  std::vector<OutputReference> inputs = {};
  std::uint32_t outputs = 1;
  bool valid = true;  // if not, it has the inputs as its collateral as well, and a return of it
};

inline std::string SmallOutput(std::uint32_t number) {
  const std::string address = "\x61" + std::string(28, static_cast<char>('a' + number % 3));
  return CborArray({CborBytes(address), CborUnsigned(1000)});
}

inline std::string SmallBody(const SmallTransaction& transaction) {
  std::vector<std::string> inputs;
  std::vector<std::string> outputs;
  for (const OutputReference& input : transaction.inputs) {
    inputs.push_back(CborArray({CborBytes(input.transaction.view()), CborUnsigned(input.index)}));
  }
  for (std::uint32_t i = 0; i < transaction.outputs; ++i) outputs.push_back(SmallOutput(i));
  std::string body = CborHeadBytes(5, transaction.valid ? 3 : 5);
  body += CborUnsigned(0) + CborArray(inputs) + CborUnsigned(1) + CborArray(outputs);
  body += CborUnsigned(2) + CborUnsigned(170'000);
  if (!transaction.valid) {
    body += CborUnsigned(13) + CborArray(inputs) + CborUnsigned(16) + SmallOutput(0);
  }
  return body;
}

// A chain that grows by a block at a time.
class SmallChain {
 public:
  const CardanoBlock& Grow(const std::vector<SmallTransaction>& transactions) {
    const std::uint64_t number = blocks_.size();
    std::vector<std::string> bodies;
    std::vector<std::string> invalid;
    for (const SmallTransaction& transaction : transactions) {
      if (!transaction.valid) invalid.push_back(CborUnsigned(bodies.size()));
      bodies.push_back(SmallBody(transaction));
    }
    const std::string parent =
        blocks_.empty() ? std::string("\xf6") : CborBytes(blocks_.back().hash().view());
    const std::string header = CborArray(
        {CborArray({CborUnsigned(number), CborUnsigned(20 * number), parent}), CborBytes("x")});
    std::string bytes =
        CborArray({CborUnsigned(6), CborArray({header, CborArray(bodies), CborArray({}),
                                               CborHeadBytes(5, 0), CborArray(invalid)})});
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

// A file of real blocks, which are not part of the project; nothing where it is not there.
inline std::optional<std::filesystem::path> RealBlocks(const std::string& name) {
  const char* folder = std::getenv("TALEA_TEST_DATA");
  const auto path =
      std::filesystem::path(folder != nullptr ? folder : "../shared/data") / "cardano" / name;
  return std::filesystem::exists(path) ? std::optional(path) : std::nullopt;
}

inline std::string HashOfState(const ChainStore& store) {
  return store.Open().value().StateHash().value().value();
}

}  // namespace talea::cardano
