// A whole run of `talea`: parses, does, tells, and says how it ended.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

#include "cli/command.h"

namespace talea::cli {

ExitCode Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err);

}  // namespace talea::cli
