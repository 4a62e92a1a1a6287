// The parts of `talea chain show`, and what they share.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "json/json.h"
#include "talea/cardano.h"
#include "talea/chain_view.h"
#include "talea/result.h"

namespace talea::cli {

Command ChainShowBlockCommand();
Command ChainShowTransactionCommand();
Command ChainShowOutputCommand();
Command ChainShowAddressCommand();

// 1,500,000 lovelace (1.5 ADA)
std::string ShownCoin(std::uint64_t lovelace);

// The first tag of this kind; nothing where there is none.
std::optional<ByteView> TagOf(const OutputNotes& notes, TagKind kind);
// The address of an output as people write it; empty where it has none.
std::string AddressOf(const std::optional<OutputNotes>& notes);

// not_found: there is no record of this block or transaction, or of none at all.
std::unexpected<Error> NoRecord(const ChainView& view, std::string_view what, const Bytes32& hash,
                                std::string_view name_space);

// How much there is of each asset. Sums may be longer than 64 bits.
class AssetSums {
 public:
  void Add(const CardanoAsset& asset);

  JsonArray AsJson() const;
  // A line for each: policy.name: quantity, and the name as text where it is some.
  std::vector<std::string> Lines() const;

 private:
  __extension__ using Quantity = unsigned __int128;
  std::map<std::pair<std::string, std::string>, Quantity> quantities_;
};

// Adds what the output holds; precondition_failed, with its name, where it is none of Cardano's: a
// ledger may hold any, and is not damaged then.
Status AddAssets(const OutputReference& reference, const OutputValue& output, AssetSums& sums);

}  // namespace talea::cli
