// Addresses as people write them: CIP-19.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <string>

#include "base/hex.h"
#include "cardano/base58.h"
#include "cardano/bech32.h"
#include "cardano/byron_address.h"
#include "talea/cardano.h"

namespace talea {

using namespace cardano;

namespace {

constexpr std::size_t kMostBytes = 4096;  // as of any tag

// Which come in pairs.
bool HexadecimalDigits(std::string_view text) {
  return text.size() % 2 == 0 && std::ranges::all_of(text, [](char c) { return HexDigit(c) >= 0; });
}

// Of the kind and network that the first byte tells; empty where it has no such prefix.
std::string Prefix(unsigned char header) {
  const int kind = header >> 4;
  const int network = header & 15;
  if (network > 1 || (kind > 7 && kind < 14)) return {};
  return std::string(kind > 7 ? "stake" : "addr") + (network == 0 ? "_test" : "");
}

std::unexpected<Error> Malformed(std::string_view text, const std::string& why) {
  return Fail(ErrorCode::invalid_argument, fmt::format("address {}: {}", Quoted(text), why));
}

std::string FromHex(std::string_view text) {
  std::string bytes(text.size() / 2, '\0');
  ParseHex(text, {reinterpret_cast<std::uint8_t*>(bytes.data()), bytes.size()});
  return bytes;
}

// One that is not written as it should be would find nothing, or the wrong thing.
Result<std::string> FromBech32(std::string_view text) {
  const Result<Bech32> decoded = DecodeBech32(text);
  if (!decoded) return Malformed(text, decoded.error().message());
  const std::optional<std::string> bytes = UngroupBytes(decoded->groups);
  if (!bytes || bytes->empty()) return Malformed(text, "bech32: expected whole bytes");
  const std::string prefix = Prefix(static_cast<unsigned char>(bytes->front()));
  if (prefix == decoded->prefix) return *bytes;
  return Malformed(
      text, fmt::format("expected {} for the header {:02x}, found the prefix {}",
                        prefix.empty() ? "hexadecimal digits" : "the prefix " + prefix,
                        static_cast<unsigned char>(bytes->front()), Quoted(decoded->prefix)));
}

// Of what is base 58 of something that begins as an address of Byron's.
Result<std::string> FromBase58(std::string_view text, std::string bytes) {
  const Status right = CheckByronAddress(bytes);
  if (!right) return Malformed(text, "base 58: " + right.error().message());
  return bytes;
}

// The prefixes that there are all begin so.
bool LooksLikeBech32(std::string_view text) {
  std::string start(text.substr(0, 5));
  std::ranges::transform(start, start.begin(), [](unsigned char c) { return std::tolower(c); });
  return start.starts_with("addr") || start == "stake";
}

}  // namespace

std::string CardanoAddressText(ByteView address) {
  std::string digits;
  AppendHex(digits, address);
  if (address.empty()) return digits;
  if (CheckByronAddress(address)) {
    std::string text = EncodeBase58(address);
    // What would be read as hexadecimal digits is written in them.
    return HexadecimalDigits(text) ? digits : text;
  }
  const std::string prefix = Prefix(static_cast<unsigned char>(address.front()));
  return prefix.empty() ? digits : EncodeBech32({prefix, GroupBytes(address)});
}

Result<std::string> ParseCardanoAddress(std::string_view text) {
  if (text.empty() || text.size() > 2 * kMostBytes) {
    return Malformed(
        text, fmt::format("expected 1 to {} characters, found {}", 2 * kMostBytes, text.size()));
  }
  if (HexadecimalDigits(text)) return FromHex(text);
  Result<std::string> bech32 = FromBech32(text);
  if (bech32) return bech32;
  std::optional<std::string> base58 = DecodeBase58(text);
  if (base58 && BeginsAsByronAddress(*base58)) return FromBase58(text, *std::move(base58));
  if (LooksLikeBech32(text)) return bech32;
  return Malformed(text,
                   "expected bech32 (addr1.., addr_test1.., stake1.., stake_test1..), base 58 of "
                   "an address of Byron's, or hexadecimal digits, found none of them");
}

}  // namespace talea
