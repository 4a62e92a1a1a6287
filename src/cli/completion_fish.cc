#include <fmt/format.h>

#include "cli/completion.h"
#include "cli/completion_facts.h"

namespace talea::cli {
namespace {

constexpr const char* kBegin = R"(# Completes `talea` in fish:  talea shell-completion fish | source
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
)";

// In single quotes, where fish knows two escapes.
std::string Quote(std::string_view text) {
  std::string quoted = "'";
  for (const char byte : text) {
    if (byte == '\'' || byte == '\\') quoted.push_back('\\');
    quoted.push_back(byte);
  }
  return quoted + "'";
}

// What the values may be, as `complete` takes it; empty if nothing is known.
std::string Values(const Parameter& parameter) {
  if (!parameter.choices.empty()) {
    return " -a " + Quote(fmt::format("{}", fmt::join(parameter.choices, " ")));
  }
  switch (parameter.completion) {
    case Completion::file:
      return " -F";
    case Completion::folder:
      return " -a '(__fish_complete_directories)'";
    case Completion::location:
      return " -a 'memory: rocksdb:'";
    case Completion::nothing:
      break;
  }
  return {};
}

std::string Option(const Parameter& parameter) {
  return fmt::format(" -l {}{} -d {}{}", parameter.name.substr(2), parameter.flag() ? "" : " -x",
                     Quote(parameter.help), Values(parameter));
}

// The lines of one command and of its parts. Options of `talea` itself are offered everywhere.
std::string Lines(const Command& command, const std::string& path, bool everywhere) {
  const std::string complete = "complete -c talea";
  const std::string here = complete + " -n " + Quote("__talea_at " + Quote(path));
  std::string lines;
  for (const Parameter& parameter : command.parameters) {
    if (parameter.named()) {
      lines += (everywhere ? complete : here) + Option(parameter) + "\n";
    } else if (const std::string values = Values(parameter); !values.empty()) {
      lines += here + values + "\n";
    }
  }
  for (const Command& part : command.commands) {
    lines += fmt::format("{} -a {} -d {}\n", here, part.name, Quote(part.summary));
    lines += Lines(part, path + " " + part.name, false);
  }
  return lines;
}

}  // namespace

std::string FishCompletion(const Command& talea) {
  const std::string paths = QuotedPaths(AllCommandFacts(talea), " ");
  return fmt::format(fmt::runtime(kBegin), paths) + Lines(talea, talea.name, true);
}

}  // namespace talea::cli
