// Blocks that are killed half-way, and what the ledger is after each of them.
//
// Each has outputs with tags, of which one is spent in the same block and others in later ones;
// entities, values and counters, also of namespaces that are new; and its outputs are in an index,
// in the same commit. All of it follows from the block's number.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "talea/chain.h"
#include "talea/database.h"
#include "talea/histograms.h"

namespace talea::crash {

inline constexpr std::uint64_t kBlocks = 160;
inline constexpr std::uint64_t kUndoWindow = 50;

// What the writer tells before each step: where it is, and where it goes; written in one piece.
struct Intention {
  std::uint64_t from;
  std::uint64_t to;  // more: a block is applied; less: blocks are taken back
};

class LedgerWorkload {
 public:
  // Creates what is not there.
  static Result<std::unique_ptr<LedgerWorkload>> Open(const std::string& location);

  // The number of the newest block, 0 if there is none.
  Result<std::uint64_t> Newest() const;

  // The block after this one, together with the index's entries.
  Status ApplyAfter(std::uint64_t number);
  Status RollBackTo(std::uint64_t number);

  // The hash of the ledger's state.
  Result<std::string> StateHash() const;

  // Reads everything, and returns what is wrong; nothing if all is well.
  Result<std::string> FindProblem();

 private:
  explicit LedgerWorkload(std::unique_ptr<Database> database);

  std::unique_ptr<Database> database_;
  ChainStore chain_;
  IndexStore indexes_;
};

// The state hash after each block of a run that nothing interrupts, before the first as well.
Result<std::vector<std::string>> RecordHashes();

}  // namespace talea::crash
