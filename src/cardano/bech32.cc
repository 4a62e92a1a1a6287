#include "cardano/bech32.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace talea::cardano {
namespace {

constexpr std::string_view kDigits = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kChecksumGroups = 6;
constexpr std::size_t kMostPrefix = 83;

// The checksum's polynomial over the groups so far, one more of them taken in.
std::uint32_t TakeIn(std::uint32_t sum, std::uint8_t group) {
  constexpr std::array<std::uint32_t, 5> kGenerators = {0x3b6a57b2, 0x26508e6d, 0x1ea119fa,
                                                        0x3d4233dd, 0x2a1462b3};
  const std::uint32_t top = sum >> 25;
  sum = (sum & 0x1ffffff) << 5 ^ group;
  for (std::size_t bit = 0; bit < kGenerators.size(); ++bit) {
    if ((top >> bit & 1) != 0) sum ^= kGenerators[bit];
  }
  return sum;
}

std::uint32_t Checksum(std::string_view prefix, std::span<const std::uint8_t> groups) {
  std::uint32_t sum = 1;
  for (const char c : prefix) sum = TakeIn(sum, static_cast<std::uint8_t>(c >> 5));
  sum = TakeIn(sum, 0);
  for (const char c : prefix) sum = TakeIn(sum, static_cast<std::uint8_t>(c & 31));
  for (const std::uint8_t group : groups) sum = TakeIn(sum, group);
  return sum;
}

bool IsUpper(char c) { return 'A' <= c && c <= 'Z'; }
bool IsLower(char c) { return 'a' <= c && c <= 'z'; }

std::string Lower(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (IsUpper(c)) c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

std::unexpected<Error> Malformed(const std::string& expected, const std::string& found) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("bech32: expected {}, found {}", expected, found));
}

Status CheckCharacters(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if ('!' <= text[i] && text[i] <= '~') continue;
    return Malformed("characters from ! to ~",
                     fmt::format("{} at {}", Quoted(text.substr(i, 1)), i));
  }
  if (std::ranges::any_of(text, IsUpper) && std::ranges::any_of(text, IsLower)) {
    return Malformed("letters of one case", "both");
  }
  return {};
}

Result<std::vector<std::uint8_t>> ReadGroups(std::string_view text, std::size_t from) {
  std::vector<std::uint8_t> groups;
  for (std::size_t i = from; i < text.size(); ++i) {
    const std::size_t group = kDigits.find(text[i]);
    if (group == std::string_view::npos) {
      return Malformed(fmt::format("characters of {}", kDigits),
                       fmt::format("{} at {}", Quoted(text.substr(i, 1)), i));
    }
    groups.push_back(static_cast<std::uint8_t>(group));
  }
  if (groups.size() >= kChecksumGroups) return groups;
  return Malformed(fmt::format("a checksum of {} characters", kChecksumGroups),
                   fmt::to_string(groups.size()));
}

std::unexpected<Error> WrongChecksum(std::string_view text, const Bech32& decoded) {
  const std::string right = EncodeBech32(decoded);
  return Malformed(fmt::format("the checksum {} of what stands before it",
                               right.substr(right.size() - kChecksumGroups)),
                   fmt::format("{}: a character is wrong, or missing",
                               text.substr(text.size() - kChecksumGroups)));
}

}  // namespace

std::string EncodeBech32(const Bech32& decoded) {
  std::vector<std::uint8_t> groups = decoded.groups;
  groups.resize(groups.size() + kChecksumGroups);  // zeros, where the checksum will be
  const std::uint32_t sum = Checksum(decoded.prefix, groups) ^ 1;
  for (std::size_t i = 0; i < kChecksumGroups; ++i) {
    groups[decoded.groups.size() + i] =
        static_cast<std::uint8_t>(sum >> (5 * (kChecksumGroups - 1 - i)) & 31);
  }
  std::string text = decoded.prefix + '1';
  for (const std::uint8_t group : groups) text.push_back(kDigits[group]);
  return text;
}

Result<Bech32> DecodeBech32(std::string_view text) {
  TALEA_TRY(CheckCharacters(text));
  const std::string lower = Lower(text);
  const std::size_t separator = lower.rfind('1');
  if (separator == std::string::npos) return Malformed("a prefix and the digit 1", "no such digit");
  if (separator == 0 || separator > kMostPrefix) {
    return Malformed(fmt::format("a prefix of 1 to {} characters", kMostPrefix),
                     fmt::to_string(separator));
  }
  Bech32 decoded;
  decoded.groups = TALEA_TRY(ReadGroups(lower, separator + 1));
  decoded.prefix = lower.substr(0, separator);
  const bool right = Checksum(decoded.prefix, decoded.groups) == 1;
  decoded.groups.resize(decoded.groups.size() - kChecksumGroups);
  if (!right) return WrongChecksum(lower, decoded);
  return decoded;
}

std::vector<std::uint8_t> GroupBytes(ByteView bytes) {
  std::vector<std::uint8_t> groups;
  groups.reserve((bytes.size() * 8 + 4) / 5);
  std::uint32_t bits = 0;
  int count = 0;
  for (const char c : bytes) {
    bits = (bits << 8 | static_cast<unsigned char>(c)) & 0xfff;
    for (count += 8; count >= 5; count -= 5) {
      groups.push_back(static_cast<std::uint8_t>(bits >> (count - 5) & 31));
    }
  }
  if (count > 0) groups.push_back(static_cast<std::uint8_t>(bits << (5 - count) & 31));
  return groups;
}

std::optional<std::string> UngroupBytes(std::span<const std::uint8_t> groups) {
  std::string bytes;
  bytes.reserve(groups.size() * 5 / 8);
  std::uint32_t bits = 0;
  int count = 0;
  for (const std::uint8_t group : groups) {
    bits = (bits << 5 | group) & 0xfff;
    count += 5;
    if (count < 8) continue;
    count -= 8;
    bytes.push_back(static_cast<char>(bits >> count & 0xff));
  }
  const bool filled_with_zeros = count < 5 && (bits & ((1u << count) - 1)) == 0;
  return filled_with_zeros ? std::optional(std::move(bytes)) : std::nullopt;
}

}  // namespace talea::cardano
