// The parts of `talea chain get` that take several names.
#pragma once

#include "cli/command.h"

namespace talea::cli {

Command ChainGetOutputCommand();
Command ChainGetEntityCommand();

}  // namespace talea::cli
