#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/completion_facts.h"

namespace talea::cli {
namespace {

// Finds out at which command the line is, as in bash.
constexpr const char* kBegin = R"(#compdef talea
# Completes `talea` in zsh:  source <(talea shell-completion zsh)
_talea() {{
  local at=talea i
  local -a candidates options
  for ((i = 2; i < CURRENT; i++)); do
    case ${{words[i]}} in
      {}) ((i++)); continue ;;
    esac
    case "$at ${{words[i]}}" in
      {}) at+=" ${{words[i]}}" ;;
    esac
  done
  case ${{words[CURRENT-1]}} in
)";

constexpr const char* kEnd = R"(  esac
  if [[ $PREFIX == -* ]]; then _describe -o option options
  else _describe command candidates; fi
}
# zsh loads it from a folder as this very function; otherwise it is sourced.
if [[ ${funcstack[1]} == _talea ]]; then _talea "$@"; else compdef _talea talea; fi
)";

// "name:what it means" for each, as _describe takes it.
std::string Descriptions(const std::vector<Described>& words) {
  std::string text;
  for (const auto& [word, meaning] : words) {
    text += (text.empty() ? "" : " ") + ShellQuote(meaning.empty() ? word : word + ":" + meaning);
  }
  return text;
}

std::string Offer(Completion completion) {
  switch (completion) {
    case Completion::file:
      return "_files";
    case Completion::folder:
      return "_directories";
    case Completion::location:
      return "if compset -P 'rocksdb:'; then _directories; "
             "else compadd -S '' memory: rocksdb:; fi";
    case Completion::nothing:
      break;
  }
  return ":";
}

std::string ValueCase(const ValueFacts& value) {
  const std::string choices = fmt::format("compadd -- {}", fmt::join(value.choices, " "));
  return fmt::format("    {}) {}; return ;;\n", value.name,
                     value.choices.empty() ? Offer(value.completion) : choices);
}

std::string CommandCase(const CommandFacts& command) {
  return fmt::format(
      "    {})\n"
      "      candidates=({})\n"
      "      options=({})\n"
      "      {} ;;\n",
      ShellQuote(command.path), Descriptions(command.words), Descriptions(command.options),
      Offer(command.argument));
}

}  // namespace

std::string ZshCompletion(const Command& talea) {
  const auto commands = AllCommandFacts(talea);
  const auto values = AllValueFacts(talea);
  std::string script =
      fmt::format(fmt::runtime(kBegin), OptionPattern(values), QuotedPaths(commands, "|"));
  for (const ValueFacts& value : values) script += ValueCase(value);
  script += "  esac\n  case $at in\n";
  for (const CommandFacts& command : commands) script += CommandCase(command);
  return script + kEnd;
}

}  // namespace talea::cli
