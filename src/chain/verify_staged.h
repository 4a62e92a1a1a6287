// Checking a ledger while a batch of it is staged.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea::chain {

// The check that `make` makes. While a batch is in, but not all of its rows are where they belong,
// what is stored need not be whole: the check is then shown the rows that readers see, once the
// stored ones have come by, and asks for others among those.
std::unique_ptr<RowCheck> CheckOverStaged(
    const Keyspace& keyspace, const CheckedDatabase& database,
    std::unique_ptr<RowCheck> (*make)(const CheckedDatabase& database));

}  // namespace talea::chain
