// talea index scan: the entries that match, in order.
#include <memory>

#include "cli/commands.h"
#include "cli/element_argument.h"
#include "cli/index_arguments.h"
#include "cli/list_writer.h"
#include "cli/open.h"
#include "cli/where_arguments.h"
#include "json/json.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  WhereArguments where;
  std::uint64_t limit = 100;
  bool reverse = false;
};

void Write(ListWriter& writer, const IndexEntry& entry) {
  writer.Write(
      [&] {
        return JsonObject()
            .Add("value", TupleArgument(entry.value))
            .Add("document", ElementArgument(entry.document));
      },
      [&] { return ShownTuple(entry.value) + ": " + ShownElement(entry.document); });
}

Result<ExitCode> Scan(Context& context, const Arguments& arguments) {
  const Where where = TALEA_TRY(ParseWhere(arguments.where));
  const auto engine = TALEA_TRY(OpenExisting(context));
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  TALEA_TRY(indexes.Describe(*snapshot, arguments.name));  // before anything is written
  ListWriter writer(context, "entry", "entries", arguments.limit);
  writer.Begin(JsonObject().Add("index", arguments.name));
  const auto visit = [&](const IndexEntry& entry) {
    if (writer.Full()) return false;
    Write(writer, entry);
    return true;
  };
  TALEA_TRY(indexes.Scan(*snapshot, arguments.name, where, visit, arguments.reverse));
  writer.End();
  return ExitCode::done;
}

}  // namespace

Command IndexScanCommand() {
  const auto arguments = std::make_shared<Arguments>();
  std::vector<Parameter> parameters = WhereParameters(arguments->where);
  parameters.insert(parameters.begin(), IndexNameParameter(arguments->name));
  parameters.push_back({.name = "--limit",
                        .target = &arguments->limit,
                        .help = "At most so many entries (100 if not given); 0 for all",
                        .value = "N"});
  parameters.push_back({.name = "--reverse",
                        .target = &arguments->reverse,
                        .help = "From the last entry to the first"});
  return {.name = "scan",
          .summary = "Shows the entries that match, in the order of their values",
          .examples = {"talea index scan people-by-city --equal London",
                       "talea index scan people-by-age --reverse --limit 10"},
          .parameters = std::move(parameters),
          .run = [arguments](Context& context) { return Scan(context, *arguments); }};
}

}  // namespace talea::cli
