// talea verify: reads every row, and lists what is not as it should be.
#include "talea/verify.h"

#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/open.h"
#include "cli/row_progress.h"
#include "json/json.h"
#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {
namespace {

std::string ForPeople(const VerifyReport& report, const Screen& screen) {
  Table table{.columns = {{"keyspace"},
                          {"rows", Align::right},
                          {"bytes", Align::right},
                          {"problems", Align::right},
                          {"digest"}},
              .rows = {}};
  for (const KeyspaceReport& part : report.keyspaces) {
    table.rows.push_back({std::string(part.keyspace.name), FullNumber(part.rows),
                          ShortBytes(static_cast<double>(part.bytes)),
                          FullNumber(part.problem_count), part.digest});
  }
  std::string text = DrawTable(table, screen) + "\n";
  for (const KeyspaceReport& part : report.keyspaces) {
    for (const std::string& problem : part.problems) {
      text += screen.Alarming("problem: ") + problem + "\n";
    }
    if (part.problem_count > part.problems.size()) {
      text += fmt::format("problem: keyspace {}: {} more\n", Quoted(part.keyspace.name),
                          FullNumber(part.problem_count - part.problems.size()));
    }
  }
  const std::uint64_t problems = report.problem_count();
  return text + (problems == 0 ? "All is well.\n" : Counted(problems, "problem") + " found.\n");
}

JsonObject AsJson(const VerifyReport& report) {
  JsonArray keyspaces;
  for (const KeyspaceReport& part : report.keyspaces) {
    JsonArray problems;
    for (const std::string& problem : part.problems) problems.Add(problem);
    keyspaces.Add(JsonObject()
                      .Add("name", part.keyspace.name)
                      .Add("rows", part.rows)
                      .Add("bytes", part.bytes)
                      .Add("digest", part.digest.empty() ? Json(nullptr) : Json(part.digest))
                      .Add("problem_count", part.problem_count)
                      .Add("problems", problems));
  }
  return JsonObject()
      .Add("version", report.version.number)
      .Add("well", report.well())
      .Add("keyspaces", keyspaces);
}

Result<ExitCode> Verify(Context& context) {
  RowProgressBar progress("verify", context);  // first, as it is what hears Ctrl-C
  const auto engine = TALEA_TRY(OpenExisting(context));
  const std::uint64_t expected = EstimatedRows(*engine);
  const VerifyReport report = TALEA_TRY(VerifyDatabase(
      *engine, [&](std::uint64_t done, std::uint64_t) { return progress.Report(done, expected); }));
  progress.Finish();
  if (!report.finished) {
    context.err << "talea: verify was interrupted; nothing was changed, and nothing is known\n";
    return ExitCode::interrupted;
  }
  if (context.json) {
    context.out << AsJson(report).text() << "\n";
  } else {
    context.out << ForPeople(report, context.screen);
  }
  return report.well() ? ExitCode::done : ExitCode::no;
}

}  // namespace

Command VerifyCommand() {
  return {
      .name = "verify",
      .summary = "Reads every row and checks it; ends with 3 if anything is wrong",
      .examples = {"talea --db rocksdb:/var/lib/visits verify", "talea verify --json | jq .well"},
      .parameters = {},
      .run = Verify};
}

}  // namespace talea::cli
