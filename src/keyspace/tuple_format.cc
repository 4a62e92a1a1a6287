#include "keyspace/tuple_format.h"

#include <fmt/format.h>

namespace talea::tuple_format {

std::optional<ElementType> TypeOf(std::uint8_t code) {
  if (code >= kBigNegative && code <= kBigPositive) return ElementType::integer;
  switch (code) {
    case kNull:
      return ElementType::null;
    case kBytes:
      return ElementType::bytes;
    case kText:
      return ElementType::text;
    case kNested:
      return ElementType::nested;
    case kFloat32:
      return ElementType::float32;
    case kFloat64:
      return ElementType::float64;
    case kFalse:
    case kTrue:
      return ElementType::boolean;
    case kUuid:
      return ElementType::uuid;
    default:
      return std::nullopt;
  }
}

std::string_view UnsupportedName(std::uint8_t code) {
  if (code >= 0x40 && code <= 0x4f) return "user-defined type";
  switch (code) {
    case 0x03:
    case 0x04:
      return "old form of a nested tuple";
    case 0x0a:
      return "reserved form of a negative integer";
    case 0x1e:
      return "reserved form of a positive integer";
    case 0x22:
      return "long double";
    case 0x23:
    case 0x24:
      return "decimal";
    case 0x25:
      return "old form of true";
    case 0x31:
      return "64-bit identifier";
    case 0x32:
      return "80-bit versionstamp";
    case 0x33:
      return "96-bit versionstamp";
    case 0x34:
    case 0x35:
      return "length-prefixed bytes";
    case 0xf0:
      return "end of the tuple before other bytes";
    default:
      return {};
  }
}

std::unexpected<Error> Corruption(std::size_t offset, std::string_view expected,
                                  std::string_view found) {
  return Fail(ErrorCode::corruption,
              fmt::format("tuple at byte {}: expected {}, found {}", offset, expected, found));
}

}  // namespace talea::tuple_format
