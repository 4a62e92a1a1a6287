#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/completion_facts.h"

namespace talea::cli {
namespace {

// Finds out at which command the line is; words that are the values of options do not count. Bash
// takes the colon of a location for the end of a word.
constexpr const char* kBegin =
    R"(# Completes `talea` in bash:  source <(talea shell-completion bash)
_talea() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} path=talea i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${{COMP_WORDS[i]}} in
      {}) ((i++)); continue ;;
    esac
    case "$path ${{COMP_WORDS[i]}}" in
      {}) path+=" ${{COMP_WORDS[i]}}" ;;
    esac
  done
  case $before in
    :) COMPREPLY=($(compgen -d -- "$word")); return ;;
)";

std::string Joined(const std::vector<Described>& words) {
  std::string text;
  for (const Described& word : words) text += (text.empty() ? "" : " ") + word.first;
  return text;
}

std::string Reply(Completion completion, const std::string& words) {
  switch (completion) {
    case Completion::file:
      return "COMPREPLY=($(compgen -f -- \"$word\"))";
    case Completion::folder:
      return "COMPREPLY=($(compgen -d -- \"$word\"))";
    case Completion::location:
      return "compopt -o nospace 2>/dev/null; "
             "COMPREPLY=($(compgen -W 'memory: rocksdb:' -- \"$word\"))";
    case Completion::nothing:
      break;
  }
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", ShellQuote(words));
}

std::string ValueCase(const ValueFacts& value) {
  const std::string choices = fmt::format("{}", fmt::join(value.choices, " "));
  return fmt::format("    {}) {}; return ;;\n", value.name, Reply(value.completion, choices));
}

std::string CommandCase(const CommandFacts& command) {
  return fmt::format(
      "    {})\n"
      "      if [[ $word == -* ]]; then {}\n"
      "      else {}; fi ;;\n",
      ShellQuote(command.path), Reply(Completion::nothing, Joined(command.options)),
      Reply(command.argument, Joined(command.words)));
}

}  // namespace

std::string BashCompletion(const Command& talea) {
  const auto commands = AllCommandFacts(talea);
  const auto values = AllValueFacts(talea);
  std::string script =
      fmt::format(fmt::runtime(kBegin), OptionPattern(values), QuotedPaths(commands, "|"));
  for (const ValueFacts& value : values) script += ValueCase(value);
  script += "  esac\n  case $path in\n";
  for (const CommandFacts& command : commands) script += CommandCase(command);
  return script + "  esac\n}\ncomplete -F _talea talea\n";
}

}  // namespace talea::cli
