// Which check is shown the rows of which keyspace.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea {

// The check of a keyspace of Talea's own; null for all others, whose rows are their program's
// business. The database must be of the newest version.
std::unique_ptr<RowCheck> MakeRowCheck(const Keyspace& keyspace, const CheckedDatabase& database);

}  // namespace talea
