// Pages of stored rows with writes laid over them.
#pragma once

#include <optional>

#include "engine/write_overlay.h"
#include "talea/reader.h"

namespace talea {

// The part of the range that was read, where `rest` is still to be read.
KeyRange Covered(const KeyRange& range, const std::optional<KeyRange>& rest, bool reverse);

// The writes over a page of this range, in the page's direction and within its limits, as far as
// both are known: up to `rest`, which is the page's own or, where not all writes are known, more.
Page LayOver(const KeyRange& range, const Page& stored, const std::optional<KeyRange>& rest,
             KeyspaceOverlay& overlay, const PageOptions& options);

}  // namespace talea
