// talea index stats: what values an index has.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/element_argument.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/index_chart.h"
#include "cli/index_table.h"
#include "cli/open.h"
#include "json/json.h"
#include "terminal/bar_chart.h"
#include "terminal/numbers.h"
#include "terminal/table.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

constexpr std::size_t kMostCommonShown = 10;

struct Arguments {
  std::string name;
};

struct IndexStatistics {
  IndexInformation index;
  std::size_t buckets = 0;
  CountEstimate distinct;
  NullShare nulls;
  CommonValues common;
  IndexChart chart;
};

Result<IndexStatistics> Collect(IndexStore& indexes, Reader& reader, IndexInformation index) {
  IndexStatistics statistics;
  const std::string name = index.name;
  statistics.buckets = TALEA_TRY(indexes.Buckets(reader, name))
  .size();
  statistics.distinct = TALEA_TRY(indexes.Distinct(reader, name));
  statistics.nulls = TALEA_TRY(indexes.NullFraction(reader, name));
  statistics.common = TALEA_TRY(indexes.MostCommon(reader, name, kMostChartBars));
  statistics.chart = TALEA_TRY(ChartOf(indexes, reader, name, statistics.common));
  statistics.index = std::move(index);
  return statistics;
}

std::string Percent(double fraction) { return fmt::format("{} %", ShortNumber(fraction * 100)); }

std::vector<std::vector<std::string>> Facts(const IndexInformation& index) {
  return {{"Index", Showable(index.name)},
          {"State", StateOf(index)},
          {"Histogram", fmt::format("{}, peek cap {}", HistogramArgument(index.options.histogram),
                                    FullNumber(std::uint64_t{index.options.peek_cap}))},
          {"Entries", FullNumber(index.entries)}};
}

// Of those that are not shown.
std::uint64_t OthersHaveAtMost(const CommonValues& common) {
  const auto& values = common.values;
  const std::uint64_t next =
      values.size() > kMostCommonShown ? values[kMostCommonShown].entries : 0;
  return std::max(next, common.others_have_at_most);
}

// The values that stand out, unless all of them are drawn anyway.
std::string DrawCommon(const IndexStatistics& statistics, const Screen& screen) {
  std::vector<Bar> bars;
  for (const CommonValue& value : statistics.common.values) {
    if (bars.size() == kMostCommonShown || value.entries < 2) break;
    bars.push_back(
        {ShownTuple(value.value), static_cast<double>(value.entries), FullNumber(value.entries)});
  }
  if (bars.empty() || statistics.common.others_have_at_most == 0) return {};
  return "\n" + screen.Bold("Most common values") + "\n" + DrawBarChart(bars, screen) +
         fmt::format("others have at most {}\n", FullNumber(OthersHaveAtMost(statistics.common)));
}

std::string ForPeople(const IndexStatistics& statistics, const Screen& screen) {
  Table table{.columns = {{}, {}}, .rows = Facts(statistics.index)};
  table.rows.push_back({"Distinct", ShownEstimate(statistics.distinct, "value", "values")});
  table.rows.push_back({"Null", Percent(statistics.nulls.fraction)});
  table.rows.push_back({"Buckets", FullNumber(std::uint64_t{statistics.buckets})});
  std::string text = DrawTable(table, screen) + DrawCommon(statistics, screen);
  if (statistics.chart.bars.empty()) return text;
  return text + "\n" + screen.Bold(statistics.chart.title) + "\n" +
         DrawBarChart(statistics.chart.bars, screen);
}

JsonObject AsJson(const IndexStatistics& statistics) {
  JsonArray common;
  for (const CommonValue& value : statistics.common.values) {
    common.Add(JsonObject().Add("value", TupleArgument(value.value)).Add("entries", value.entries));
  }
  JsonArray bars;
  for (const Bar& bar : statistics.chart.bars) {
    bars.Add(JsonObject().Add("label", bar.label).Add("entries", bar.value));
  }
  return IndexAsJson(statistics.index)
      .Add("buckets", statistics.buckets)
      .Add("distinct", EstimateAsJson(statistics.distinct))
      .Add("nulls", EstimateAsJson(statistics.nulls.entries))
      .Add("null_fraction", statistics.nulls.fraction)
      .Add("most_common", common)
      .Add("others_have_at_most", statistics.common.others_have_at_most)
      .Add("chart", JsonObject().Add("title", statistics.chart.title).Add("bars", bars));
}

// There is nothing to say of its values before all are there.
void TellUnbuilt(Context& context, const IndexInformation& index) {
  if (context.json) {
    context.out << IndexAsJson(index).text() << "\n";
  } else {
    context.out << DrawTable({.columns = {{}, {}}, .rows = Facts(index)}, context.screen);
  }
}

Result<ExitCode> Stats(Context& context, const Arguments& arguments) {
  const auto engine = TALEA_TRY(OpenExisting(context));
  if (arguments.name.empty()) {
    TALEA_TRY(ShowIndexes(context, *engine));
    return ExitCode::done;
  }
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  IndexInformation index = TALEA_TRY(indexes.Describe(*snapshot, arguments.name));
  if (index.building) {
    TellUnbuilt(context, index);
    return ExitCode::done;
  }
  const auto statistics = TALEA_TRY(Collect(indexes, *snapshot, std::move(index)));
  if (context.json) {
    context.out << AsJson(statistics).text() << "\n";
  } else {
    context.out << ForPeople(statistics, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command IndexStatsCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "stats",
          .summary = "Shows how many values an index has, and how they are spread",
          .examples = {"talea index stats", "talea index stats people-by-city",
                       "talea index stats people-by-city --json | jq .distinct.estimate"},
          .parameters = {IndexNameParameter(arguments->name, false)},
          .run = [arguments](Context& context) { return Stats(context, *arguments); }};
}

}  // namespace talea::cli
