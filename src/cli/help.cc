#include "cli/help.h"

#include <fmt/format.h>

#include "terminal/table.h"

namespace talea::cli {
namespace {

using Lines = std::vector<std::vector<std::string>>;  // what is given, and what it means

std::string Section(std::string_view title, const Lines& lines) {
  if (lines.empty()) return {};
  Table table{.columns = {{}, {}, {}}, .rows = {}};
  for (const auto& line : lines) table.rows.push_back({"", line[0], line[1]});
  return fmt::format("\n{}:\n{}", title, DrawTable(table, {}));
}

std::string Meaning(const Parameter& parameter) {
  if (parameter.choices.empty()) return parameter.help;
  return fmt::format("{}: {}", parameter.help, fmt::join(parameter.choices, ", "));
}

std::string Given(const Parameter& parameter) {
  std::string text = parameter.letter == 0 ? "" : fmt::format("-{}, ", parameter.letter);
  text += parameter.name;
  return parameter.flag() ? text : fmt::format("{} {}", text, parameter.value);
}

// Of an argument that is told by its place; one that takes several says so.
std::string ShownName(const Parameter& parameter) {
  const bool several = std::holds_alternative<std::vector<std::string>*>(parameter.target);
  return parameter.name + (several ? ".." : "");
}

Lines Arguments(const Command& command) {
  Lines lines;
  for (const Parameter& parameter : command.parameters) {
    if (!parameter.named()) lines.push_back({ShownName(parameter), Meaning(parameter)});
  }
  return lines;
}

Lines Options(const Command& command) {
  Lines lines;
  for (const Parameter& parameter : command.parameters) {
    if (parameter.named()) lines.push_back({Given(parameter), Meaning(parameter)});
  }
  return lines;
}

Lines GlobalOptions(const Command& talea) {
  Lines lines = Options(talea);
  lines.push_back({"--version", "The version"});
  lines.push_back({"-h, --help", "This text, or with a command its own"});
  return lines;
}

Lines Commands(const Command& command) {
  Lines lines;
  for (const Command& part : command.commands) lines.push_back({part.name, part.summary});
  return lines;
}

std::string Usage(std::span<const Command* const> path) {
  std::string line = "Usage:";
  for (const Command* command : path) line += " " + command->name;
  for (const Parameter& parameter : path.back()->parameters) {
    if (parameter.named()) continue;
    line += fmt::format(fmt::runtime(parameter.required ? " {}" : " [{}]"), ShownName(parameter));
  }
  return line + (path.back()->commands.empty() ? " [OPTION..]" : " COMMAND [OPTION..]") + "\n";
}

}  // namespace

std::string Help(std::span<const Command* const> path) {
  const Command& talea = *path.front();
  const Command& command = *path.back();
  std::string text = Usage(path) + "\n" + command.summary + "\n";
  text += Section("Arguments", Arguments(command)) + Section("Commands", Commands(command));
  if (path.size() > 1) text += Section("Options", Options(command));
  text += Section(path.size() > 1 ? "Options of every command" : "Options", GlobalOptions(talea));
  if (command.examples.empty()) return text;
  return text + fmt::format("\nExamples:\n  {}\n", fmt::join(command.examples, "\n  "));
}

}  // namespace talea::cli
