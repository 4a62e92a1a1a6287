// Tuples as people read them.
#include <fmt/format.h>

#include <charconv>
#include <ostream>

#include "keyspace/utf8.h"
#include "talea/tuple.h"

namespace talea {
namespace {

std::string Hexadecimal(ByteView bytes) {
  std::string text = "0x";
  for (const char byte : bytes) {
    fmt::format_to(std::back_inserter(text), "{:02x}", static_cast<unsigned char>(byte));
  }
  return text;
}

// Quoted, with everything escaped that would not show, or would end the quotes.
// Letters of all languages stay as they are.
std::string QuotedText(std::string_view text) {
  std::string quoted = "\"";
  const std::size_t valid = Utf8PrefixLength(text);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool hidden = byte < 0x20 || byte == 0x7f || i >= valid;
    if (hidden) {
      fmt::format_to(std::back_inserter(quoted), "\\x{:02x}", byte);
      continue;
    }
    if (byte == '"' || byte == '\\') quoted.push_back('\\');
    quoted.push_back(text[i]);
  }
  quoted.push_back('"');
  return quoted;
}

// The fewest digits that give the same number again, and a sign that it is no integer.
template <class Float>
std::string Shortest(Float number) {
  char buffer[32];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  std::string text(buffer, end);
  if (text.find_first_not_of("-0123456789") == std::string::npos) text += ".0";
  return text;
}

struct Printer {
  std::string operator()(Null) const { return "null"; }
  std::string operator()(const Bytes& bytes) const { return Hexadecimal(bytes.value); }
  std::string operator()(const Text& text) const { return QuotedText(text.value); }
  std::string operator()(const Tuple& tuple) const { return ToString(tuple); }
  std::string operator()(std::int64_t number) const { return std::to_string(number); }
  std::string operator()(const BigInteger& number) const { return number.ToString(); }
  std::string operator()(float number) const { return Shortest(number) + "f"; }
  std::string operator()(double number) const { return Shortest(number); }
  std::string operator()(bool boolean) const { return boolean ? "true" : "false"; }
  std::string operator()(const Uuid& uuid) const { return uuid.ToString(); }
};

}  // namespace

std::string Element::ToString() const { return std::visit(Printer(), value_); }

std::string ToString(const Tuple& tuple) {
  std::string text = "(";
  for (const Element& element : tuple) {
    if (text.size() > 1) text += ", ";
    text += element.ToString();
  }
  return text + ")";
}

std::ostream& operator<<(std::ostream& out, ElementType type) { return out << Name(type); }

std::ostream& operator<<(std::ostream& out, const Element& element) {
  return out << element.ToString();
}

std::ostream& operator<<(std::ostream& out, const Tuple& tuple) { return out << ToString(tuple); }

}  // namespace talea
