#include "cardano/base58.h"

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace talea::cardano {
namespace {

constexpr std::string_view kDigits = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

// A number by its digits, the least significant first: it becomes itself * factor + more.
void MultiplyAndAdd(std::vector<std::uint8_t>& digits, std::uint32_t base, std::uint32_t factor,
                    std::uint32_t more) {
  for (std::uint8_t& digit : digits) {
    more += digit * factor;
    digit = static_cast<std::uint8_t>(more % base);
    more /= base;
  }
  for (; more > 0; more /= base) digits.push_back(static_cast<std::uint8_t>(more % base));
}

}  // namespace

// Each zero in front, which a number does not have, is a digit of its own.
std::string EncodeBase58(ByteView bytes) {
  const std::size_t zeros = std::min(bytes.find_first_not_of('\0'), bytes.size());
  std::vector<std::uint8_t> digits;
  for (const char c : bytes) MultiplyAndAdd(digits, 58, 256, static_cast<unsigned char>(c));
  std::string text(zeros, kDigits[0]);
  for (auto digit = digits.rbegin(); digit != digits.rend(); ++digit) text += kDigits[*digit];
  return text;
}

std::optional<std::string> DecodeBase58(std::string_view text) {
  const std::size_t zeros = std::min(text.find_first_not_of(kDigits[0]), text.size());
  std::vector<std::uint8_t> number;
  for (const char c : text) {
    const std::size_t digit = kDigits.find(c);
    if (digit == std::string_view::npos) return std::nullopt;
    MultiplyAndAdd(number, 256, 58, static_cast<std::uint32_t>(digit));
  }
  std::string bytes(zeros, '\0');
  bytes.append(number.rbegin(), number.rend());
  return bytes;
}

}  // namespace talea::cardano
