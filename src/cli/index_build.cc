// talea index build: entries for rows that exist.
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <set>

#include "cli/commands.h"
#include "cli/entry_rules.h"
#include "cli/estimates.h"
#include "cli/index_arguments.h"
#include "cli/open.h"
#include "cli/row_expression.h"
#include "cli/row_work.h"
#include "json/json.h"
#include "talea/bytes.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  std::string from;
  EntryArguments entry{.document = "key"};
  std::uint64_t skip_bad_rows = 0;
};

// Makes the entries of rows, and tolerates some of which it cannot.
class EntryMaker {
 public:
  EntryMaker(RowFinder finder, EntryRules rules, std::uint64_t most_bad_rows)
      : finder_(std::move(finder)), rules_(std::move(rules)), most_bad_rows_(most_bad_rows) {}

  Result<std::vector<IndexEntry>> Make(const Row& row) {
    Result<std::optional<IndexEntry>> entry = MakeOne(row);
    if (!entry) {
      bad_rows_.emplace(row.key);  // by key, as the same row may come again
      gave_up_ = bad_rows_.size() > most_bad_rows_;
      if (gave_up_) return std::unexpected(entry.error());
    }
    std::vector<IndexEntry> entries;
    if (entry && *entry) entries.push_back(**std::move(entry));
    return entries;
  }

  std::uint64_t bad_rows() const { return bad_rows_.size(); }
  bool gave_up() const { return gave_up_; }  // as there were more of them than it tolerates

 private:
  // A row that is wrong is a fact about what is stored, and not about the command line.
  Result<std::optional<IndexEntry>> MakeOne(const Row& row) {
    Result<FoundEntry> found = finder_.Find(row);
    if (!found) return Fail(ErrorCode::precondition_failed, found.error().message());
    Result<std::optional<IndexEntry>> entry = rules_.Apply(*std::move(found));
    if (entry) return entry;
    return Fail(ErrorCode::precondition_failed,
                fmt::format("key {}: {}", Quoted(row.key), entry.error().message()));
  }

  RowFinder finder_;
  EntryRules rules_;
  std::uint64_t most_bad_rows_;
  std::set<std::string, std::less<>> bad_rows_;
  bool gave_up_ = false;
};

Status CheckSource(const Keyspace& keyspace) {
  if (keyspace.id >= kFirstUserKeyspaceId) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("keyspace {}: expected one that a program has brought, found one of "
                          "Talea's own",
                          Quoted(keyspace.name)));
}

Result<EntryMaker> MakerFor(const Arguments& arguments, const Keyspace& keyspace, Engine& engine,
                            IndexStore& indexes) {
  TALEA_TRY(CheckSource(keyspace));
  const auto index = TALEA_TRY(DescribeNow(engine, indexes, arguments.name));
  return EntryMaker(TALEA_TRY(RowFinder::Make(keyspace, arguments.entry)),
                    TALEA_TRY(EntryRules::Make(arguments.entry, index, engine.limits())),
                    arguments.skip_bad_rows);
}

void Tell(Context& context, const Arguments& arguments, const IndexInformation& index,
          std::uint64_t bad_rows) {
  if (context.json) {
    context.out << JsonObject()
                       .Add("index", index.name)
                       .Add("entries", index.entries)
                       .Add("bad_rows", bad_rows)
                       .text()
                << "\n";
    return;
  }
  const std::string without =
      bad_rows == 0 ? ""
                    : fmt::format(", without {} that {} in error", Counted(bad_rows, "row"),
                                  bad_rows == 1 ? "is" : "are");
  context.out << fmt::format("Built index {} from keyspace {}{}: it has {}.\n", Quoted(index.name),
                             Quoted(arguments.from), without, CountedEntries(index.entries));
}

// What to do about a row that is in error; the index may be half built by then.
std::unexpected<Error> Advised(const Error& error, bool half_built) {
  return Fail(error.code(),
              error.message() + (half_built ? "; the index is not built yet: the same "
                                              "command goes on, --skip-bad-rows tolerates "
                                              "some, and with other parts drop the index "
                                              "first"
                                            : "; --skip-bad-rows tolerates some"));
}

Result<ExitCode> Build(Context& context, const Arguments& arguments) {
  RowWork work("build", context, "rows");  // first, as it is what hears Ctrl-C
  const auto database = TALEA_TRY(OpenToWrite(context));
  Engine& engine = database->engine();
  IndexStore indexes(engine);
  const Keyspace& keyspace = *TALEA_TRY(FindKeyspace(engine, arguments.from));
  EntryMaker maker = TALEA_TRY(MakerFor(arguments, keyspace, engine, indexes));
  const IndexSource source{.keyspace = &keyspace,
                           .entries = [&](const Row& row) { return maker.Make(row); },
                           .fingerprint = FingerprintOf(arguments.entry)};
  work.Expect(EstimatedRows(engine, &keyspace));
  const Status built = indexes.Build(arguments.name, source, work.Progress());
  if (!built && work.stopped()) {
    context.err << fmt::format(
        "talea: interrupted; index {} has the entries of some rows, and the same command goes on "
        "from there\n",
        Quoted(arguments.name));
    return ExitCode::interrupted;
  }
  if (!built && !maker.gave_up()) return std::unexpected(built.error());
  const auto index = TALEA_TRY(DescribeNow(engine, indexes, arguments.name));
  if (!built) return Advised(built.error(), index.building);
  work.Finish();
  Tell(context, arguments, index, maker.bad_rows());
  return ExitCode::done;
}

}  // namespace

Command IndexBuildCommand() {
  const auto arguments = std::make_shared<Arguments>();
  std::vector<Parameter> parameters = {IndexNameParameter(arguments->name),
                                       {.name = "--from",
                                        .target = &arguments->from,
                                        .help = "Whose rows; `talea stats` lists them",
                                        .value = "KEYSPACE",
                                        .required = true}};
  for (Parameter& parameter :
       EntryParameters(arguments->entry, "PART", "key, value, key:N, value:N or json:FIELD")) {
    parameters.push_back(std::move(parameter));
  }
  parameters.push_back({.name = "--skip-bad-rows",
                        .target = &arguments->skip_bad_rows,
                        .help = "Pass over so many rows that are in error (0 if not given)",
                        .value = "N"});
  return {.name = "build",
          .summary = "Adds entries for the rows of a keyspace; can be interrupted and goes on",
          .examples = {"talea index build people-by-city --from people --value json:address.city",
                       "talea index build visits-by-page --from log --value value --types text "
                       "--document key:1"},
          .parameters = std::move(parameters),
          .run = [arguments](Context& context) { return Build(context, *arguments); }};
}

}  // namespace talea::cli
