#include "cli/bytes_argument.h"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

#include "terminal/text.h"

namespace talea::cli {
namespace {

constexpr std::string_view hexadecimal = "0x";

}  // namespace

Result<std::string> ParseBytes(std::string_view argument) {
  if (!argument.starts_with(hexadecimal)) return std::string(argument);
  const std::string_view digits = argument.substr(hexadecimal.size());
  std::string bytes;
  for (std::size_t place = 0; place < digits.size(); place += 2) {
    const std::string_view pair = digits.substr(place, 2);
    unsigned value = 0;
    const auto read = std::from_chars(pair.begin(), pair.end(), value, 16);
    if (pair.size() != 2 || read.ptr != pair.end()) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("{}: expected pairs of hexadecimal digits after 0x, found {} at "
                              "digit {}; text that begins with 0x is written in digits too",
                              Quoted(argument), Quoted(pair), place + 1));
    }
    bytes.push_back(static_cast<char>(value));
  }
  return bytes;
}

std::string BytesArgument(ByteView bytes) {
  if (!bytes.starts_with(hexadecimal) && Showable(bytes) == bytes) return std::string(bytes);
  std::string argument(hexadecimal);
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(argument), "{:02x}", static_cast<unsigned char>(byte));
  }
  return argument;
}

}  // namespace talea::cli
