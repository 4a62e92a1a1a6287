#include "cli/tuple_parser.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

#include "cli/element_argument.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  // From one parenthesis to the other. Nested ones have no types of their own.
  Result<Tuple> Elements(std::span<const ElementType> types, std::size_t depth) {
    if (depth > kMaxTupleDepth) return Unexpected("fewer parentheses within each other");
    ++position_;
    Tuple tuple;
    for (bool more = !SpacesThen(')'); more;) {
      const bool typed = tuple.size() < types.size();
      tuple.push_back(
          TALEA_TRY(OneElement(typed ? std::optional(types[tuple.size()]) : std::nullopt, depth)));
      more = SpacesThen(',');
      if (!more && !SpacesThen(')')) return Unexpected("a comma or a closing parenthesis");
    }
    return tuple;
  }

  Result<std::string> Quotes() {
    std::string text;
    for (++position_; !AtEnd(); ++position_) {
      const char byte = text_[position_];
      if (byte == '"') {
        ++position_;
        return text;
      }
      text.push_back(byte == '\\' ? TALEA_TRY(Escape()) : byte);
    }
    return Unexpected("a closing quote");
  }

  Status Finish() {
    if (AtEnd()) return {};
    return Unexpected("nothing more");
  }

 private:
  Result<Element> OneElement(std::optional<ElementType> type, std::size_t depth) {
    SkipSpaces();
    if (!AtEnd() && text_[position_] == '(') return Element(TALEA_TRY(Elements({}, depth + 1)));
    if (!AtEnd() && text_[position_] == '"') {
      const std::string text = TALEA_TRY(Quotes());
      return type ? ParseElementAs(*type, text) : Element(Text(text));
    }
    const std::string_view word = Word();
    if (word.empty()) return Unexpected("an element");
    return type ? ParseElementAs(*type, word) : ParseElement(word);
  }

  // Up to a comma or a parenthesis, without the spaces at its end.
  std::string_view Word() {
    const std::size_t end = std::min(text_.find_first_of(",()", position_), text_.size());
    std::string_view word = text_.substr(position_, end - position_);
    position_ = end;
    while (word.ends_with(' ')) word.remove_suffix(1);
    return word;
  }

  // The byte that an escape stands for; stays at its last character.
  Result<char> Escape() {
    constexpr std::string_view names = "\"\\nrt";
    constexpr std::string_view bytes = "\"\\\n\r\t";
    ++position_;
    const std::size_t known = AtEnd() ? names.npos : names.find(text_[position_]);
    if (known != names.npos) return bytes[known];
    const std::string_view digits = text_.substr(std::min(position_ + 1, text_.size()), 2);
    unsigned byte = 0;
    const auto read = std::from_chars(digits.begin(), digits.end(), byte, 16);
    if (AtEnd() || text_[position_] != 'x' || digits.size() != 2 || read.ptr != digits.end()) {
      return Unexpected(R"(one of \" \\ \n \r \t or \x and two hexadecimal digits)");
    }
    position_ += 2;
    return static_cast<char>(byte);
  }

  bool AtEnd() const { return position_ >= text_.size(); }

  void SkipSpaces() {
    while (!AtEnd() && text_[position_] == ' ') ++position_;
  }

  bool SpacesThen(char byte) {
    SkipSpaces();
    if (AtEnd() || text_[position_] != byte) return false;
    ++position_;
    return true;
  }

  std::unexpected<Error> Unexpected(std::string_view expected) const {
    const std::string found = AtEnd() ? "its end" : Quoted(text_.substr(position_, 1));
    return Fail(ErrorCode::invalid_argument,
                fmt::format("{}: expected {} at character {}, found {}", Quoted(text_), expected,
                            std::min(position_, text_.size()) + 1, found));
  }

  const std::string_view text_;
  std::size_t position_ = 0;
};

}  // namespace

Result<Element> ParseQuoted(std::string_view quoted) {
  Parser parser(quoted);
  const std::string text = TALEA_TRY(parser.Quotes());
  TALEA_TRY(parser.Finish());
  return Element(Text(text));
}

Result<Tuple> ParseElements(std::string_view argument, std::span<const ElementType> types) {
  Parser parser(argument);
  Tuple tuple = TALEA_TRY(parser.Elements(types, 0));
  TALEA_TRY(parser.Finish());
  if (!types.empty() && tuple.size() != types.size()) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("{}: expected {} elements, as there are types, found {}",
                            Quoted(argument), types.size(), tuple.size()));
  }
  return tuple;
}

}  // namespace talea::cli
