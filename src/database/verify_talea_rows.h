// Checks the rows of a database in the keyspace "talea", all but its schema's.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea {

std::unique_ptr<RowCheck> MakeTaleaRowCheck(const CheckedDatabase& database);

}  // namespace talea
