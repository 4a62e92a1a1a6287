#include "talea/uuid.h"

#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "talea/bytes.h"

namespace talea {
namespace {

constexpr std::size_t kTextLength = 36;

// A dash stands before the bytes 4, 6, 8 and 10.
constexpr bool DashBefore(std::size_t byte) {
  return byte == 4 || byte == 6 || byte == 8 || byte == 10;
}

bool ParseByte(std::string_view digits, std::uint8_t& byte) {
  const char* const end = digits.data() + digits.size();
  const auto [stopped, error] = std::from_chars(digits.data(), end, byte, 16);
  return error == std::errc() && stopped == end;
}

bool ParseInto(std::string_view text, Uuid& uuid) {
  if (text.size() != kTextLength) return false;
  std::size_t position = 0;
  for (std::size_t i = 0; i < uuid.bytes.size(); ++i) {
    if (DashBefore(i) && text[position++] != '-') return false;
    if (!ParseByte(text.substr(position, 2), uuid.bytes[i])) return false;
    position += 2;
  }
  return true;
}

}  // namespace

Result<Uuid> Uuid::Parse(std::string_view text) {
  Uuid uuid;
  if (ParseInto(text, uuid)) return uuid;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("UUID: expected 8-4-4-4-12 hexadecimal digits, found {}", Quoted(text)));
}

std::string Uuid::ToString() const {
  std::string text;
  text.reserve(kTextLength);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (DashBefore(i)) text.push_back('-');
    fmt::format_to(std::back_inserter(text), "{:02x}", bytes[i]);
  }
  return text;
}

std::ostream& operator<<(std::ostream& out, const Uuid& uuid) { return out << uuid.ToString(); }

}  // namespace talea
