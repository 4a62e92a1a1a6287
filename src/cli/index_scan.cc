// talea index scan: the entries that match, in order.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/element_argument.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
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

// Writes entries as they come, so that a scan of any length needs no memory.
class EntryWriter {
 public:
  explicit EntryWriter(Context& context) : context_(context) {}

  void Begin(const std::string& index) {
    if (!context_.json) return;
    context_.out << fmt::format(R"({{"index":{},"entries":[)", Json(index).text());
  }

  void Write(const IndexEntry& entry) {
    if (context_.json) {
      context_.out << (count_ == 0 ? "" : ",")
                   << JsonObject()
                          .Add("value", TupleArgument(entry.value))
                          .Add("document", ElementArgument(entry.document))
                          .text();
    } else {
      context_.out << ShownTuple(entry.value) << ": " << ShownElement(entry.document) << "\n";
    }
    ++count_;
  }

  void End(bool more) {
    if (context_.json) {
      context_.out << fmt::format(R"(],"more":{}}})", more) << "\n";
    } else if (more && !context_.quiet) {
      context_.out.flush();
      context_.err << fmt::format("talea: these are the first {}; --limit shows more\n",
                                  CountedEntries(count_));
    }
  }

  std::uint64_t count() const { return count_; }

 private:
  Context& context_;
  std::uint64_t count_ = 0;
};

Result<ExitCode> Scan(Context& context, const Arguments& arguments) {
  const Where where = TALEA_TRY(ParseWhere(arguments.where));
  const auto engine = TALEA_TRY(OpenExisting(context));
  IndexStore indexes(*engine);
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  TALEA_TRY(indexes.Describe(*snapshot, arguments.name));  // before anything is written
  EntryWriter writer(context);
  writer.Begin(arguments.name);
  bool more = false;
  const auto visit = [&](const IndexEntry& entry) {
    more = arguments.limit != 0 && writer.count() == arguments.limit;
    if (!more) writer.Write(entry);
    return !more;
  };
  TALEA_TRY(indexes.Scan(*snapshot, arguments.name, where, visit, arguments.reverse));
  writer.End(more);
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
