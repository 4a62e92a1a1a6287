// A subcommand of `talea`, as plain data: what it is called, what it takes, what it does.
//
// Each has a file of its own with one function that returns it (such as StatsCommand in stats.cc),
// declared and listed in commands.h. Only parser.cc knows the library that parses command lines;
// help and shell completion are made from the same data.
#pragma once

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "talea/result.h"
#include "terminal/screen.h"

namespace talea::cli {

// How `talea` ends. docs/cli.md lists them, and a test compares.
enum class ExitCode : int {
  done = 0,
  failed = 1,         // an error, told on standard error
  wrong_usage = 2,    // the command line, or what it asks for, can never work; nothing was changed
  no = 3,             // what was named does not exist, or what was checked is not as it should be
  interrupted = 130,  // by Ctrl-C (or SIGTERM), at a point from which it can go on
};

// What was asked for before or beside the subcommand, and where it writes. A command writes its
// answer to `out`, and to `err` what is not part of it: progress, and what to do next.
struct Context {
  std::string location;  // --db, or else TALEA_DB; empty if there is neither
  bool json = false;     // the answer is one JSON document
  bool quiet = false;    // no progress, no remarks
  Screen screen;         // that `out` is shown on
  std::ostream& out;
  std::ostream& err;
};

// Where a parameter's value goes: a flag's, a text's, a number's; an optional stays empty when the
// parameter is not given, and a vector takes the values of one that may be repeated.
using Target = std::variant<bool*, std::string*, std::optional<std::string>*, std::uint64_t*,
                            std::optional<std::uint64_t>*, std::vector<std::string>*>;

// What completes a value at a shell's prompt.
enum class Completion : std::uint8_t { nothing, file, folder, location };

struct Parameter {
  std::string name;  // "--limit"; or, for one that is told by its place, "KEYSPACE"
  Target target;
  std::string help;
  std::string value = {};  // what stands for the value in the help: "FOLDER"; not for a flag
  bool required = false;
  std::vector<std::string> choices = {};  // the only values there are, if not empty
  Completion completion = Completion::nothing;
  char letter = 0;            // -q for --quiet, if any
  std::string variable = {};  // of the environment, that counts where it is not given

  bool named() const { return name.starts_with("--"); }
  bool flag() const { return std::holds_alternative<bool*>(target); }
};

struct Command {
  std::string name;
  std::string summary;                 // one line, with a capital and without a full stop
  std::vector<std::string> examples;   // command lines, for the help
  std::vector<Parameter> parameters;   // their targets are kept alive by `run`
  std::vector<Command> commands = {};  // `talea tenants list`; then run is not called
  bool needs_database = true;          // refused without --db and TALEA_DB
  std::function<Result<ExitCode>(Context&)> run = {};
};

}  // namespace talea::cli
