// Checks the undo records of a database.
#pragma once

#include <memory>

#include "coordination/row_check.h"

namespace talea {

std::unique_ptr<RowCheck> MakeUndoRowCheck(const CheckedDatabase& database);

}  // namespace talea
