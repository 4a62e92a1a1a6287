// talea shell-completion: a script for a shell.
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/completion.h"

namespace talea::cli {
namespace {

Result<ExitCode> Print(Context& context, const std::string& shell) {
  GlobalArguments unused;
  const Command talea = TaleaCommand(unused);
  context.out << (shell == "bash"  ? BashCompletion(talea)
                  : shell == "zsh" ? ZshCompletion(talea)
                                   : FishCompletion(talea));
  return ExitCode::done;
}

}  // namespace

Command ShellCompletionCommand() {
  const auto shell = std::make_shared<std::string>();
  return {.name = "shell-completion",
          .summary = "Prints a script that completes commands and options at a shell's prompt",
          .examples = {"source <(talea shell-completion bash)",
                       "talea shell-completion fish > ~/.config/fish/completions/talea.fish"},
          .parameters = {{.name = "SHELL",
                          .target = shell.get(),
                          .help = "Which shell",
                          .required = true,
                          .choices = {"bash", "zsh", "fish"}}},
          .needs_database = false,
          .run = [shell](Context& context) { return Print(context, *shell); }};
}

}  // namespace talea::cli
