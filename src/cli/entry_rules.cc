#include "cli/entry_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/element_argument.h"
#include "cli/index_arguments.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

// What the key of an entry has besides value and document.
constexpr std::size_t kKeyBytesBeside = 64;

// Nothing between two commas of a file is no number, and yet may be text.
bool IsNothing(const Element& element, ElementType type) {
  const auto text = element.AsText();
  return text && text->empty() && type != ElementType::text && type != ElementType::bytes;
}

Missing MissingOf(std::string_view name) {
  return name == "null" ? Missing::null : name == "skip" ? Missing::skip : Missing::fail;
}

Status CheckNumbers(const EntryArguments& arguments, const IndexInformation& index,
                    std::size_t types) {
  const std::size_t elements = index.options.elements;
  if (arguments.value.size() != elements) {
    return Fail(ErrorCode::invalid_argument,
                fmt::format("index {}: expected {} --value, one for each element, found {}",
                            Quoted(index.name), elements, arguments.value.size()));
  }
  if (types != 0 && types != elements) {
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("--types: expected {}, one for each --value, found {}", elements, types));
  }
  return {};
}

}  // namespace

std::vector<Parameter> EntryParameters(EntryArguments& arguments, const std::string& what,
                                       const std::string& forms) {
  const bool required = arguments.document.empty();
  return {
      {.name = "--value",
       .target = &arguments.value,
       .help = fmt::format("The value: {}; repeated for several elements", forms),
       .value = what,
       .required = true},
      {.name = "--document",
       .target = &arguments.document,
       .help = fmt::format("The document, likewise{}",
                           required ? "" : fmt::format(" ({} if not given)", arguments.document)),
       .value = what,
       .required = required},
      TypesParameter(arguments.types),
      DocumentTypeParameter(arguments.document_type),
      {.name = "--missing",
       .target = &arguments.missing,
       .help = "What a value that is not there means (fail if not given), and one that is empty "
               "and no text (null if not given)",
       .value = "HOW",
       .choices = {"fail", "null", "skip"}}};
}

std::string FingerprintOf(const EntryArguments& arguments) {
  std::string text;
  const auto add = [&text](std::string_view option, std::string_view argument) {
    const bool plain = argument.find_first_of(" \"\\") == std::string_view::npos;
    text += fmt::format("{}{} {}", text.empty() ? "" : " ", option,
                        plain ? std::string(argument) : Quoted(argument));
  };
  for (const std::string& part : arguments.value) add("--value", part);
  add("--document", arguments.document);
  if (!arguments.types.empty()) add("--types", arguments.types);
  if (!arguments.document_type.empty()) add("--document-type", arguments.document_type);
  if (arguments.missing) add("--missing", *arguments.missing);
  return text;
}

Result<EntryRules> EntryRules::Make(const EntryArguments& arguments, const IndexInformation& index,
                                    const Limits& limits) {
  const auto types = TALEA_TRY(ParseTypes("--types", arguments.types));
  const auto document = TALEA_TRY(ParseTypes("--document-type", arguments.document_type));
  TALEA_TRY(CheckNumbers(arguments, index, types.size()));
  EntryRules rules;
  rules.names_ = arguments.value;
  rules.names_.push_back(arguments.document);
  rules.types_.assign(types.begin(), types.end());
  rules.types_.resize(arguments.value.size());
  rules.types_.push_back(document.empty() ? std::nullopt : std::optional(document.front()));
  if (arguments.missing) rules.missing_ = MissingOf(*arguments.missing);
  rules.most_bytes_ = limits.key_bytes - std::min(limits.key_bytes, kKeyBytesBeside);
  return rules;
}

Result<std::optional<IndexEntry>> EntryRules::Apply(FoundEntry found) const {
  IndexEntry entry;
  for (std::size_t part = 0; part < found.value.size(); ++part) {
    auto element = TALEA_TRY(ValuePart(part, std::move(found.value[part])));
    if (!element) return std::nullopt;
    entry.value.push_back(*std::move(element));
  }
  entry.document = TALEA_TRY(Document(std::move(found.document)));
  TALEA_TRY(CheckSize(entry));
  return entry;
}

bool EntryRules::IsEmpty(std::size_t part, const Element& element) const {
  return types_[part] && IsNothing(element, *types_[part]);
}

// Nothing where the line or row is to have no entry.
Result<std::optional<Element>> EntryRules::ValuePart(std::size_t part,
                                                     std::optional<Element> found) const {
  if (found && !IsEmpty(part, *found)) return Convert(part, *std::move(found));
  switch (MissingOr(found ? Missing::null : Missing::fail)) {
    case Missing::null:
      return Element();
    case Missing::skip:
      return std::nullopt;
    case Missing::fail:
      break;
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected a value, found nothing; --missing says what else that may "
                          "mean",
                          Quoted(names_[part])));
}

// Entries of nothing could not be told apart.
Result<Element> EntryRules::Document(std::optional<Element> found) const {
  const std::size_t part = names_.size() - 1;
  const bool there = found && !found->is_null() && !IsEmpty(part, *found);
  if (there) return Convert(part, *std::move(found));
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected a document, found {}", Quoted(names_[part]),
                          found && found->is_null() ? "null" : "nothing"));
}

Result<Element> EntryRules::Convert(std::size_t part, Element element) const {
  Result<Element> converted =
      types_[part] ? ConvertElement(*types_[part], std::move(element)) : std::move(element);
  if (converted) return converted;
  return Fail(converted.error().code(),
              fmt::format("{}: {}", Quoted(names_[part]), converted.error().message()));
}

// Here and not in the commit of a thousand others, where nobody knows any more which it was.
Status EntryRules::CheckSize(const IndexEntry& entry) const {
  const std::size_t bytes = TALEA_TRY(Pack(entry.value))
  .size() + TALEA_TRY(Pack({entry.document}))
  .size();
  if (bytes <= most_bytes_) return {};
  return Fail(
      ErrorCode::invalid_argument,
      fmt::format("value and document: expected at most {} bytes, found {}", most_bytes_, bytes));
}

}  // namespace talea::cli
