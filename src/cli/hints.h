// What to do next, for errors that somebody at a prompt can do something about.
#pragma once

#include <string>
#include <string_view>

#include "talea/result.h"

namespace talea::cli {

std::string MissingLocationHint();

// A sentence, or nothing where the message says all there is.
std::string HintFor(const Error& error, std::string_view location);

}  // namespace talea::cli
