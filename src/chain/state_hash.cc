#include "chain/state_hash.h"

#include <algorithm>

#include "chain/state_rows.h"
#include "coordination/row_digest.h"
#include "talea/chain_view.h"

namespace talea {
namespace chain {

Result<std::optional<std::string>> HashState(Reader& reader, const RowProgress& progress) {
  const std::uint64_t total = progress ? TALEA_TRY(EstimateStateRows(reader)) : 0;
  std::uint64_t done = 0;
  RowDigest digest;
  const bool finished =
      TALEA_TRY(WalkState(reader, [&](const StatePlace& place, const Page& page) -> Result<bool> {
        for (const Row& row : page) digest.Add(*place.keyspace, row);
        done += page.size();
        return !progress || progress(done, std::max(done, total));
      }));
  if (!finished) return std::nullopt;
  return digest.Hex();
}

}  // namespace chain

Result<std::optional<std::string>> ChainView::StateHash(const RowProgress& progress) const {
  return chain::HashState(*reader_, progress);
}

}  // namespace talea
