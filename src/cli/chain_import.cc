// talea chain import: a ledger from a file.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/row_progress.h"
#include "json/json.h"
#include "talea/chain_transfer.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string file;
  bool create = false;
  bool abandon = false;
};

Result<ExitCode> Abandon(Context& context) {
  const auto database = TALEA_TRY(OpenToWrite(context));
  ChainStore store(database->engine());
  const bool dropped = TALEA_TRY(AbandonImport(store));
  if (context.json) {
    context.out << JsonObject().Add("dropped", dropped).text() << "\n";
  } else if (!context.quiet) {
    context.out << (dropped ? "Dropped what was imported: the ledger is empty again.\n"
                            : "There was no import to drop.\n");
  }
  return ExitCode::done;
}

void Tell(Context& context, const Arguments& arguments, const TransferReport& report,
          const Cursor& cursor) {
  if (context.json) {
    context.out << JsonObject()
                       .Add("file", arguments.file)
                       .Add("cursor", CursorAsJson(cursor))
                       .Add("rows", report.rows)
                       .Add("resumed", report.resumed)
                       .Add("state_hash", report.state_hash)
                       .text()
                << "\n";
    return;
  }
  const std::string resumed = report.resumed == 0 ? ""
                                                  : fmt::format(", {} of them by an earlier run",
                                                                FullNumber(report.resumed));
  context.out << fmt::format("Imported {} from file {}{}: the ledger is at {}.\nState hash {}\n",
                             Counted(report.rows, "row"), Quoted(arguments.file), resumed,
                             Describe(cursor), report.state_hash);
}

ExitCode TellInterrupted(Context& context, const Arguments& arguments,
                         const TransferReport& report) {
  context.err << fmt::format(
      "talea: interrupted; {} of file {} imported. The same command goes on from there, and `talea "
      "chain import --abandon` drops them; until then every other use of the ledger is refused\n",
      Counted(report.rows, "row"), Quoted(arguments.file));
  return ExitCode::interrupted;
}

// Half of the work is writing the rows, and half is reading them again.
RowProgress ProgressOf(RowProgressBar& bar) {
  const auto before = std::make_shared<std::optional<std::uint64_t>>();  // of an earlier run
  return [&bar, before](std::uint64_t done, std::uint64_t total) {
    const std::uint64_t rows = total / 2;
    if (!*before) *before = std::min(done, rows);
    if (done <= rows) return bar.Report(done - **before, rows - **before);
    bar.Next("compare");
    return bar.Report(done - rows, rows);
  };
}

// Reads where the file begins and ends, and stops before the first row.
Status Rehearse(ChainStore& store, const Arguments& arguments) {
  TALEA_TRY(ImportChain(store, arguments.file, [](std::uint64_t, std::uint64_t) { return false; }));
  return {};
}

Result<ExitCode> Import(Context& context, const Arguments& arguments) {
  RowProgressBar bar("import", context);  // first, as it is what hears Ctrl-C
  const auto database = TALEA_TRY(OpenToImport(
      context, arguments.create, [&](ChainStore& store) { return Rehearse(store, arguments); }));
  ChainStore store(database->engine());
  const TransferReport report = TALEA_TRY(ImportChain(store, arguments.file, ProgressOf(bar)));
  if (!report.finished) return TellInterrupted(context, arguments, report);
  bar.Finish();
  const ChainView view = TALEA_TRY(store.Open());
  Tell(context, arguments, report, view.cursor());
  return ExitCode::done;
}

Result<ExitCode> ImportOrAbandon(Context& context, const Arguments& arguments) {
  const bool has_file = !arguments.file.empty();
  if (arguments.abandon && has_file) {
    return Fail(
        ErrorCode::invalid_argument,
        fmt::format("--abandon: expected no FILE beside it, found {}", Quoted(arguments.file)));
  }
  if (arguments.abandon) return Abandon(context);
  if (has_file) return Import(context, arguments);
  return Fail(ErrorCode::invalid_argument, "FILE: expected the file of an export, found none");
}

}  // namespace

Command ChainImportCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "import",
          .summary = "Reads an exported file into an empty ledger; can be interrupted and goes on",
          .examples = {"talea chain import ledger.talea",
                       "talea --db rocksdb:/var/lib/ledger chain import ledger.talea --create",
                       "talea chain import --abandon"},
          .parameters = {{.name = "FILE",
                          .target = &arguments->file,
                          .help = "The file; the same one where an import is not finished",
                          .completion = Completion::file},
                         {.name = "--create",
                          .target = &arguments->create,
                          .help = "Create the database if it is not there"},
                         {.name = "--abandon",
                          .target = &arguments->abandon,
                          .help = "Drop what an import that was not finished has left"}},
          .run = [arguments](Context& context) { return ImportOrAbandon(context, *arguments); }};
}

}  // namespace talea::cli
