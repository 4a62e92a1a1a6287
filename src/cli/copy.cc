// talea copy: every row, from any engine to any other.
#include "talea/copy.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "cli/commands.h"
#include "cli/row_progress.h"
#include "json/json.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string target;
};

void TellReport(const Context& context, const Arguments& arguments, const CopyReport& report) {
  if (context.json) {
    context.out << JsonObject()
                       .Add("target", arguments.target)
                       .Add("rows", report.rows)
                       .Add("resumed", report.resumed)
                       .Add("digest", report.digest)
                       .text()
                << "\n";
    return;
  }
  const std::string resumed = report.resumed == 0 ? ""
                                                  : fmt::format(", {} of them from an earlier run",
                                                                FullNumber(report.resumed));
  context.out << fmt::format("Copied {} to {}{}; both were read again and are equal.\nDigest {}\n",
                             Counted(report.rows, "row"), arguments.target, resumed, report.digest);
}

Result<ExitCode> Copy(Context& context, const Arguments& arguments) {
  RowProgressBar progress("copy", context);  // first, as it is what hears Ctrl-C
  const auto [source, target] = TALEA_TRY(OpenCopy(context.location, arguments.target));
  const std::uint64_t expected = EstimatedRows(*source);
  std::optional<std::uint64_t> before;  // rows that an earlier run has copied
  const CopyReport report =
      TALEA_TRY(CopyDatabase(*source, *target, [&](std::uint64_t done, std::uint64_t total) {
        if (!before) before = done;
        if (total == 0)
          return progress.Report(done - *before, expected - std::min(*before, expected));
        progress.Next("compare");  // all are copied, and half of the total is to come
        return progress.Report(done - total / 2, total / 2);
      }));
  if (report.finished) progress.Report(report.rows, report.rows);
  progress.Finish();
  if (!report.finished) {
    context.err << fmt::format(
        "talea: interrupted; {} holds the beginning of the copy, and the same command goes on from "
        "there\n",
        arguments.target);
    return ExitCode::interrupted;
  }
  TellReport(context, arguments, report);
  return ExitCode::done;
}

}  // namespace

Command CopyCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "copy",
          .summary = "Copies a database to a new one of any kind; can be interrupted and goes on",
          .examples = {"talea --db rocksdb:/var/lib/visits copy rocksdb:/mnt/visits",
                       "talea --db rocksdb:/var/lib/visits copy 'rocksdb:/mnt/all?tenant=visits'"},
          .parameters = {{.name = "TARGET",
                          .target = &arguments->target,
                          .help = "The location to copy to: empty, or the beginning of this copy",
                          .required = true,
                          .completion = Completion::location}},
          .run = [arguments](Context& context) { return Copy(context, *arguments); }};
}

}  // namespace talea::cli
