#include "cli/bytes_argument.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>
#include <optional>

#include "terminal/text.h"

namespace talea::cli {
namespace {

constexpr std::string_view hexadecimal = "0x";

// Where the first pair is that is not two digits, after all bytes before it; nothing if there is
// none.
std::optional<std::size_t> ReadPairs(std::string_view digits, std::string& bytes) {
  for (std::size_t place = 0; place < digits.size(); place += 2) {
    const std::string_view pair = digits.substr(place, 2);
    unsigned value = 0;
    const auto read = std::from_chars(pair.begin(), pair.end(), value, 16);
    if (pair.size() != 2 || read.ptr != pair.end()) return place;
    bytes.push_back(static_cast<char>(value));
  }
  return std::nullopt;
}

}  // namespace

Result<std::string> ParseBytes(std::string_view argument) {
  if (!argument.starts_with(hexadecimal)) return std::string(argument);
  const std::string_view digits = argument.substr(hexadecimal.size());
  std::string bytes;
  const std::optional<std::size_t> wrong = ReadPairs(digits, bytes);
  if (!wrong) return bytes;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected pairs of hexadecimal digits after 0x, found {} at "
                          "digit {}; text that begins with 0x is written in digits too",
                          Quoted(argument), Quoted(digits.substr(*wrong, 2)), *wrong + 1));
}

std::string BytesArgument(ByteView bytes) {
  if (!bytes.starts_with(hexadecimal) && Showable(bytes) == bytes) return std::string(bytes);
  return std::string(hexadecimal) + HexDigits(bytes);
}

Result<std::string> ParseHexDigits(std::string_view digits) {
  std::string bytes;
  const std::optional<std::size_t> wrong = ReadPairs(digits, bytes);
  if (!wrong) return bytes;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("expected pairs of hexadecimal digits, found {} at digit {}",
                          Quoted(digits.substr(*wrong, 2)), *wrong + 1));
}

std::string HexDigits(ByteView bytes) {
  std::string digits;
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(digits), "{:02x}", static_cast<unsigned char>(byte));
  }
  return digits;
}

}  // namespace talea::cli
