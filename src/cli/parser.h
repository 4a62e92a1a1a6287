// From a command line to the command that it names. Only parser.cc knows the library that parses.
#pragma once

#include <string>
#include <vector>

#include "cli/command.h"

namespace talea::cli {

struct Invocation {
  std::vector<const Command*> path;  // from `talea` to what was named
  bool help = false;
  bool version = false;
};

// Sets the targets of all parameters that were given. Fails with invalid_argument where the line is
// wrong: the message says what is, and which help to read.
Result<Invocation> Parse(const Command& talea, const std::vector<std::string>& arguments);

}  // namespace talea::cli
