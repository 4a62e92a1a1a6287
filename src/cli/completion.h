// Scripts that complete `talea` at a shell's prompt, made from the commands themselves.
#pragma once

#include <string>

#include "cli/command.h"

namespace talea::cli {

std::string BashCompletion(const Command& talea);
std::string ZshCompletion(const Command& talea);
std::string FishCompletion(const Command& talea);

}  // namespace talea::cli
