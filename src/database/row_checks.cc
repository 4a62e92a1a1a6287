#include "database/row_checks.h"

#include <algorithm>
#include <array>

#include "chain/verify_rows.h"
#include "chain/verify_staged.h"
#include "database/verify_talea_rows.h"
#include "database/verify_undo_rows.h"
#include "histograms/verify_rows.h"
#include "keyspace/registry.h"

namespace talea {
namespace {

struct KeyspaceCheck {
  const Keyspace* keyspace;
  std::unique_ptr<RowCheck> (*make)(const CheckedDatabase& database);
  bool staged = false;  // rows of it may be among those of a ledger's batch that is staged
};

// A layer adds a line for each keyspace of its own.
constexpr std::array kChecks{
    KeyspaceCheck{&kTaleaKeyspace, MakeTaleaRowCheck},
    KeyspaceCheck{&kUndoKeyspace, MakeUndoRowCheck, true},
    KeyspaceCheck{&kHistogramsKeyspace, histograms::MakeIndexRowCheck},
    KeyspaceCheck{&kHistogramCountersKeyspace, histograms::MakeCounterRowCheck},
    KeyspaceCheck{&kStateCursorKeyspace, chain::MakeCursorRowCheck},
    KeyspaceCheck{&kStateUtxosKeyspace, chain::MakeOutputRowCheck, true},
    KeyspaceCheck{&kStateEntitiesKeyspace, chain::MakeEntityRowCheck, true},
    KeyspaceCheck{&kChainKeyspace, chain::MakeLedgerRowCheck, true},
    KeyspaceCheck{&kChainNotesKeyspace, chain::MakeNoteRowCheck, true},
    KeyspaceCheck{&kChainTagsKeyspace, chain::MakeTagRowCheck, true},
    KeyspaceCheck{&kChainCountersKeyspace, chain::MakeEntityCounterRowCheck, true},
    KeyspaceCheck{&kChainCountsKeyspace, chain::MakeCountRowCheck, true},
    KeyspaceCheck{&kChainStagingKeyspace, chain::MakeStagingRowCheck},
};
static_assert(kChecks.size() == kAllKeyspaces.size(), "each keyspace of Talea's has a check");

}  // namespace

std::unique_ptr<RowCheck> MakeRowCheck(const Keyspace& keyspace, const CheckedDatabase& database) {
  const auto* const found = std::ranges::find_if(
      kChecks, [&](const KeyspaceCheck& check) { return *check.keyspace == keyspace; });
  if (found == kChecks.end()) return nullptr;
  return found->staged ? chain::CheckOverStaged(keyspace, database, found->make)
                       : found->make(database);
}

}  // namespace talea
