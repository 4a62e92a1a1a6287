#include "cli/run.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ostream>

#include "cli/commands.h"
#include "cli/help.h"
#include "cli/hints.h"
#include "cli/parser.h"
#include "json/json.h"

namespace talea::cli {
namespace {

ExitCode Tell(const Error& error, const std::string& hint, ExitCode code, bool json,
              std::ostream& err) {
  if (json) {
    err << ErrorJson(Name(error.code()), error.message(), hint).text() << "\n";
  } else {
    err << "talea: " << error.message() << "\n";
    if (!hint.empty()) err << "  " << hint << "\n";
  }
  return code;
}

// A disk that is full, or a pipe that is closed, must not pass for an answer.
ExitCode Flushed(ExitCode code, bool json, std::ostream& out, std::ostream& err) {
  errno = 0;
  out.flush();
  if (out.good()) return code;
  const Error error(ErrorCode::io_error,
                    fmt::format("writing the answer: {}", errno == 0 ? "expected all of it to be "
                                                                       "taken, found it refused"
                                                                     : std::strerror(errno)));
  return Tell(error, "", ExitCode::failed, json, err);
}

ExitCode CodeOf(const Error& error) {
  switch (error.code()) {
    case ErrorCode::invalid_argument:
      return ExitCode::wrong_usage;
    case ErrorCode::not_found:
      return ExitCode::no;
    default:
      return ExitCode::failed;
  }
}

ExitCode RunCommand(const Command& command, const GlobalArguments& globals, std::ostream& out,
                    std::ostream& err) {
  Context context{.location = globals.location,
                  .json = globals.json,
                  .quiet = globals.quiet,
                  .screen = DetectScreen(STDOUT_FILENO),
                  .out = out,
                  .err = err};
  if (globals.no_color) context.screen.color = false;
  if (command.needs_database && context.location.empty()) {
    const Error error(ErrorCode::invalid_argument, "no database is named");
    return Tell(error, MissingLocationHint(), ExitCode::wrong_usage, globals.json, err);
  }
  const Result<ExitCode> code = command.run(context);
  if (code) return *code;
  out.flush();
  return Tell(code.error(), HintFor(code.error(), context.location), CodeOf(code.error()),
              globals.json, err);
}

}  // namespace

ExitCode Run(const std::vector<std::string>& arguments, std::ostream& out, std::ostream& err) {
  GlobalArguments globals;
  const Command talea = TaleaCommand(globals);
  const Result<Invocation> invocation = Parse(talea, arguments);
  if (!invocation) {
    // The line could not be read, so whether --json is in it is only seen like this.
    const bool json = std::ranges::find(arguments, "--json") != arguments.end();
    return Tell(invocation.error(), "", ExitCode::wrong_usage, json, err);
  }
  ExitCode code = ExitCode::done;
  if (invocation->help) {
    out << Help(invocation->path);
  } else if (invocation->version) {
    out << "talea " << TALEA_VERSION << "\n";
  } else {
    code = RunCommand(*invocation->path.back(), globals, out, err);
  }
  return Flushed(code, globals.json, out, err);
}

}  // namespace talea::cli
