// talea verify: reads every row, and lists what is not as it should be.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/json.h"
#include "cli/open.h"
#include "cli/row_progress.h"
#include "cli/verify_keyspace.h"
#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {
namespace {

std::vector<KeyspaceReport> VerifyAll(Engine& engine, Snapshot& snapshot,
                                      RowProgressBar& progress) {
  const std::uint64_t total = EstimatedRows(engine);
  std::uint64_t done = 0;
  std::vector<KeyspaceReport> reports;
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    if (progress.interrupted()) break;
    reports.push_back(VerifyKeyspace(snapshot, keyspace, [&](std::uint64_t rows) {
      done += rows;
      return progress.Report(done, total);
    }));
  }
  progress.Finish();
  return reports;
}

std::uint64_t Problems(const std::vector<KeyspaceReport>& reports) {
  std::uint64_t problems = 0;
  for (const KeyspaceReport& report : reports) problems += report.problem_count;
  return problems;
}

std::string ForPeople(const std::vector<KeyspaceReport>& reports, const Screen& screen) {
  Table table{.columns = {{"keyspace"},
                          {"rows", Align::right},
                          {"bytes", Align::right},
                          {"problems", Align::right},
                          {"digest"}},
              .rows = {}};
  for (const KeyspaceReport& report : reports) {
    table.rows.push_back({std::string(report.keyspace->name), FullNumber(report.rows),
                          ShortBytes(static_cast<double>(report.bytes)),
                          FullNumber(report.problem_count), report.digest});
  }
  std::string text = DrawTable(table, screen) + "\n";
  for (const KeyspaceReport& report : reports) {
    for (const std::string& problem : report.problems) {
      text += screen.Alarming("problem: ") + problem + "\n";
    }
    if (report.problem_count > report.problems.size()) {
      text += fmt::format("problem: keyspace {}: {} more\n", Quoted(report.keyspace->name),
                          FullNumber(report.problem_count - report.problems.size()));
    }
  }
  const std::uint64_t problems = Problems(reports);
  return text + (problems == 0 ? "All is well.\n" : Counted(problems, "problem") + " found.\n");
}

JsonObject AsJson(Version version, const std::vector<KeyspaceReport>& reports) {
  JsonArray keyspaces;
  for (const KeyspaceReport& report : reports) {
    JsonArray problems;
    for (const std::string& problem : report.problems) problems.Add(problem);
    keyspaces.Add(JsonObject()
                      .Add("name", report.keyspace->name)
                      .Add("rows", report.rows)
                      .Add("bytes", report.bytes)
                      .Add("digest", report.digest.empty() ? Json(nullptr) : Json(report.digest))
                      .Add("problem_count", report.problem_count)
                      .Add("problems", problems));
  }
  return JsonObject()
      .Add("version", version.number)
      .Add("well", Problems(reports) == 0)
      .Add("keyspaces", keyspaces);
}

Result<ExitCode> Verify(Context& context) {
  RowProgressBar progress("verify", context);  // first, as it is what hears Ctrl-C
  const auto engine = TALEA_TRY(OpenExisting(context));
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  const auto reports = VerifyAll(*engine, *snapshot, progress);
  if (progress.interrupted()) {
    context.err << "talea: verify was interrupted; nothing was changed, and nothing is known\n";
    return ExitCode::interrupted;
  }
  if (context.json) {
    context.out << AsJson(snapshot->version(), reports).text() << "\n";
  } else {
    context.out << ForPeople(reports, context.screen);
  }
  return Problems(reports) == 0 ? ExitCode::done : ExitCode::no;
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
