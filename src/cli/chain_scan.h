// The parts of `talea chain scan` that have a file of their own.
#pragma once

#include "cli/command.h"

namespace talea::cli {

Command ChainScanChangesCommand();

}  // namespace talea::cli
