// talea chain get: single things of a ledger's state.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_get.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/list_writer.h"
#include "json/json.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name_space;
  std::string key;
  std::optional<std::string> at;
  std::uint64_t limit = 100;
};

Result<ExitCode> GetCursor(Context& context, const Arguments& arguments) {
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const Cursor& cursor = ledger.view.cursor();
  if (!cursor) {
    return Fail(ErrorCode::not_found,
                "cursor: expected a point, found none: no block has been applied");
  }
  if (context.json) {
    context.out << JsonObject().Add("cursor", CursorAsJson(cursor)).text() << "\n";
  } else {
    context.out << cursor->ToString() << "\n";
  }
  return ExitCode::done;
}

Result<ExitCode> GetCounter(Context& context, const Arguments& arguments) {
  const EntityKey key = TALEA_TRY(ParseKey("KEY", arguments.key));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  TALEA_TRY(CheckNamespace(ledger.view, arguments.name_space));
  const std::int64_t sum = TALEA_TRY(ledger.view.GetCounter(arguments.name_space, key));
  if (context.json) {
    context.out << JsonObject()
                       .Add("namespace", arguments.name_space)
                       .Add("key", key.ToString())
                       .Add("counter", sum)
                       .text()
                << "\n";
  } else {
    context.out << sum << "\n";
  }
  return ExitCode::done;
}

// Returns whether there is room for more.
bool WriteValues(ListWriter& writer, const ChainView::ValuePage& page) {
  for (const std::string& value : page.values) {
    if (writer.Full()) return false;
    writer.Write([&] { return Json(HexDigits(value)); }, [&] { return HexDigits(value); });
  }
  return true;
}

Result<ExitCode> GetValues(Context& context, const Arguments& arguments) {
  const EntityKey key = TALEA_TRY(ParseKey("KEY", arguments.key));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  TALEA_TRY(CheckNamespace(ledger.view, arguments.name_space));
  ChainView::ValuePage page = TALEA_TRY(ledger.view.ScanValues(arguments.name_space, key));
  if (page.values.empty() && !page.more) {
    return Fail(ErrorCode::not_found,
                fmt::format("namespace {}, key {}: expected values, found none",
                            Quoted(arguments.name_space), key.ToString()));
  }
  ListWriter writer(context, "value", "values", arguments.limit);
  writer.Begin(JsonObject()
                   .Add("cursor", CursorAsJson(ledger.view.cursor()))
                   .Add("namespace", arguments.name_space)
                   .Add("key", key.ToString()));
  while (WriteValues(writer, page) && page.more) {
    const std::string last = page.values.back();
    page = TALEA_TRY(ledger.view.ScanValues(arguments.name_space, key, last));
  }
  writer.End();
  return ExitCode::done;
}

Parameter KeyParameter(std::string& key) {
  return {.name = "KEY", .target = &key, .help = "64 hexadecimal digits", .required = true};
}

Command CursorCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "cursor",
          .summary = "Shows where the ledger is; ends with 3 if nothing was applied yet",
          .examples = {"talea chain get cursor"},
          .parameters = {AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return GetCursor(context, *arguments); }};
}

Command CounterCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "counter",
          .summary = "Shows the sum of an entity's counter, 0 if it has none",
          .examples = {"talea chain get counter datums "
                       "923918e403bf43c34b4ef6b48eb2ee04babed17320d8d1b9ff9ad086e86f44ec"},
          .parameters = {NamespaceParameter(arguments->name_space), KeyParameter(arguments->key),
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return GetCounter(context, *arguments); }};
}

Command ValuesCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "values",
          .summary = "Shows the values of a key in a multi-value namespace, in ascending order",
          .examples = {"talea chain get values rewards "
                       "923918e403bf43c34b4ef6b48eb2ee04babed17320d8d1b9ff9ad086e86f44ec"},
          .parameters = {NamespaceParameter(arguments->name_space), KeyParameter(arguments->key),
                         LimitParameter(arguments->limit, "values"), AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return GetValues(context, *arguments); }};
}

}  // namespace

Command ChainGetCommand() {
  return {.name = "get",
          .summary = "Shows the cursor, outputs, entities, values or a counter",
          .examples = {"talea chain get cursor",
                       "talea chain get output "
                       "3b40265111d8bb3c3c608d95b3a0bf83461ace32d79336579a1939b3aad1c0b7#0"},
          .parameters = {},
          .commands = {CursorCommand(), ChainGetOutputCommand(), ChainGetEntityCommand(),
                       ValuesCommand(), CounterCommand()}};
}

}  // namespace talea::cli
