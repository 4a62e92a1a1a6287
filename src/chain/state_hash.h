// The hash of a ledger's state.
#pragma once

#include <optional>
#include <string>

#include "talea/reader.h"
#include "talea/result.h"
#include "talea/row_progress.h"

namespace talea::chain {

// See ChainView::StateHash. Looks at no mark: an import calls it before it is finished.
Result<std::optional<std::string>> HashState(Reader& reader, const RowProgress& progress = {});

}  // namespace talea::chain
