#include "cli/parser.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <optional>

#include "talea/bytes.h"

namespace talea::cli {
namespace {

constexpr int kMostRepeated = 1 << 20;

// Each value as it is given, which the library's own conversion of lists does not promise.
CLI::Option* AddRepeated(CLI::App& app, const std::string& name, std::vector<std::string>& values) {
  CLI::Option* option = app.add_option(name, [&values](const CLI::results_t& given) {
    values = given;
    return true;
  });
  option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  const bool by_place = option->get_positional();  // then it takes all that are left
  return option->expected(1, by_place ? kMostRepeated : 1)->allow_extra_args(by_place);
}

CLI::Option* AddTyped(CLI::App& app, const std::string& name, const Parameter& parameter) {
  return std::visit(
      [&]<class T>(T* target) {
        if constexpr (std::is_same_v<T, bool>) {
          return app.add_flag(name, *target);
        } else if constexpr (std::is_same_v<T, std::vector<std::string>>) {
          return AddRepeated(app, name, *target);
        } else {
          return app.add_option(name, *target);
        }
      },
      parameter.target);
}

// Empty if the text is a value of the parameter, else what is wrong with it.
std::string Complaint(const Parameter& parameter, const std::string& text) {
  const bool number = std::holds_alternative<std::uint64_t*>(parameter.target) ||
                      std::holds_alternative<std::optional<std::uint64_t>*>(parameter.target);
  std::uint64_t value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  if (number && (read.ec != std::errc() || read.ptr != text.data() + text.size())) {
    return fmt::format("expected a whole number, found {}", Quoted(text));
  }
  const auto& choices = parameter.choices;
  if (!choices.empty() && std::ranges::find(choices, text) == choices.end()) {
    return fmt::format("expected one of {}, found {}", fmt::join(choices, ", "), Quoted(text));
  }
  return {};
}

void AddParameter(CLI::App& app, const Parameter& parameter) {
  const std::string name = parameter.letter == 0
                               ? parameter.name
                               : fmt::format("-{},{}", parameter.letter, parameter.name);
  CLI::Option* option = AddTyped(app, name, parameter);
  option->required(parameter.required);
  if (!parameter.variable.empty()) option->envname(parameter.variable);
  if (parameter.flag()) return;
  option->type_name(parameter.value);
  option->check(
      CLI::Validator([&parameter](std::string& text) { return Complaint(parameter, text); }, ""));
}

void AddParts(CLI::App& app, const Command& command) {
  app.set_help_flag("-h,--help");
  app.fallthrough();  // so that --db may stand at the end as well
  for (const Parameter& parameter : command.parameters) AddParameter(app, parameter);
  for (const Command& part : command.commands) AddParts(*app.add_subcommand(part.name), part);
  if (!command.commands.empty()) app.require_subcommand(1);
}

// Follows what was named, as far as it came.
std::vector<const Command*> Path(const CLI::App& app, const Command& command) {
  std::vector<const Command*> path{&command};
  for (const CLI::App* named : app.get_subcommands()) {
    for (const Command& part : command.commands) {
      if (part.name != named->get_name()) continue;
      const auto rest = Path(*named, part);
      path.insert(path.end(), rest.begin(), rest.end());
    }
  }
  return path;
}

std::string Names(const std::vector<const Command*>& path) {
  std::string names;
  for (const Command* command : path) names += (names.empty() ? "" : " ") + command->name;
  return names;
}

// What is wrong, in our words where the library's say little.
std::string Describe(const CLI::App& app, const Command& command, const CLI::ParseError& error) {
  const std::vector<std::string> unknown = app.remaining(true);
  if (!unknown.empty() && !unknown.front().starts_with("-") && !command.commands.empty()) {
    return fmt::format("there is no command {}", Quoted(unknown.front()));
  }
  if (!unknown.empty()) return fmt::format("unexpected argument {}", Quoted(unknown.front()));
  if (!command.commands.empty() && error.get_name() == "RequiredError") {
    std::vector<std::string_view> names;
    for (const Command& part : command.commands) names.push_back(part.name);
    return fmt::format("expected a command: {}", fmt::join(names, ", "));
  }
  return error.what();
}

}  // namespace

Result<Invocation> Parse(const Command& talea, const std::vector<std::string>& arguments) {
  CLI::App app("", talea.name);
  AddParts(app, talea);
  app.set_version_flag("--version");
  try {
    app.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return Invocation{.path = Path(app, talea), .help = true};
  } catch (const CLI::CallForVersion&) {
    return Invocation{.path = Path(app, talea), .version = true};
  } catch (const CLI::ParseError& error) {
    const auto path = Path(app, talea);
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("{}; see `{} --help`", Describe(app, *path.back(), error), Names(path)));
  }
  return Invocation{.path = Path(app, talea)};
}

}  // namespace talea::cli
