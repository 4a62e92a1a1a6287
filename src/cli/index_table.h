// A table of all indexes.
#pragma once

#include "cli/command.h"
#include "json/json.h"
#include "talea/engine.h"
#include "talea/histograms.h"
#include "talea/result.h"

namespace talea::cli {

// Writes what is known of each index of the engine to the context's output.
Status ShowIndexes(Context& context, Engine& engine);

JsonObject IndexAsJson(const IndexInformation& index);

// ready, or what it is doing.
std::string StateOf(const IndexInformation& index);

}  // namespace talea::cli
