// The row of a lease: who holds it. When that expires is a row of its own (LeaseExpiryKey).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea {

struct LeaseRow {
  std::uint64_t token = 0;           // from 1 on, in a row
  std::optional<std::string> owner;  // nobody once it is released
  friend bool operator==(const LeaseRow&, const LeaseRow&) = default;
};

std::string Encode(const LeaseRow& row);
Result<LeaseRow> DecodeLeaseRow(std::string_view name, ByteView value);

}  // namespace talea
