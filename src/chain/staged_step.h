// Steps that are too large for one transaction of the engine, forwards and back.
#pragma once

#include <optional>

#include "chain/standing.h"
#include "talea/chain.h"

namespace talea::chain {

// Where a transaction that has to do with the ledger finds it; recorded. A staged batch that is in
// is moved to its place first; then this fails with `conflict`, and the transaction is to be tried
// again.
Result<Standing> ReadSettled(Transaction& transaction, const Cursor& point = {});

// To be called before a transaction makes a step, or takes one back, and not before it is clear
// that it will: drops a batch that somebody else is about to stage, and then fails with `conflict`.
Status MakeWay(Transaction& transaction, const Standing& standing);

// Makes the step in several commits, of which readers see one. Fails with `conflict` if the ledger
// does not stand where it is expected, or no longer. Returns how many inputs were passed over.
Result<std::uint64_t> CommitStagedStep(Engine& engine, const ChainOptions& options,
                                       std::uint64_t expected_step,
                                       const ChainBatch::Parts& changes,
                                       const ApplyOptions& apply_options);

// Takes the newest step back in the same way. too_large if layers take part in it whose rows cannot
// be staged.
Status StepBackStaged(Engine& engine, const ChainOptions& options, std::uint64_t expected_step);

}  // namespace talea::chain
