// Steps that are too large for one transaction of the engine, forwards and back.
#pragma once

#include <optional>

#include "chain/standing.h"
#include "talea/chain.h"

namespace talea::chain {

// Makes way for a step: moves a staged batch to its place if it is in, and drops it if not.
Status ClearStaging(Engine& engine);

// Where a transaction that is to commit to the ledger finds it; recorded. Where something is
// staged this makes way, and fails with `conflict`: the transaction is to be tried again.
Result<Standing> ReadForStep(Transaction& transaction, const Cursor& point = {});

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
