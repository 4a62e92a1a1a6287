#include "cli/index_table.h"

#include <fmt/format.h>

#include <ostream>

#include "cli/index_arguments.h"
#include "terminal/numbers.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

std::string AsTable(const std::vector<IndexInformation>& all, const Screen& screen) {
  Table table{.columns = {{"index"},
                          {"entries", Align::right},
                          {"histogram"},
                          {"elements", Align::right},
                          {"peek cap", Align::right},
                          {"state"}},
              .rows = {}};
  for (const IndexInformation& index : all) {
    table.rows.push_back({Showable(index.name), FullNumber(index.entries),
                          HistogramArgument(index.options.histogram),
                          FullNumber(std::uint64_t{index.options.elements}),
                          FullNumber(std::uint64_t{index.options.peek_cap}), StateOf(index)});
  }
  return table.rows.empty() ? "No indexes.\n" : DrawTable(table, screen);
}

}  // namespace

std::string StateOf(const IndexInformation& index) {
  if (index.building) return "not built yet";
  if (!index.next_histogram) return "ready";
  return fmt::format("ready, changing to {}", HistogramArgument(*index.next_histogram));
}

JsonObject IndexAsJson(const IndexInformation& index) {
  const Json next =
      index.next_histogram ? Json(HistogramArgument(*index.next_histogram)) : Json(nullptr);
  return JsonObject()
      .Add("name", index.name)
      .Add("entries", index.entries)
      .Add("histogram", HistogramArgument(index.options.histogram))
      .Add("elements", index.options.elements)
      .Add("peek_cap", index.options.peek_cap)
      .Add("building", index.building)
      .Add("next_histogram", next);
}

Status ShowIndexes(Context& context, Engine& engine) {
  IndexStore indexes(engine);
  const auto snapshot = TALEA_TRY(engine.OpenSnapshot());
  const std::vector<IndexInformation> all = TALEA_TRY(indexes.List(*snapshot));
  if (!context.json) {
    context.out << AsTable(all, context.screen);
    return {};
  }
  JsonArray array;
  for (const IndexInformation& index : all) array.Add(IndexAsJson(index));
  context.out << JsonObject().Add("indexes", array).text() << "\n";
  return {};
}

}  // namespace talea::cli
