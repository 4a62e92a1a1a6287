#include "cli/completion_facts.h"

#include <algorithm>

namespace talea::cli {
namespace {

void AddOptions(const Command& command, CommandFacts& facts) {
  for (const Parameter& parameter : command.parameters) {
    if (parameter.named()) facts.options.emplace_back(parameter.name, parameter.help);
  }
}

CommandFacts FactsOf(const Command& command, const Command& talea, const std::string& path) {
  CommandFacts facts{.path = path, .words = {}, .options = {}};
  for (const Command& part : command.commands) facts.words.emplace_back(part.name, part.summary);
  for (const Parameter& parameter : command.parameters) {
    if (parameter.named()) continue;
    for (const std::string& choice : parameter.choices) facts.words.emplace_back(choice, "");
    if (parameter.completion != Completion::nothing) facts.argument = parameter.completion;
  }
  if (&command != &talea) AddOptions(command, facts);
  AddOptions(talea, facts);
  facts.options.emplace_back("--help", "What it does, and examples");
  if (&command == &talea) facts.options.emplace_back("--version", "The version");
  return facts;
}

void AddFacts(const Command& command, const Command& talea, const std::string& path,
              std::vector<CommandFacts>& all) {
  all.push_back(FactsOf(command, talea, path));
  for (const Command& part : command.commands) AddFacts(part, talea, path + " " + part.name, all);
}

}  // namespace

std::vector<CommandFacts> AllCommandFacts(const Command& talea) {
  std::vector<CommandFacts> all;
  AddFacts(talea, talea, talea.name, all);
  return all;
}

std::vector<ValueFacts> AllValueFacts(const Command& talea) {
  std::vector<ValueFacts> all;
  for (const Parameter& parameter : talea.parameters) {
    if (!parameter.named() || parameter.flag()) continue;
    all.push_back({parameter.name, parameter.choices, parameter.completion});
  }
  for (const Command& part : talea.commands) {
    for (ValueFacts& facts : AllValueFacts(part)) {
      if (std::ranges::find(all, facts.name, &ValueFacts::name) == all.end()) {
        all.push_back(std::move(facts));
      }
    }
  }
  return all;
}

std::string ShellQuote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) quoted += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return quoted + "'";
}

std::string QuotedPaths(const std::vector<CommandFacts>& commands, std::string_view between) {
  std::string text;
  for (const CommandFacts& command : commands) {
    if (!command.path.contains(' ')) continue;
    text += (text.empty() ? "" : std::string(between)) + ShellQuote(command.path);
  }
  return text;
}

std::string OptionPattern(const std::vector<ValueFacts>& values) {
  std::string text;
  for (const ValueFacts& value : values) text += (text.empty() ? "" : "|") + value.name;
  return text;
}

}  // namespace talea::cli
