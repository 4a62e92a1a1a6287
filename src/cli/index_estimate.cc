// talea index estimate: how many entries match.
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/open.h"

namespace talea::cli {
namespace {

Result<ExitCode> Estimate(Context& context, const EstimateArguments& arguments) {
  const Where where = TALEA_TRY(ParseWhere(arguments.where));
  const auto engine = TALEA_TRY(OpenExisting(context));
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  const CountEstimate count =
      TALEA_TRY(indexes.Estimate(*snapshot, arguments.name, where, {.peek = !arguments.no_peek}));
  if (context.json) {
    context.out << EstimateAsJson(count).text() << "\n";
  } else {
    context.out << ShownEstimate(count) << "\n";
  }
  return ExitCode::done;
}

}  // namespace

Command IndexEstimateCommand() {
  const auto arguments = std::make_shared<EstimateArguments>();
  return {.name = "estimate",
          .summary = "Tells how many entries match, without reading them all",
          .examples = {"talea index estimate people-by-city --equal London",
                       "talea index estimate people-by-age --at-least 18 --below 65",
                       "talea index estimate people-by-age --above null --below 18",
                       "talea index estimate people-by-city --in London --in Paris --not"},
          .parameters = EstimateParameters(*arguments),
          .run = [arguments](Context& context) { return Estimate(context, *arguments); }};
}

}  // namespace talea::cli
