#include "cli/row_expression.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "cli/rows.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

std::unexpected<Error> NoExpression(std::string_view option, std::string_view text) {
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected key, value, key:N, value:N or json:FIELD, found {}", option,
                          Quoted(text)));
}

// From 1 on, as it is written.
std::optional<std::size_t> PlaceOf(std::string_view digits) {
  std::size_t number = 0;
  const auto read = std::from_chars(digits.begin(), digits.end(), number);
  if (read.ec != std::errc() || read.ptr != digits.end() || number == 0) return std::nullopt;
  return number - 1;
}

}  // namespace

Result<RowExpression> RowExpression::Parse(std::string_view option, std::string_view text) {
  const std::size_t colon = text.find(':');
  const std::string_view name = text.substr(0, colon);
  const std::string_view rest = colon == text.npos ? "" : text.substr(colon + 1);
  RowExpression expression;
  if (name == "json" && colon != text.npos) {
    expression.part = Part::json;
    expression.path = TALEA_TRY(JsonPath::Parse(rest));
    return expression;
  }
  if (name != "key" && name != "value") return NoExpression(option, text);
  expression.part = name == "key" ? Part::key : Part::value;
  if (colon == text.npos) return expression;
  expression.element = PlaceOf(rest);
  if (!expression.element) return NoExpression(option, text);
  return expression;
}

Result<RowFinder> RowFinder::Make(const Keyspace& keyspace, const EntryArguments& arguments) {
  RowFinder finder(keyspace);
  for (const std::string& value : arguments.value) {
    finder.expressions_.push_back(TALEA_TRY(RowExpression::Parse("--value", value)));
  }
  finder.expressions_.push_back(TALEA_TRY(RowExpression::Parse("--document", arguments.document)));
  for (const RowExpression& expression : finder.expressions_) {
    if (expression.part == RowExpression::Part::json) finder.paths_.push_back(expression.path);
  }
  return finder;
}

Result<FoundEntry> RowFinder::Find(const Row& row) {
  Result<Found> found = FindAll(row);
  if (!found) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("keyspace {}, key {}: {}", Quoted(keyspace_->name), Quoted(row.key),
                            found.error().message()));
  }
  FoundEntry entry;
  entry.document = std::move(found->back());
  found->pop_back();
  entry.value = *std::move(found);
  return entry;
}

Result<RowFinder::Found> RowFinder::FindAll(const Row& row) {
  Found fields;
  if (!paths_.empty()) fields = TALEA_TRY(json_.Read(row.value, paths_));
  Found found;
  std::size_t field = 0;
  for (const RowExpression& expression : expressions_) {
    const bool json = expression.part == RowExpression::Part::json;
    found.push_back(json ? std::move(fields[field++]) : TALEA_TRY(FindOne(expression, row)));
  }
  return found;
}

Result<std::optional<Element>> RowFinder::FindOne(const RowExpression& expression, const Row& row) {
  const bool key = expression.part == RowExpression::Part::key;
  if (!key && keyspace_->pattern == AccessPattern::counter) {
    return Element(TALEA_TRY(CounterValue(*keyspace_, row)));
  }
  const ByteView bytes = key ? row.key : row.value;
  if (!expression.element) return Element(Bytes(bytes));
  const Result<Tuple> tuple = Unpack(bytes);
  if (!tuple) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("{}: expected a packed tuple: {}", key ? "key" : "value",
                            tuple.error().message()));
  }
  if (*expression.element >= tuple->size()) return std::nullopt;
  return (*tuple)[*expression.element];
}

}  // namespace talea::cli
