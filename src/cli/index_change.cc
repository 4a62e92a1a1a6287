// talea index change: another histogram.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  std::string histogram;
};

Result<ExitCode> Change(Context& context, const Arguments& arguments) {
  const Histogram histogram = TALEA_TRY(ParseHistogram(arguments.histogram));
  RowWork work("change", context, "entries");  // first, as it is what hears Ctrl-C
  const auto database = TALEA_TRY(OpenToWrite(context));
  IndexStore indexes(database->engine());
  const Status changed = indexes.Change(arguments.name, histogram, work.Progress());
  if (!changed && work.stopped()) {
    context.err << fmt::format(
        "talea: interrupted; index {} is as it was, and the same command goes on from here\n",
        Quoted(arguments.name));
    return ExitCode::interrupted;
  }
  TALEA_TRY(changed);
  work.Finish();
  if (context.json) {
    context.out << JsonObject()
                       .Add("index", arguments.name)
                       .Add("histogram", HistogramArgument(histogram))
                       .text()
                << "\n";
  } else {
    context.out << fmt::format("Index {} is counted by a histogram of the kind {} now.\n",
                               Quoted(arguments.name), HistogramArgument(histogram));
  }
  return ExitCode::done;
}

}  // namespace

Command IndexChangeCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "change",
          .summary = "Has an index counted by another histogram; can be interrupted and goes on",
          .examples = {"talea index change people-by-city fixed:3",
                       "talea index change people-by-city learned"},
          .parameters = {IndexNameParameter(arguments->name),
                         {.name = "HISTOGRAM",
                          .target = &arguments->histogram,
                          .help = "learned, or fixed:1 to fixed:8",
                          .required = true}},
          .run = [arguments](Context& context) { return Change(context, *arguments); }};
}

}  // namespace talea::cli
