// Universally unique identifiers (RFC 4122): 16 bytes, in network order.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <iosfwd>
#include <string>
#include <string_view>

#include "talea/result.h"

namespace talea {

// 16 bytes, compared as unsigned bytes, which is how they sort in a key. Any bytes
// are allowed: versions and variants are not looked at.
struct Uuid {
  std::array<std::uint8_t, 16> bytes{};

  // From 8-4-4-4-12 hexadecimal digits of either case, such as
  // 1b4e28ba-2fa1-11d2-883f-0016d3cca427.
  static Result<Uuid> Parse(std::string_view text);

  // In the same form, in lower case.
  std::string ToString() const;

  friend auto operator<=>(const Uuid&, const Uuid&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Uuid& uuid);
};

}  // namespace talea
