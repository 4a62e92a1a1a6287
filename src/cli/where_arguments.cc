#include "cli/where_arguments.h"

#include <fmt/format.h>

#include <span>

#include "cli/element_argument.h"
#include "cli/index_arguments.h"

namespace talea::cli {
namespace {

using Types = std::vector<ElementType>;

Result<Tuple> ValueOf(std::string_view option, const std::string& argument, const Types& types) {
  Result<Tuple> value = ParseTuple(argument, types);
  if (value) return value;
  return Fail(value.error().code(), fmt::format("{}: {}", option, value.error().message()));
}

// An option that takes one value, and the comparison that it stands for.
struct Comparison {
  std::string_view option;
  const std::optional<std::string>& argument;
  Where (*make)(const Tuple&);
};

// Adds a condition to those so far.
void Narrow(std::optional<Where>& all, const Where& condition) {
  all = all ? *all && condition : condition;
}

Result<Where> AnyOf(const std::vector<std::string>& arguments, const Types& types) {
  std::vector<Tuple> values;
  for (const std::string& argument : arguments) {
    values.push_back(TALEA_TRY(ValueOf("--in", argument, types)));
  }
  return Where::In(values);
}

}  // namespace

std::vector<Parameter> WhereParameters(WhereArguments& arguments) {
  return {
      {.name = "--equal",
       .target = &arguments.equal,
       .help = "Only this value; on an index of several elements, all that begin with it",
       .value = "VALUE"},
      {.name = "--in",
       .target = &arguments.in,
       .help = "Only this one and those of further --in",
       .value = "VALUE"},
      {.name = "--at-least",
       .target = &arguments.at_least,
       .help = "Only this value and greater ones",
       .value = "VALUE"},
      {.name = "--above",
       .target = &arguments.above,
       .help = "Only greater values",
       .value = "VALUE"},
      {.name = "--at-most",
       .target = &arguments.at_most,
       .help = "Only this value and lesser ones; null is less than all others",
       .value = "VALUE"},
      {.name = "--below",
       .target = &arguments.below,
       .help = "Only lesser values; null is less than all others",
       .value = "VALUE"},
      {.name = "--starts-with",
       .target = &arguments.starts_with,
       .help = "Only text, or bytes, that begins so",
       .value = "VALUE"},
      {.name = "--null", .target = &arguments.null, .help = "Only null"},
      {.name = "--not", .target = &arguments.negated, .help = "All but what the other options say"},
      TypesParameter(arguments.types)};
}

Result<Where> ParseWhere(const WhereArguments& arguments) {
  const Types types = TALEA_TRY(ParseTypes("--types", arguments.types));
  const Comparison comparisons[] = {{"--equal", arguments.equal, Where::Equal},
                                    {"--at-least", arguments.at_least, Where::AtLeast},
                                    {"--above", arguments.above, Where::Above},
                                    {"--at-most", arguments.at_most, Where::AtMost},
                                    {"--below", arguments.below, Where::Below},
                                    {"--starts-with", arguments.starts_with, Where::StartsWith}};
  std::optional<Where> all;
  for (const Comparison& comparison : comparisons) {
    if (!comparison.argument) continue;
    Narrow(all,
           comparison.make(TALEA_TRY(ValueOf(comparison.option, *comparison.argument, types))));
  }
  if (!arguments.in.empty()) Narrow(all, TALEA_TRY(AnyOf(arguments.in, types)));
  if (arguments.null) Narrow(all, Where::Equal({nullptr}));
  if (arguments.negated && !all) {
    return Fail(ErrorCode::invalid_argument, "--not: expected another condition beside it");
  }
  if (!all) return Where::All();
  return arguments.negated ? !*all : *all;
}

}  // namespace talea::cli
