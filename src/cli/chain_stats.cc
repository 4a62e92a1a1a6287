// talea chain stats: where a ledger is, and how much is in it.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "json/json.h"
#include "terminal/numbers.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::optional<std::string> at;
};

JsonObject AsJson(const ChainStatistics& statistics) {
  JsonArray namespaces;
  for (const NamespaceInformation& information : statistics.namespaces) {
    namespaces.Add(JsonObject()
                       .Add("name", information.name)
                       .Add("entities", information.entities)
                       .Add("values", information.values));
  }
  const JsonObject undo = JsonObject()
                              .Add("steps", statistics.undo_steps)
                              .Add("oldest", CursorAsJson(statistics.oldest));
  return JsonObject()
      .Add("cursor", CursorAsJson(statistics.cursor))
      .Add("outputs", statistics.outputs)
      .Add("coin", statistics.coin)
      .Add("namespaces", namespaces)
      .Add("undo", undo)
      .Add("staged", statistics.staged);
}

std::string ShownUndo(const ChainStatistics& statistics) {
  if (statistics.undo_steps == 0) return "no steps";
  return fmt::format("{}, back to {}", Counted(statistics.undo_steps, "step"),
                     Describe(statistics.oldest));
}

std::string ForPeople(const ChainStatistics& statistics, const Screen& screen) {
  Table facts{.columns = {{}, {}},
              .rows = {{"Cursor", Describe(statistics.cursor)},
                       {"Outputs", FullNumber(statistics.outputs)},
                       {"Coin", FullNumber(statistics.coin)},
                       {"Undo", ShownUndo(statistics)}}};
  if (statistics.staged) {
    facts.rows.push_back({"Staged", "a large batch is in, and not moved to its place yet"});
  }
  if (statistics.namespaces.empty()) return DrawWhole(facts, screen);
  Table namespaces{.columns = {{"namespace"}, {"entities", Align::right}, {"values", Align::right}},
                   .rows = {}};
  for (const auto& [name, entities, values] : statistics.namespaces) {
    namespaces.rows.push_back({Showable(name), FullNumber(entities), FullNumber(values)});
  }
  return DrawWhole(facts, screen) + "\n" + DrawWhole(namespaces, screen);
}

Result<ExitCode> Stats(Context& context, const Arguments& arguments) {
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const ChainStatistics statistics = TALEA_TRY(ledger.view.Statistics());
  if (context.json) {
    context.out << AsJson(statistics).text() << "\n";
  } else if (statistics == ChainStatistics{}) {
    context.out << "No ledger.\n";
  } else {
    context.out << ForPeople(statistics, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command ChainStatsCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "stats",
          .summary = "Shows where a ledger is, how much is in it, and how far back it can go",
          .examples = {"talea chain stats", "talea chain stats --json | jq -r .cursor",
                       "talea chain stats --at 4492800.HASH"},
          .parameters = {AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return Stats(context, *arguments); }};
}

}  // namespace talea::cli
