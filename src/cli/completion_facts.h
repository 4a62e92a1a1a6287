// What a completion script has to know, in the same words for every shell.
#pragma once

#include <string>
#include <string_view>
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
  Completion argument = Completion::nothing;
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

// In single quotes, for bash and zsh.
std::string ShellQuote(std::string_view text);

// All paths but that of `talea` itself, quoted, with something between: the patterns of a case that
// tells where a word leads on to another command.
std::string QuotedPaths(const std::vector<CommandFacts>& commands, std::string_view between);

// The names of options that take a value, as one pattern of a case.
std::string OptionPattern(const std::vector<ValueFacts>& values);

}  // namespace talea::cli
