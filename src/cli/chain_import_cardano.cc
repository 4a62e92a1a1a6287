// talea chain import-cardano: follows Cardano's chain from files of blocks.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <ostream>
#include <vector>

#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/cardano_import.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::vector<std::string> files;
  bool create = false;
  bool allow_missing_inputs = false;
  bool no_records = false;
};

JsonObject AsJson(const CardanoImportReport& report) {
  return JsonObject()
      .Add("finished", report.finished)
      .Add("blocks", report.blocks)
      .Add("already", report.skipped)
      .Add("transactions", report.transactions)
      .Add("inputs", report.consumed)
      .Add("missing_inputs", report.missing)
      .Add("outputs", report.produced)
      .Add("cursor", CursorAsJson(report.cursor));
}

std::string ForPeople(const CardanoImportReport& report, const Screen& screen) {
  Table table{.columns = {{}, {}},
              .rows = {{"Blocks", FullNumber(report.blocks)},
                       {"Already in", FullNumber(report.skipped)},
                       {"Transactions", FullNumber(report.transactions)},
                       {"Inputs", FullNumber(report.consumed)}}};
  if (report.missing != 0) {
    table.rows.push_back({"Missing", fmt::format("{} of these inputs, which were passed over",
                                                 FullNumber(report.missing))});
  }
  table.rows.push_back({"Outputs", FullNumber(report.produced)});
  table.rows.push_back({"Cursor", Describe(report.cursor)});
  return DrawWhole(table, screen);
}

ExitCode TellInterrupted(Context& context, const CardanoImportReport& report) {
  if (context.json) context.out << AsJson(report).text() << "\n";
  context.err << fmt::format(
      "talea: interrupted; {} applied, and the ledger is at {}. The same command goes on from "
      "there\n",
      Counted(report.blocks, "block"), Describe(report.cursor));
  return ExitCode::interrupted;
}

using Files = std::vector<std::filesystem::path>;

CardanoImportOptions OptionsOf(const Arguments& arguments, RowProgress progress) {
  return {.allow_missing_inputs = arguments.allow_missing_inputs,
          .keep_records = !arguments.no_records,
          .progress = std::move(progress)};
}

// Applies the first block alone, and looks whether all files can be read.
Status Rehearse(ChainStore& store, const Files& files, const Arguments& arguments) {
  const auto stop = [](std::uint64_t, std::uint64_t) { return false; };
  TALEA_TRY(ImportCardano(store, files, OptionsOf(arguments, stop)));
  for (const std::filesystem::path& file : files) TALEA_TRY(CardanoFile::Open(file));
  return {};
}

Result<ExitCode> Import(Context& context, const Arguments& arguments) {
  RowWork work("import", context, "bytes");  // first, as it is what hears Ctrl-C
  const Files files(arguments.files.begin(), arguments.files.end());
  const auto database = TALEA_TRY(OpenToImport(context, arguments.create, [&](ChainStore& store) {
    return Rehearse(store, files, arguments);
  }));
  ChainStore store(database->engine());
  const CardanoImportReport report =
      TALEA_TRY(ImportCardano(store, files, OptionsOf(arguments, work.Progress())));
  if (!report.finished) return TellInterrupted(context, report);
  work.Finish();
  if (context.json) {
    context.out << AsJson(report).text() << "\n";
  } else if (!context.quiet) {
    context.out << ForPeople(report, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command ChainImportCardanoCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "import-cardano",
          .summary = "Applies Cardano's blocks from files, each once; goes on after the last",
          .examples = {"talea --db rocksdb:/var/lib/ledger chain import-cardano --create "
                       "immutable/*.chunk",
                       "talea chain import-cardano 01836.chunk --allow-missing-inputs"},
          .parameters = {{.name = "FILE",
                          .target = &arguments->files,
                          .help = "Blocks in the order of the chain: a node's chunks, or one block "
                                  "in hexadecimal digits",
                          .required = true,
                          .completion = Completion::file},
                         {.name = "--create",
                          .target = &arguments->create,
                          .help = "Create the database if it is not there"},
                         {.name = "--allow-missing-inputs",
                          .target = &arguments->allow_missing_inputs,
                          .help = "Pass over inputs that no block before made: the files begin in "
                                  "the middle of the chain"},
                         {.name = "--no-records",
                          .target = &arguments->no_records,
                          .help = "Do not keep what `talea chain show` shows of blocks and "
                                  "transactions"}},
          .run = [arguments](Context& context) { return Import(context, *arguments); }};
}

}  // namespace talea::cli
