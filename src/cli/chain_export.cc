// talea chain export: all of a ledger's state, to a file.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/chain_transfer.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string file;
  std::optional<std::string> at;
};

Status CheckThereIsOne(const ChainView& view) {
  if (view.cursor() || TALEA_TRY(view.Statistics()) != ChainStatistics{}) return {};
  return Fail(ErrorCode::not_found, "ledger: expected one to export, found none");
}

Result<ExitCode> Export(Context& context, const Arguments& arguments) {
  RowWork work("export", context, "rows");  // first, as it is what hears Ctrl-C
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  TALEA_TRY(CheckThereIsOne(ledger.view));
  const TransferReport report =
      TALEA_TRY(ExportChain(ledger.view, arguments.file, work.Progress()));
  if (!report.finished) {
    context.err << fmt::format("talea: interrupted; nothing is left of file {}\n",
                               Quoted(arguments.file));
    return ExitCode::interrupted;
  }
  work.Finish();
  if (context.json) {
    context.out << JsonObject()
                       .Add("file", arguments.file)
                       .Add("cursor", CursorAsJson(ledger.view.cursor()))
                       .Add("rows", report.rows)
                       .Add("state_hash", report.state_hash)
                       .text()
                << "\n";
  } else {
    context.out << fmt::format("Exported {} at {} to file {}.\nState hash {}\n",
                               Counted(report.rows, "row"), Describe(ledger.view.cursor()),
                               Quoted(arguments.file), report.state_hash);
  }
  return ExitCode::done;
}

}  // namespace

Command ChainExportCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "export",
          .summary = "Writes all of a ledger's state to a new file",
          .examples = {"talea chain export ledger.talea",
                       "talea chain export ledger.talea --at 4492800.HASH"},
          .parameters = {{.name = "FILE",
                          .target = &arguments->file,
                          .help = "The file to create",
                          .required = true,
                          .completion = Completion::file},
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return Export(context, *arguments); }};
}

}  // namespace talea::cli
