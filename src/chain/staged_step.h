// Steps that are too large for one transaction of the engine, forwards and back.
#pragma once

#include <optional>

#include "chain/standing.h"
#include "talea/chain.h"

namespace talea::chain {

// Where somebody who has to do with the ledger finds it. A staged batch that is in is moved to its
// place first; then this fails with `conflict`, to be tried again with a new snapshot.
Result<Standing> ReadSettled(Engine& engine, Reader& reader, const Cursor& point = {});
inline Result<Standing> ReadSettled(Transaction& transaction, const Cursor& point = {}) {
  return ReadSettled(transaction.engine(), transaction, point);
}

// To be called before a step is made, or taken back, and not before it is clear that it will:
// drops a batch that somebody else is about to stage, and then fails with `conflict`.
Status MakeWay(Engine& engine, const Standing& standing);

// Makes the step in several commits, of which readers see one. Fails with `conflict` if the ledger
// no longer stands there. Returns how many inputs were passed over.
Result<std::uint64_t> CommitStagedStep(Engine& engine, const ChainOptions& options,
                                       const Standing& standing, const ChainBatch::Parts& changes,
                                       const ApplyOptions& apply_options);

// Takes the newest step back in the same way. too_large if layers take part in it whose rows cannot
// be staged.
Status StepBackStaged(Engine& engine, const ChainOptions& options, const Standing& standing);

}  // namespace talea::chain
