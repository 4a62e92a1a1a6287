// Bech32, as BIP-173 has it but for its limit of 90 characters, which Cardano does not know: a
// prefix that people can read, the digit 1, groups of five bits, and a checksum.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "talea/bytes.h"
#include "talea/result.h"

namespace talea::cardano {

struct Bech32 {
  std::string prefix;                // in lower case
  std::vector<std::uint8_t> groups;  // each below 32
  friend bool operator==(const Bech32&, const Bech32&) = default;
};

// In lower case.
std::string EncodeBech32(const Bech32& decoded);
// All of one case. invalid_argument names what was expected and what was found.
Result<Bech32> DecodeBech32(std::string_view text);

// Bytes in groups of five bits, the last one filled up with zeros; and back. Nothing where what
// fills up is not zero, or a whole group.
std::vector<std::uint8_t> GroupBytes(ByteView bytes);
std::optional<std::string> UngroupBytes(std::span<const std::uint8_t> groups);

}  // namespace talea::cardano
