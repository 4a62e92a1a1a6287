// THE registry of every keyspace that Talea itself owns, and of every prefix within one. Nothing
// under src/ writes a key that is not announced here, so one look shows what a database can hold.
//
// To add a keyspace:
// - Take the lowest id below 128 that no line here has or had; ids from 128 on are the users'.
// - Name it after its layer, and what it holds where a layer has several: "histograms-counters".
// - Ids and names are part of the format on disk: the id is the key prefix on FoundationDB, the
//   name is the column family on RocksDB. So neither changes its meaning, and neither is reused:
//   leave the line of a retired one behind, as a comment.
// - Have few. A keyspace is for a way of reading (AccessPattern), not for a kind of row. Kinds that
//   are read alike share one, and tell their rows apart by the first element of the key. Such a
//   prefix is a packed small integer, and stands below its keyspace as a constant, under the same
//   rules as the ids.
// - Add it to kAllKeyspaces.
#pragma once

#include <array>

#include "talea/keyspace.h"

namespace talea {

// Talea's own bookkeeping, which belongs to no layer.
inline constexpr Keyspace kTaleaKeyspace{0, AccessPattern::point, "talea"};

inline constexpr std::array kAllKeyspaces{kTaleaKeyspace};

}  // namespace talea
