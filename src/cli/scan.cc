// talea scan: the rows of a keyspace, in order.
#include <memory>

#include "cli/bytes_argument.h"
#include "cli/commands.h"
#include "cli/list_writer.h"
#include "cli/open.h"
#include "cli/rows.h"
#include "json/json.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string keyspace;
  std::string prefix;
  std::uint64_t limit = 100;
  bool reverse = false;
  bool tuples = false;
};

std::string KeyForPeople(ByteView key, bool tuples) {
  if (tuples) {
    if (const Result<Tuple> tuple = Unpack(key)) return ToString(*tuple);
  }
  return Quoted(key);
}

Result<ExitCode> Scan(Context& context, const Arguments& arguments) {
  const std::string prefix = TALEA_TRY(ParseBytes(arguments.prefix));
  const auto engine = TALEA_TRY(OpenExisting(context));
  const Keyspace& keyspace = *TALEA_TRY(FindKeyspace(*engine, arguments.keyspace));
  const auto snapshot = TALEA_TRY(engine->OpenSnapshot());
  Scanner rows(*snapshot, keyspace, KeyRange::Prefix(prefix), {.reverse = arguments.reverse});
  ListWriter writer(context, "row", "rows", arguments.limit);
  writer.Begin(
      JsonObject().Add("keyspace", keyspace.name).Add("version", snapshot->version().number));
  while (const auto row = TALEA_TRY(rows.Next())) {
    if (writer.Full()) break;
    if (context.json) {
      writer.WriteJson(TALEA_TRY(RowAsJson(keyspace, *row)));
    } else {
      const std::string value = TALEA_TRY(ValueForPeople(keyspace, *row));
      writer.WriteText(KeyForPeople(row->key, arguments.tuples) + " = " + value);
    }
  }
  writer.End();
  return ExitCode::done;
}

std::vector<Parameter> Parameters(Arguments& arguments) {
  return {
      {.name = "KEYSPACE",
       .target = &arguments.keyspace,
       .help = "What to read; `talea stats` lists them",
       .required = true},
      {.name = "--prefix",
       .target = &arguments.prefix,
       .help = "Only keys that begin so: text, or 0x and hexadecimal digits",
       .value = "KEY"},
      {.name = "--limit",
       .target = &arguments.limit,
       .help = "At most so many rows (100 if not given); 0 for all",
       .value = "N"},
      {.name = "--reverse", .target = &arguments.reverse, .help = "From the last key to the first"},
      {.name = "--tuples",
       .target = &arguments.tuples,
       .help = "Show keys that are packed tuples as tuples"}};
}

}  // namespace

Command ScanCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "scan",
          .summary = "Shows the rows of a keyspace, in the order of their keys",
          .examples = {"talea scan visits --prefix /blog/ --limit 20", "talea scan talea --tuples",
                       "talea scan visits --limit 0 --json"},
          .parameters = Parameters(*arguments),
          .run = [arguments](Context& context) { return Scan(context, *arguments); }};
}

}  // namespace talea::cli
