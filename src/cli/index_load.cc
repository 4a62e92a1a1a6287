// talea index load: entries from a file.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/index_loader.h"
#include "cli/open.h"
#include "cli/row_progress.h"
#include "json/json.h"
#include "talea/bytes.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

constexpr std::uint64_t kMostBatch = 100'000;
constexpr std::string_view kStandardInput = "-";

struct Arguments {
  std::string name;
  std::string file;
  EntryArguments entry;
  std::optional<std::string> format;
  bool no_header = false;
  std::uint64_t batch = 1000;
  std::uint64_t skip_bad_lines = 0;
};

bool FromStandardInput(const Arguments& arguments) { return arguments.file == kStandardInput; }

// For messages.
std::string SourceOf(const Arguments& arguments) {
  return FromStandardInput(arguments) ? "standard input"
                                      : fmt::format("file {}", Quoted(arguments.file));
}

// By its ending, where nothing is said.
Result<std::string> FormatOf(const Arguments& arguments) {
  if (arguments.format) return *arguments.format;
  const std::string ending = std::filesystem::path(arguments.file).extension();
  if (ending == ".csv") return "csv";
  if (ending == ".jsonl" || ending == ".ndjson") return "json-lines";
  return Fail(ErrorCode::invalid_argument,
              fmt::format("{}: expected a name that ends with .csv, .jsonl or .ndjson; say "
                          "--format csv or --format json-lines",
                          SourceOf(arguments)));
}

Result<std::unique_ptr<std::ifstream>> OpenFile(const std::string& name) {
  std::error_code error;
  const auto status = std::filesystem::status(name, error);
  if (!std::filesystem::exists(status)) {
    return Fail(ErrorCode::not_found,
                fmt::format("file {}: expected a file, found nothing", Quoted(name)));
  }
  auto file = std::make_unique<std::ifstream>(name, std::ios::binary);
  if (std::filesystem::is_directory(status) || !*file) {
    return Fail(ErrorCode::io_error,
                fmt::format("file {}: expected a file that can be read, found {}", Quoted(name),
                            std::filesystem::is_directory(status) ? "a folder" : "that it cannot"));
  }
  return file;
}

// 0 if that is not known, as of a pipe.
std::uint64_t SizeOf(const std::string& name) {
  std::error_code error;
  const auto size = std::filesystem::file_size(name, error);
  return error ? 0 : size;
}

Result<std::unique_ptr<LineSource>> Lines(std::istream& in, const Arguments& arguments,
                                          const std::string& format) {
  auto lines = format == "csv" ? CsvSource(in, arguments.entry, !arguments.no_header)
                               : JsonLinesSource(in, arguments.entry);
  if (lines) return lines;
  return Fail(lines.error().code(),
              fmt::format("{}: {}", SourceOf(arguments), lines.error().message()));
}

void TellJson(Context& context, const Arguments& arguments, const LoadReport& report) {
  JsonArray problems;
  for (const std::string& problem : report.problems) problems.Add(problem);
  context.out << JsonObject()
                     .Add("index", arguments.name)
                     .Add("lines", report.lines)
                     .Add("added", report.added)
                     .Add("there_already", report.there_already)
                     .Add("without_entry", report.without_entry)
                     .Add("bad_lines", report.bad_lines)
                     .Add("problems", problems)
                     .text()
              << "\n";
}

void Tell(Context& context, const Arguments& arguments, const LoadReport& report) {
  if (context.json) return TellJson(context, arguments, report);
  for (const std::string& problem : report.problems) {
    if (context.quiet) break;
    context.err << fmt::format("talea: passed over: {}\n", problem);
  }
  std::string text = fmt::format("Read {} of {}: {} added", Counted(report.lines, "line"),
                                 SourceOf(arguments), CountedEntries(report.added));
  if (report.there_already != 0) {
    text += fmt::format(", {} there already", FullNumber(report.there_already));
  }
  if (report.without_entry != 0) {
    text += fmt::format(", {} without a value", Counted(report.without_entry, "line"));
  }
  if (report.bad_lines != 0)
    text += fmt::format(", {} in error", Counted(report.bad_lines, "line"));
  context.out << text << ".\n";
}

