#include "cli/element_argument.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "cli/bytes_argument.h"
#include "cli/tuple_parser.h"
#include "talea/bytes.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

constexpr ElementType kTypes[] = {ElementType::text,    ElementType::bytes,   ElementType::integer,
                                  ElementType::float64, ElementType::float32, ElementType::boolean,
                                  ElementType::uuid};

std::unexpected<Error> Mismatch(ElementType type, std::string_view found) {
  return Fail(ErrorCode::invalid_argument, fmt::format("expected {}, found {}", Name(type), found));
}

bool IsDigit(char byte) { return byte >= '0' && byte <= '9'; }

// The digits without a sign, if they begin as a number is usually written.
std::optional<std::string_view> Digits(std::string_view word) {
  if (word.starts_with('-')) word.remove_prefix(1);
  if (word.empty() || !IsDigit(word.front())) return std::nullopt;
  if (word.size() > 1 && word[0] == '0' && IsDigit(word[1])) return std::nullopt;
  return word;
}

template <class Float>
std::optional<Float> WholeFloat(std::string_view word) {
  Float number{};
  const auto read = std::from_chars(word.begin(), word.end(), number);
  if (read.ec != std::errc() || read.ptr != word.end()) return std::nullopt;
  return number;
}

// inf and nan, which have no digits, with or without a sign; with an f those of 32 bits.
std::optional<Element> ParseWithoutDigits(std::string_view word) {
  const std::string_view name = word.substr(word.starts_with('-') ? 1 : 0);
  if (name == "inf" || name == "nan") return Element(WholeFloat<double>(word).value());
  if (name != "inff" && name != "nanf") return std::nullopt;
  return Element(WholeFloat<float>(word.substr(0, word.size() - 1)).value());
}

// A number in the form that Element::ToString gives it, or close to it.
std::optional<Element> ParseNumber(std::string_view word) {
  if (auto number = ParseWithoutDigits(word)) return number;
  const auto digits = Digits(word);
  if (!digits || word == "-0") return std::nullopt;
  if (std::ranges::all_of(*digits, IsDigit)) {
    const Result<BigInteger> integer = BigInteger::FromDecimal(word);
    return integer ? std::optional<Element>(*integer) : std::nullopt;
  }
  if (digits->find_first_of(".e") == std::string_view::npos) return std::nullopt;
  if (word.ends_with('f')) {
    const auto number = WholeFloat<float>(word.substr(0, word.size() - 1));
    return number ? std::optional<Element>(*number) : std::nullopt;
  }
  const auto number = WholeFloat<double>(word);
  return number ? std::optional<Element>(*number) : std::nullopt;
}

bool IsWord(std::string_view word) {
  const Result<Element> element = ParseElement(word);
  if (!element || element->type() != ElementType::text) return false;
  // In parentheses a word ends with these, and spaces around it are dropped.
  if (word.empty() || word.front() == ' ' || word.back() == ' ') return false;
  return std::ranges::none_of(word, [](char byte) {
    return byte == ',' || byte == '(' || byte == ')' || byte == '"' ||
           static_cast<unsigned char>(byte) < 0x20 || byte == 0x7f;
  });
}

std::string InParentheses(const Tuple& tuple) {
  std::string text = "(";
  for (const Element& element : tuple) {
    text += (text.size() > 1 ? ", " : "") + ElementArgument(element);
  }
  return text + ")";
}

// What a conversion starts from: the text of a text, and what is shown of all else.
std::string WordOf(const Element& element) {
  if (const auto text = element.AsText()) return std::string(*text);
  if (const auto bytes = element.AsBytes()) return std::string(*bytes);
  return element.ToString();
}

bool Converts(ElementType from, ElementType to) {
  if (from == ElementType::text || from == ElementType::bytes || to == ElementType::text) {
    return from != ElementType::nested;
  }
  const bool to_float = to == ElementType::float64 || to == ElementType::float32;
  return to_float && (from == ElementType::integer || from == ElementType::float32 ||
                      from == ElementType::float64);
}

}  // namespace

const std::vector<std::string>& TypeNames() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const ElementType type : kTypes) all.emplace_back(Name(type));
    return all;
  }();
  return names;
}

