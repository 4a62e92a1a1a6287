// Follows Cardano's chain from files of blocks.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "talea/cardano.h"
#include "talea/chain.h"
#include "talea/chain_view.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea {

struct CardanoImportOptions {
  // The files begin in the middle of the chain: inputs that no block before made are passed over.
  bool allow_missing_inputs = false;

  // Also what the state of a ledger does not have: an entity for each block and each transaction,
  // by which they can be shown. See CardanoBlockRecord.
  bool keep_records = true;

  RowProgress progress = {};  // told of bytes; stops it between blocks
};

struct CardanoImportReport {
  bool finished = false;      // false: `progress` said to stop
  std::uint64_t blocks = 0;   // applied by this run
  std::uint64_t skipped = 0;  // were in already
  std::uint64_t transactions = 0;
  std::uint64_t consumed = 0;  // missing ones included
  std::uint64_t missing = 0;
  std::uint64_t produced = 0;
  Cursor cursor;
  friend bool operator==(const CardanoImportReport&, const CardanoImportReport&) = default;
};

// Applies the blocks of these files, in this order, once, many small ones in one commit (see
// ChainLoader): where the ledger has some of them it goes on after the last, whatever has
// interrupted it. The first block of an empty ledger may have any parent. precondition_failed if
// the ledger is at a block that is neither in the files nor the parent of their first one, or if a
// block does not follow the one before it; not_found names block, transaction and input where an
// input is missing. What was applied before an error stays.
Result<CardanoImportReport> ImportCardano(ChainStore& store,
                                          std::span<const std::filesystem::path> files,
                                          const CardanoImportOptions& options = {});

// What ImportCardano keeps of a block: entity `hash` of namespace "blocks", in CBOR.
struct CardanoBlockRecord {
  CardanoEra era = CardanoEra::byron;
  std::uint64_t number = 0;
  std::uint64_t slot = 0;
  std::uint64_t bytes = 0;
  std::optional<Bytes32> parent;
  std::vector<Bytes32> transactions;

  static constexpr std::string_view kNamespace = "blocks";
  friend bool operator==(const CardanoBlockRecord&, const CardanoBlockRecord&) = default;
};

// And of a transaction: entity `hash` of namespace "transactions".
struct CardanoTransactionRecord {
  Bytes32 block;
  std::uint64_t slot = 0;
  std::uint64_t index = 0;  // its place in the block
  bool valid = true;
  std::uint64_t fee = 0;
  std::vector<OutputReference> consumed;
  std::uint32_t first_output = 0;  // of those that it produced: 0, but for a collateral's return
  std::uint32_t outputs = 0;       // how many

  static constexpr std::string_view kNamespace = "transactions";
  friend bool operator==(const CardanoTransactionRecord&,
                         const CardanoTransactionRecord&) = default;
};

// Nothing if there is none; corruption where it cannot be read. Of several in their order, in one
// round trip.
Result<std::optional<CardanoBlockRecord>> GetCardanoBlock(const ChainView& view,
                                                          const Bytes32& hash);
Result<std::optional<CardanoTransactionRecord>> GetCardanoTransaction(const ChainView& view,
                                                                      const Bytes32& hash);
Result<std::vector<std::optional<CardanoTransactionRecord>>> GetCardanoTransactions(
    const ChainView& view, std::span<const Bytes32> hashes);

}  // namespace talea
