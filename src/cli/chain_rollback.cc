// talea chain rollback: takes blocks back, newest first.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <ostream>

#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/open.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/chain.h"
#include "talea/database.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::optional<std::string> point;
  std::optional<std::uint64_t> steps;
  bool yes = false;
};

Status CheckArguments(const Arguments& arguments) {
  if (arguments.point.has_value() != arguments.steps.has_value()) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("POINT: expected a point or --steps, found {}",
                          arguments.point ? "both" : "neither"));
}

// How many steps are meant; not_found if they cannot be taken back.
Result<std::uint64_t> StepsMeant(const ChainStore& store, const Arguments& arguments,
                                 const ChainView& view) {
  if (arguments.point) {
    return store.CountStepsSince(TALEA_TRY(ParseCursor("POINT", *arguments.point)));
  }
  const ChainStatistics statistics = TALEA_TRY(view.Statistics());
  if (*arguments.steps <= statistics.undo_steps) return *arguments.steps;
  return Fail(ErrorCode::not_found,
              fmt::format("--steps: expected at most {}, as many as can be taken back, found {}",
                          FullNumber(statistics.undo_steps), FullNumber(*arguments.steps)));
}

// Somebody has to have seen what will be gone.
Status CheckMeant(const Arguments& arguments, std::uint64_t steps, const ChainView& view) {
  if (arguments.yes || steps == 0) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("rollback: this takes back {} in every layer, the newest at {}, and "
                          "only applying them again brings them back; say --yes to do it",
                          Counted(steps, "step"), Describe(view.cursor())));
}

void Tell(Context& context, std::uint64_t steps, const Cursor& cursor) {
  if (context.json) {
    context.out << JsonObject().Add("steps", steps).Add("cursor", CursorAsJson(cursor)).text()
                << "\n";
  } else if (!context.quiet) {
    context.out << fmt::format("Took back {}: the ledger is at {}.\n", Counted(steps, "step"),
                               Describe(cursor));
  }
}

Result<ExitCode> Rollback(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckArguments(arguments));
  if (arguments.point) TALEA_TRY(ParseCursor("POINT", *arguments.point));
  RowWork work("rollback", context, "steps");  // first, as it is what hears Ctrl-C
  const auto database = TALEA_TRY(OpenToWrite(context));
  ChainStore store(database->engine());
  const ChainView before = TALEA_TRY(store.Open());
  const std::uint64_t steps = TALEA_TRY(StepsMeant(store, arguments, before));
  TALEA_TRY(CheckMeant(arguments, steps, before));
  const std::uint64_t taken = TALEA_TRY(store.RollBackBy(steps, work.Progress()));
  const ChainView after = TALEA_TRY(store.Open());
  if (taken < steps) {
    context.err << fmt::format("talea: interrupted; {} of {} taken back, and the ledger is at {}\n",
                               FullNumber(taken), Counted(steps, "step"), Describe(after.cursor()));
    return ExitCode::interrupted;
  }
  work.Finish();
  Tell(context, taken, after.cursor());
  return ExitCode::done;
}

}  // namespace

Command ChainRollbackCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "rollback",
          .summary = "Takes steps back, newest first, with all that they did in other layers",
          .examples = {"talea chain rollback 4492800.HASH --yes",
                       "talea chain rollback --steps 3 --yes", "talea chain rollback none --yes"},
          .parameters = {{.name = "POINT",
                          .target = &arguments->point,
                          .help = "Where the ledger is to be; none for the beginning"},
                         {.name = "--steps",
                          .target = &arguments->steps,
                          .help = "So many steps, instead",
                          .value = "N"},
                         {.name = "--yes",
                          .target = &arguments->yes,
                          .help = "Really: without it this only tells how many steps there are"}},
          .run = [arguments](Context& context) { return Rollback(context, *arguments); }};
}

}  // namespace talea::cli