Status CheckBatch(std::uint64_t batch) {
  if (batch >= 1 && batch <= kMostBatch) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("--batch: expected a number from 1 to {}, found {}", kMostBatch, batch));
}

// Nothing for standard input.
Result<std::unique_ptr<std::ifstream>> OpenInput(const Arguments& arguments) {
  if (FromStandardInput(arguments)) return nullptr;
  return OpenFile(arguments.file);
}

Result<IndexLoader> LoaderFor(const Arguments& arguments, Database& database, IndexStore& indexes) {
  const auto index = TALEA_TRY(DescribeNow(database.engine(), indexes, arguments.name));
  return IndexLoader(
      database, indexes,
      TALEA_TRY(EntryRules::Make(arguments.entry, index, database.engine().limits())),
      {.index = arguments.name,
       .source = SourceOf(arguments),
       .batch = arguments.batch,
       .most_bad_lines = arguments.skip_bad_lines});
}

Result<ExitCode> Load(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckBatch(arguments.batch));
  const std::string format = TALEA_TRY(FormatOf(arguments));
  RowProgressBar progress("load", context, "bytes");  // before all that takes its time: Ctrl-C
  const auto file = TALEA_TRY(OpenInput(arguments));
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  IndexLoader loader = TALEA_TRY(LoaderFor(arguments, *database, indexes));
  const auto lines = TALEA_TRY(Lines(file ? *file : std::cin, arguments, format));
  const std::uint64_t size = file ? SizeOf(arguments.file) : 0;
  const auto proceed = [&] { return progress.Report(lines->bytes(), size); };
  const LoadReport report = TALEA_TRY(loader.Load(*lines, proceed));
  if (!report.finished) {
    context.err << fmt::format(
        "talea: interrupted; {} read, and the same command adds the others: what is there is not "
        "added twice\n",
        Counted(report.lines, "line"));
    return ExitCode::interrupted;
  }
  proceed();
  progress.Finish();
  Tell(context, arguments, report);
  return ExitCode::done;
}

std::vector<Parameter> Parameters(Arguments& arguments) {
  std::vector<Parameter> parameters = {IndexNameParameter(arguments.name),
                                       {.name = "FILE",
                                        .target = &arguments.file,
                                        .help = "The file, or - for standard input",
                                        .required = true,
                                        .completion = Completion::file}};
  for (Parameter& parameter :
       EntryParameters(arguments.entry, "COLUMN", "a column's name or number, or a JSON field")) {
    parameters.push_back(std::move(parameter));
  }
  parameters.push_back({.name = "--format",
                        .target = &arguments.format,
                        .help = "What is in the file (as its name ends, if not given)",
                        .value = "FORMAT",
                        .choices = {"csv", "json-lines"}});
  parameters.push_back({.name = "--no-header",
                        .target = &arguments.no_header,
                        .help = "The first line of a CSV file is one like the others"});
  parameters.push_back({.name = "--batch",
                        .target = &arguments.batch,
                        .help = "How many lines at most go into one commit (1000 if not given)",
                        .value = "N"});
  parameters.push_back({.name = "--skip-bad-lines",
                        .target = &arguments.skip_bad_lines,
                        .help = "Pass over so many lines that are in error (0 if not given)",
                        .value = "N"});
  return parameters;
}

}  // namespace

Command IndexLoadCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "load",
          .summary = "Adds the entries that the lines of a file tell of",
          .examples = {"talea index load people-by-city people.csv --value city --document id",
                       "talea index load people-by-age people.csv --value age --types integer "
                       "--document id",
                       "zcat people.jsonl.gz | talea index load people-by-city - --format "
                       "json-lines --value address.city --document id"},
          .parameters = Parameters(*arguments),
          .run = [arguments](Context& context) { return Load(context, *arguments); }};
}

}  // namespace talea::cli
