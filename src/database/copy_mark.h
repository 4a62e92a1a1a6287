// The row that marks the target of a copy until it is finished, and says how far it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "database/copied_rows.h"
#include "talea/bytes.h"
#include "talea/reader.h"
#include "talea/result.h"

namespace talea {

struct CopyMark {
  Version source;  // its version when the copy began
  std::uint64_t rows = 0;
  std::optional<RowPosition> position;  // the last row that was copied
  friend bool operator==(const CopyMark&, const CopyMark&) = default;
};

// As docs/formats.md describes it. The bytes are untrusted: anything else is corruption, and a
// newer format unsupported.
std::string EncodeCopyMark(const CopyMark& mark);
Result<CopyMark> DecodeCopyMark(ByteView bytes);

}  // namespace talea
