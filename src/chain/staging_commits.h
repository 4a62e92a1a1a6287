// What the commits of staging and settling have in common.
#pragma once

#include <algorithm>
#include <optional>

#include "chain/codec.h"
#include "chain/keys.h"
#include "talea/engine.h"

namespace talea::chain {

inline Result<std::optional<StagingHeader>> ReadHeader(Reader& reader) {
  const std::optional<std::string> value =
      TALEA_TRY(reader.Get(kChainKeyspace, StagingHeaderKey()));
  if (!value) return std::nullopt;
  return TALEA_TRY(DecodeStagingHeader(*value));
}

// What one commit weighs, but for a row that is larger alone: so little that it takes neither much
// memory nor, where transactions have an age, most of it.
inline std::size_t MostBytesAtOnce(const Limits& limits) {
  constexpr std::size_t kMost = 4 << 20;
  return std::min(kMost, limits.transaction_bytes / 2);
}

}  // namespace talea::chain
