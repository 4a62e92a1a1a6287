#include "cli/completion.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/completion_facts.h"

namespace talea::cli {
namespace {

// In single quotes, for bash and zsh.
std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) quoted += byte == '\'' ? std::string("'\\''") : std::string(1, byte);
  return quoted + "'";
}

// In single quotes, for fish.
std::string FishQuote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted.push_back('\\');
    quoted.push_back(byte);
  }
  return quoted + "'";
}

std::string Joined(const std::vector<Described>& words) {
  std::string text;
  for (const Described& word : words) text += (text.empty() ? "" : " ") + word.first;
  return text;
}

// All paths but the first, as the patterns of a case: what a word may lead on to.
std::string Paths(const std::vector<CommandFacts>& commands, std::string_view between) {
  std::string text;
  for (const CommandFacts& command : commands) {
    if (!command.path.contains(' ')) continue;
    text += (text.empty() ? "" : std::string(between)) + Quote(command.path);
  }
  return text;
}

std::string OptionsWithValues(const std::vector<ValueFacts>& values) {
  std::string text;
  for (const ValueFacts& value : values) text += (text.empty() ? "" : "|") + value.name;
  return text;
}

std::string BashWord(Completion completion, const std::string& words) {
  switch (completion) {
    case Completion::folder:
      return "COMPREPLY=($(compgen -d -- \"$word\"))";
    case Completion::location:
      return "compopt -o nospace 2>/dev/null; "
             "COMPREPLY=($(compgen -W 'memory: rocksdb:' -- \"$word\"))";
    case Completion::nothing:
      break;
  }
  return fmt::format("COMPREPLY=($(compgen -W {} -- \"$word\"))", Quote(words));
}

Completion ArgumentCompletion(const CommandFacts& command) {
  return command.folders     ? Completion::folder
         : command.locations ? Completion::location
                             : Completion::nothing;
}

// "name:what it means" for each, as zsh's _describe takes it.
std::string ZshDescriptions(const std::vector<Described>& words) {
  std::string text;
  for (const auto& [word, meaning] : words) {
    text += (text.empty() ? "" : " ") + Quote(meaning.empty() ? word : word + ":" + meaning);
  }
  return text;
}

std::string ZshWord(Completion completion) {
  switch (completion) {
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

}  // namespace

std::string BashCompletion(const Command& talea) {
  const auto commands = AllCommandFacts(talea);
  const auto values = AllValueFacts(talea);
  std::string script = fmt::format(
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
)",
      OptionsWithValues(values), Paths(commands, "|"));
  for (const ValueFacts& value : values) {
    script +=
        fmt::format("    {}) {}; return ;;\n", value.name,
                    BashWord(value.completion, fmt::format("{}", fmt::join(value.choices, " "))));
  }
  script += "  esac\n  case $path in\n";
  for (const CommandFacts& command : commands) {
    script += fmt::format(
        "    {})\n      if [[ $word == -* ]]; then COMPREPLY=($(compgen -W {} -- \"$word\"))\n"
        "      else {}; fi ;;\n",
        Quote(command.path), Quote(Joined(command.options)),
        BashWord(ArgumentCompletion(command), Joined(command.words)));
  }
  return script + "  esac\n}\ncomplete -F _talea talea\n";
}

std::string ZshCompletion(const Command& talea) {
  const auto commands = AllCommandFacts(talea);
  const auto values = AllValueFacts(talea);
  std::string script = fmt::format(
      R"(#compdef talea
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
)",
      OptionsWithValues(values), Paths(commands, "|"));
  for (const ValueFacts& value : values) {
    const std::string choices = fmt::format("compadd -- {}", fmt::join(value.choices, " "));
    script += fmt::format("    {}) {}; return ;;\n", value.name,
                          value.choices.empty() ? ZshWord(value.completion) : choices);
  }
  script += "  esac\n  case $at in\n";
  for (const CommandFacts& command : commands) {
    script += fmt::format("    {})\n      candidates=({})\n      options=({})\n      {} ;;\n",
                          Quote(command.path), ZshDescriptions(command.words),
                          ZshDescriptions(command.options), ZshWord(ArgumentCompletion(command)));
  }
  return script +
         "  esac\n"
         "  if [[ $PREFIX == -* ]]; then _describe -o option options\n"
         "  else _describe command candidates; fi\n"
         "}\n"
         "# zsh loads it from a folder as this very function; otherwise it is sourced.\n"
         "if [[ ${funcstack[1]} == _talea ]]; then _talea \"$@\"; else compdef _talea talea; fi\n";
}

namespace {

std::string FishWords(Completion completion) {
  return completion == Completion::folder     ? "(__fish_complete_directories)"
         : completion == Completion::location ? "memory: rocksdb:"
                                              : "";
}

// The lines of one command: its words, its options, what its arguments may be.
std::string FishLines(const Command& command, const std::string& path, bool everywhere) {
  const std::string at =
      fmt::format("complete -c talea -n {}", FishQuote("__talea_at " + FishQuote(path)));
  std::string lines;
  for (const Command& part : command.commands) {
    lines += fmt::format("{} -a {} -d {}\n", at, part.name, FishQuote(part.summary));
  }
  for (const Parameter& parameter : command.parameters) {
    const std::string words = parameter.choices.empty()
                                  ? FishWords(parameter.completion)
                                  : fmt::format("{}", fmt::join(parameter.choices, " "));
    const std::string given = words.empty() ? "" : " -a " + FishQuote(words);
    if (!parameter.named()) {
      if (!given.empty()) lines += at + given + "\n";
      continue;
    }
    lines += fmt::format("{} -l {}{} -d {}{}\n", everywhere ? "complete -c talea" : at,
                         parameter.name.substr(2), parameter.flag() ? "" : " -x",
                         FishQuote(parameter.help), given);
  }
  for (const Command& part : command.commands) {
    lines += FishLines(part, path + " " + part.name, false);
  }
  return lines;
}

}  // namespace

std::string FishCompletion(const Command& talea) {
  return fmt::format(
             R"(# Completes `talea` in fish:  talea shell-completion fish | source
function __talea_at
  set -l path talea
  set -l words (commandline -opc)
  for word in $words[2..-1]
    switch "$path $word"
      case {}
        set path "$path $word"
    end
  end
  test "$path" = "$argv[1]"
end
complete -c talea -f
complete -c talea -l help -d 'What it does, and examples'
complete -c talea -n '__talea_at talea' -l version -d 'The version'
)",
             Paths(AllCommandFacts(talea), " ")) +
         FishLines(talea, talea.name, true);
}

}  // namespace talea::cli
