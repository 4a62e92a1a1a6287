#include "talea/chain_types.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "base/hex.h"

namespace talea {
namespace {

constexpr std::string_view kOrigin = "origin";
constexpr std::size_t kEraBytes = 2;

constexpr std::array<std::string_view, 5> kTagNames{"address", "payment", "stake", "policy",
                                                    "asset"};

// Decimal digits and nothing else, or nothing.
template <class Number>
std::optional<Number> ParseNumber(std::string_view digits) {
  Number number = 0;
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, number);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

std::optional<ChainPoint> ParsePoint(std::string_view text) {
  if (text == kOrigin) return ChainPoint::Origin();
  const std::size_t dot = text.find('.');
  const auto slot = ParseNumber<std::uint64_t>(text.substr(0, dot));
  if (!slot) return std::nullopt;
  if (dot == std::string_view::npos) return ChainPoint::AtSlot(*slot);
  Bytes32 hash;
  if (!ParseHex(text.substr(dot + 1), hash.bytes)) return std::nullopt;
  return ChainPoint::Of(*slot, hash);
}

std::optional<OutputReference> ParseReference(std::string_view text) {
  const std::size_t sign = text.find('#');
  if (sign == std::string_view::npos) return std::nullopt;
  OutputReference reference;
  const auto index = ParseNumber<std::uint32_t>(text.substr(sign + 1));
  if (!index || !ParseHex(text.substr(0, sign), reference.transaction.bytes)) return std::nullopt;
  reference.index = *index;
  return reference;
}

template <class Parsed>
Result<Parsed> ParsedOr(const std::optional<Parsed>& parsed, std::string_view what,
                        std::string_view expected, std::string_view text) {
  if (parsed) return *parsed;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected {}, found {}", what, expected, Quoted(text)));
}

}  // namespace

Result<Bytes32> Bytes32::From(ByteView bytes) {
  Bytes32 result;
  if (bytes.size() != result.bytes.size()) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("32 bytes: expected exactly these, found {}", bytes.size()));
  }
  std::ranges::copy(bytes, result.bytes.begin());
  return result;
}

Result<Bytes32> Bytes32::Parse(std::string_view hex) {
  Bytes32 result;
  if (ParseHex(hex, result.bytes)) return result;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("32 bytes: expected 64 hexadecimal digits, found {}", Quoted(hex)));
}

std::string Bytes32::ToString() const {
  std::string text;
  AppendHex(text, view());
  return text;
}

std::string ChainPoint::ToString() const {
  switch (kind) {
    case Kind::origin:
      return std::string(kOrigin);
    case Kind::slot:
      return fmt::format("{}", slot);
    case Kind::specific:
      break;
  }
  return fmt::format("{}.{}", slot, hash.ToString());
}

Result<ChainPoint> ChainPoint::Parse(std::string_view text) {
  return ParsedOr(ParsePoint(text), "point",
                  "origin, a slot, or a slot, a dot and 64 hexadecimal digits", text);
}

std::string Describe(const Cursor& cursor) { return cursor ? cursor->ToString() : "none"; }

std::string OutputReference::ToString() const {
  return fmt::format("{}#{}", transaction.ToString(), index);
}

Result<OutputReference> OutputReference::Parse(std::string_view text) {
  return ParsedOr(ParseReference(text), "output",
                  "64 hexadecimal digits, '#' and an index below 2^32", text);
}

std::string_view Name(TagKind kind) { return kTagNames[static_cast<std::size_t>(kind)]; }

Result<TagKind> ParseTagKind(std::string_view name) {
  const auto* const found = std::ranges::find(kTagNames, name);
  if (found != kTagNames.end()) return static_cast<TagKind>(found - kTagNames.begin());
  return Fail(ErrorCode::invalid_argument, fmt::format("kind of tag: expected {}, found {}",
                                                       fmt::join(kTagNames, ", "), Quoted(name)));
}

Result<OutputValue> OutputValue::FromStored(std::string stored) {
  if (stored.size() >= kEraBytes) return OutputValue(std::move(stored));
  return Fail(ErrorCode::corruption,
              fmt::format("output: expected at least the {} bytes of an era, found {}", kEraBytes,
                          stored.size()));
}

}  // namespace talea
