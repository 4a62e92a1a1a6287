// What a completion script has to know, in the same words for every shell.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"

namespace talea::cli {

using Described = std::pair<std::string, std::string>;  // a word, and what it means

// A command, by the words that lead to it: "talea tenants list".
struct CommandFacts {
  std::string path;
  std::vector<Described> words;    // subcommands, and the values of arguments that have a choice
  std::vector<Described> options;  // of its own and of every command
  bool folders = false;            // whether an argument is a folder
  bool locations = false;          // or a location
};

// An option that takes a value.
struct ValueFacts {
  std::string name;
  std::vector<std::string> choices;
  Completion completion = Completion::nothing;
};

std::vector<CommandFacts> AllCommandFacts(const Command& talea);

// Of all commands together: an option of one name takes the same values everywhere.
std::vector<ValueFacts> AllValueFacts(const Command& talea);

}  // namespace talea::cli