Result<std::vector<ElementType>> ParseTypes(std::string_view option, std::string_view list) {
  std::vector<ElementType> types;
  for (bool more = !list.empty(); more;) {
    const std::size_t comma = list.find(',');
    const std::string_view word = list.substr(0, comma);
    const auto found = std::ranges::find(kTypes, word, [](ElementType type) { return Name(type); });
    if (found == std::end(kTypes)) {
      return Fail(ErrorCode::invalid_argument,
                  fmt::format("{}: expected some of {}, found {}", option,
                              fmt::join(TypeNames(), ", "), Quoted(word)));
    }
    types.push_back(*found);
    more = comma != std::string_view::npos;
    if (more) list.remove_prefix(comma + 1);
  }
  return types;
}

Result<Element> ParseElement(std::string_view word) {
  if (word.starts_with('"')) return ParseQuoted(word);
  if (word.starts_with('(')) return Element(TALEA_TRY(ParseElements(word, {})));
  if (word == "null") return Element();
  if (word == "true" || word == "false") return Element(word == "true");
  if (word.starts_with("0x")) return Element(Bytes(TALEA_TRY(ParseBytes(word))));
  if (const Result<Uuid> uuid = Uuid::Parse(word)) return Element(*uuid);
  if (auto number = ParseNumber(word)) return *std::move(number);
  return Element(Text(word));
}

Result<Element> ParseElementAs(ElementType type, std::string_view word) {
  switch (type) {
    case ElementType::text:
      return Element(Text(word));
    case ElementType::bytes:
      return Element(Bytes(TALEA_TRY(ParseBytes(word))));
    case ElementType::integer:
      if (const Result<BigInteger> number = BigInteger::FromDecimal(word)) return Element(*number);
      break;
    case ElementType::float64:
      if (const auto number = WholeFloat<double>(word)) return Element(*number);
      break;
    case ElementType::float32:
      if (const auto number = WholeFloat<float>(word)) return Element(*number);
      break;
    case ElementType::boolean:
      if (word == "true" || word == "false") return Element(word == "true");
      break;
    case ElementType::uuid:
      if (const Result<Uuid> uuid = Uuid::Parse(word)) return Element(*uuid);
      break;
    case ElementType::null:
    case ElementType::nested:
      break;
  }
  return Mismatch(type, Quoted(word));
}

Result<Element> ConvertElement(ElementType type, Element element) {
  if (element.is_null() || element.type() == type) return element;
  // Not by their digits, which would round twice, or could not be read back.
  if (const auto number = element.AsFloat(); number && type == ElementType::float64) {
    return Element(static_cast<double>(*number));
  }
  if (const auto number = element.AsDouble(); number && type == ElementType::float32) {
    const auto narrow = static_cast<float>(*number);
    if (std::isfinite(*number) && !std::isfinite(narrow)) {
      return Mismatch(type, fmt::format("{} {}", Name(element.type()), ShownElement(element)));
    }
    return Element(narrow);
  }
  if (type == ElementType::bytes && element.type() == ElementType::text) {
    return Element(Bytes(WordOf(element)));
  }
  if (Converts(element.type(), type)) return ParseElementAs(type, WordOf(element));
  return Mismatch(type, fmt::format("{} {}", Name(element.type()), ShownElement(element)));
}

Result<Tuple> ParseTuple(std::string_view argument, std::span<const ElementType> types) {
  if (types.size() == 1) return Tuple {
      TALEA_TRY(ParseElementAs(types[0], argument))
    };
  if (argument.starts_with('(')) return ParseElements(argument, types);
  if (!types.empty()) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("expected {} elements in parentheses, found {}", types.size(),
                            Quoted(argument)));
  }
  return Tuple { TALEA_TRY(ParseElement(argument)) };
}

std::string ElementArgument(const Element& element) {
  if (const auto nested = element.AsNested()) return InParentheses(**nested);
  const auto text = element.AsText();
  return text && IsWord(*text) ? std::string(*text) : element.ToString();
}

std::string TupleArgument(const Tuple& tuple) {
  const bool single = tuple.size() == 1 && tuple[0].type() != ElementType::nested;
  return single ? ElementArgument(tuple[0]) : InParentheses(tuple);
}

std::string ShownElement(const Element& element) { return Showable(element.ToString()); }

std::string ShownTuple(const Tuple& tuple) {
  return tuple.size() == 1 ? ShownElement(tuple[0]) : Showable(ToString(tuple));
}

}  // namespace talea::cli
