#include "cli/verify_report.h"

#include <fmt/format.h>

#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {

std::string ReportForPeople(const VerifyReport& report, const Screen& screen) {
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

JsonObject ReportAsJson(const VerifyReport& report) {
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

}  // namespace talea::cli
