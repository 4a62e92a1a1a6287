#include "database/row_checks.h"

#include <algorithm>
#include <array>

#include "database/verify_talea_rows.h"
#include "database/verify_undo_rows.h"
#include "histograms/verify_rows.h"
#include "keyspace/registry.h"

namespace talea {
namespace {

struct KeyspaceCheck {
  const Keyspace* keyspace;
  std::unique_ptr<RowCheck> (*make)(const CheckedDatabase& database);
};

// A layer adds a line for each keyspace of its own.
constexpr std::array kChecks{
    KeyspaceCheck{&kTaleaKeyspace, MakeTaleaRowCheck},
    KeyspaceCheck{&kUndoKeyspace, MakeUndoRowCheck},
    KeyspaceCheck{&kHistogramsKeyspace, histograms::MakeIndexRowCheck},
    KeyspaceCheck{&kHistogramCountersKeyspace, histograms::MakeCounterRowCheck},
};
static_assert(kChecks.size() == kAllKeyspaces.size(), "each keyspace of Talea's has a check");

}  // namespace

std::unique_ptr<RowCheck> MakeRowCheck(const Keyspace& keyspace, const CheckedDatabase& database) {
  const auto* const found = std::ranges::find_if(
      kChecks, [&](const KeyspaceCheck& check) { return *check.keyspace == keyspace; });
  return found == kChecks.end() ? nullptr : found->make(database);
}

}  // namespace talea
