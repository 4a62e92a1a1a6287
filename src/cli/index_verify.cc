// talea index verify: counts every entry, and compares.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/bytes.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
};

struct Verdict {
  IndexInformation index;
  std::string problem;  // empty if there is none
};

Result<std::vector<IndexInformation>> Named(IndexStore& indexes, Reader& reader,
                                            const std::string& name) {
  if (name.empty()) return indexes.List(reader);
  return std::vector { TALEA_TRY(indexes.Describe(reader, name)) };
}

void Tell(Context& context, const std::vector<Verdict>& verdicts, bool well) {
  JsonArray array;
  for (const auto& [index, problem] : verdicts) {
    const Json told = problem.empty() ? Json(nullptr) : Json(problem);
    array.Add(
        JsonObject().Add("name", index.name).Add("entries", index.entries).Add("problem", told));
    if (context.json) continue;
    context.out << (problem.empty() ? fmt::format("index {}: {} counted, as its histogram says\n",
                                                  Quoted(index.name), CountedEntries(index.entries))
                                    : context.screen.Alarming("problem: ") + problem + "\n");
  }
  if (context.json) {
    context.out << JsonObject().Add("well", well).Add("indexes", array).text() << "\n";
  } else {
    context.out << (verdicts.empty() ? "No indexes.\n" : well ? "\nAll is well.\n" : "");
  }
}

Result<ExitCode> Verify(Context& context, const Arguments& arguments) {
  RowWork work("verify", context, "entries");  // first, as it is what hears Ctrl-C
  const auto engine = TALEA_TRY(OpenExisting(context));
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  std::vector<Verdict> verdicts;
  bool well = true;
  for (IndexInformation& index : TALEA_TRY(Named(indexes, *snapshot, arguments.name))) {
    work.Next(fmt::format("verify {}", Quoted(index.name)));
    const Status verified = indexes.Verify(*snapshot, index.name, work.Progress());
    if (!verified && work.stopped()) {
      context.err << "talea: verify was interrupted; nothing was changed, and nothing is known\n";
      return ExitCode::interrupted;
    }
    const bool damaged = !verified && verified.error().code() == ErrorCode::corruption;
    if (!damaged) TALEA_TRY(verified);
    well = well && !damaged;
    verdicts.push_back({std::move(index), damaged ? verified.error().message() : ""});
  }
  work.Finish();
  Tell(context, verdicts, well);
  return well ? ExitCode::done : ExitCode::no;
}

}  // namespace

Command IndexVerifyCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "verify",
          .summary = "Counts every entry and compares; ends with 3 if a histogram is wrong",
          .examples = {"talea index verify", "talea index verify people-by-city --json"},
          .parameters = {IndexNameParameter(arguments->name, false)},
          .run = [arguments](Context& context) { return Verify(context, *arguments); }};
}

}  // namespace talea::cli
