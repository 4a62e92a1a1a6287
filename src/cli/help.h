// What `--help` prints, of `talea` and of each subcommand.
#pragma once

#include <span>
#include <string>

#include "cli/command.h"

namespace talea::cli {

// The path leads from `talea` to the command in question: its names make up the usage, and the
// first one's options, which all share, are listed at the end.
std::string Help(std::span<const Command* const> path);

}  // namespace talea::cli
