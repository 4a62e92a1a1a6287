// Conditions on the command line: options, as what shells make of < and > is no condition.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/command.h"
#include "talea/result.h"
#include "talea/where.h"

namespace talea::cli {

// All that are given have to hold; of several --in any one.
struct WhereArguments {
  std::optional<std::string> equal;
  std::vector<std::string> in;
  std::optional<std::string> at_least;
  std::optional<std::string> above;
  std::optional<std::string> at_most;
  std::optional<std::string> below;
  std::optional<std::string> starts_with;
  bool null = false;
  bool negated = false;
  std::string types;
};

std::vector<Parameter> WhereParameters(WhereArguments& arguments);

// The condition; all values if there is none. Fails with invalid_argument, naming the option, on
// what is no value.
Result<Where> ParseWhere(const WhereArguments& arguments);

}  // namespace talea::cli
