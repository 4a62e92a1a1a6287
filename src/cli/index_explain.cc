// talea index explain: how an estimate is made.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <ostream>

#include "cli/boundary.h"
#include "cli/commands.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "terminal/numbers.h"
#include "terminal/table.h"

namespace talea::cli {
namespace {

std::vector<std::string> EdgeRow(std::string_view name, const Explanation::Edge& edge) {
  return {std::string(name), ShownSpan(edge.lower, edge.upper), FullNumber(edge.count),
          fmt::format("{}{}", edge.exact ? "" : "about ",
                      FullNumber(std::int64_t{std::llround(edge.before)})),
          FullNumber(edge.entries_read)};
}

// What was read for one interval, a line for each part of it.
std::string StepTable(const Explanation::Step& step, const Screen& screen) {
  Table table{.columns = {{"part"},
                          {"bucket"},
                          {"entries", Align::right},
                          {"before the bound", Align::right},
                          {"read", Align::right}},
              .rows = {}};
  if (step.first) table.rows.push_back(EdgeRow("first", *step.first));
  if (step.between != 0) {
    table.rows.push_back(
        {"between", "all that lie in it wholly", FullNumber(step.between), "", ""});
  }
  if (step.last) table.rows.push_back(EdgeRow("last", *step.last));
  if (step.entries_counted != 0) {
    table.rows.push_back({"counted", "the entries themselves", FullNumber(step.entries_counted), "",
                          FullNumber(step.entries_counted)});
  }
  return table.rows.empty() ? "" : DrawTable(table, screen);
}

std::string ForPeople(const Explanation& explanation, const Screen& screen) {
  std::string text = fmt::format("Histogram: {}\n", HistogramArgument(explanation.histogram));
  for (const Explanation::Step& step : explanation.steps) {
    text += "\n" + screen.Bold(ShownSpan(step.interval.lower, step.interval.upper)) + "\n" +
            StepTable(step, screen) +
            fmt::format("{}, from {}\n", ShownEstimate(step.estimate),
                        Counted(step.counters_read, "counter"));
  }
  return text + fmt::format("\nTogether: {}\n", ShownEstimate(explanation.estimate));
}

Json UpperAsJson(const std::optional<std::string>& upper) {
  return upper ? Json(ShownBoundary(*upper)) : Json(nullptr);
}

Json LowerAsJson(const std::string& lower) {
  return lower.empty() ? Json(nullptr) : Json(ShownBoundary(lower));
}

Json EdgeAsJson(const std::optional<Explanation::Edge>& edge) {
  if (!edge) return nullptr;
  return JsonObject()
      .Add("from", LowerAsJson(edge->lower))
      .Add("below", UpperAsJson(edge->upper))
      .Add("entries", edge->count)
      .Add("before", edge->before)
      .Add("entries_read", edge->entries_read)
      .Add("exact", edge->exact);
}

JsonObject AsJson(const Explanation& explanation) {
  JsonArray steps;
  for (const Explanation::Step& step : explanation.steps) {
    steps.Add(JsonObject()
                  .Add("from", LowerAsJson(step.interval.lower))
                  .Add("below", UpperAsJson(step.interval.upper))
                  .Add("first", EdgeAsJson(step.first))
                  .Add("between", step.between)
                  .Add("last", EdgeAsJson(step.last))
                  .Add("counters_read", step.counters_read)
                  .Add("entries_counted", step.entries_counted)
                  .Add("estimate", EstimateAsJson(step.estimate)));
  }
  return JsonObject()
      .Add("histogram", HistogramArgument(explanation.histogram))
      .Add("steps", steps)
      .Add("estimate", EstimateAsJson(explanation.estimate));
}

Result<ExitCode> Explain(Context& context, const EstimateArguments& arguments) {
  const Where where = TALEA_TRY(ParseWhere(arguments.where));
  const auto engine = TALEA_TRY(OpenExisting(context));
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  const Explanation explanation =
      TALEA_TRY(indexes.Explain(*snapshot, arguments.name, where, {.peek = !arguments.no_peek}));
  if (context.json) {
    context.out << AsJson(explanation).text() << "\n";
  } else {
    context.out << ForPeople(explanation, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command IndexExplainCommand() {
  const auto arguments = std::make_shared<EstimateArguments>();
  return {.name = "explain",
          .summary = "Shows which buckets and entries an estimate is made from",
          .examples = {"talea index explain people-by-age --at-least 18 --below 65"},
          .parameters = EstimateParameters(*arguments),
          .run = [arguments](Context& context) { return Explain(context, *arguments); }};
}

}  // namespace talea::cli
