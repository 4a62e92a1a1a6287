// talea chain scan changes: what each step since a point has done.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_scan.h"
#include "cli/chain_shown.h"
#include "cli/list_writer.h"
#include "cli/open.h"
#include "json/json.h"
#include "terminal/text.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string since;
  std::uint64_t limit = 100;
};

Json DigitsAsJson(const std::optional<std::string>& bytes) {
  return bytes ? Json(HexDigits(*bytes)) : Json(nullptr);
}

Json StoredAsJson(const std::optional<OutputValue>& output) {
  if (!output) return nullptr;
  return JsonObject().Add("era", output->era()).Add("cbor", HexDigits(output->cbor()));
}

JsonObject AsJson(const ChainChange& change) {
  JsonArray outputs;
  for (const OutputChange& output : change.outputs) {
    outputs.Add(JsonObject()
                    .Add("output", output.reference.ToString())
                    .Add("before", StoredAsJson(output.before))
                    .Add("after", StoredAsJson(output.after)));
  }
  const auto keyed = [](const auto& part) {
    return JsonObject().Add("namespace", part.name_space).Add("key", part.key.ToString());
  };
  JsonArray entities;
  for (const EntityChange& entity : change.entities) {
    entities.Add(keyed(entity)
                     .Add("before", DigitsAsJson(entity.before))
                     .Add("after", DigitsAsJson(entity.after)));
  }
  JsonArray values;
  for (const ValueChange& value : change.values) {
    values.Add(keyed(value).Add("value", HexDigits(value.value)).Add("removed", value.removed));
  }
  JsonArray counters;
  for (const CounterChange& counter : change.counters) {
    counters.Add(keyed(counter).Add("delta", counter.delta));
  }
  return JsonObject()
      .Add("parent", CursorAsJson(change.parent))
      .Add("point", CursorAsJson(change.point))
      .Add("outputs", outputs)
      .Add("entities", entities)
      .Add("values", values)
      .Add("counters", counters);
}

std::string Line(const OutputChange& output) {
  if (!output.after) return fmt::format("consumed  {}", output.reference.ToString());
  return fmt::format("{}  {}  {}", output.before ? "replaced" : "produced",
                     output.reference.ToString(), ShownDigits(output.after->cbor()));
}

std::string Line(const EntityChange& entity) {
  const std::string name = fmt::format("{} {}", Showable(entity.name_space), entity.key.ToString());
  if (!entity.after) return fmt::format("deleted   {}", name);
  return fmt::format("{}  {} = {}", entity.before ? "changed " : "wrote   ", name,
                     ShownDigits(*entity.after));
}

std::string Line(const ValueChange& value) {
  return fmt::format("{}  {} {}: {}", value.removed ? "removed " : "added   ",
                     Showable(value.name_space), value.key.ToString(), ShownDigits(value.value));
}

std::string Line(const CounterChange& counter) {
  return fmt::format("counted   {} {}: {:+}", Showable(counter.name_space), counter.key.ToString(),
                     counter.delta);
}

std::string ForPeople(const ChainChange& change) {
  std::string text = fmt::format("{} -> {}", Describe(change.parent), Describe(change.point));
  for (const OutputChange& output : change.outputs) text += "\n  " + Line(output);
  for (const EntityChange& entity : change.entities) text += "\n  " + Line(entity);
  for (const ValueChange& value : change.values) text += "\n  " + Line(value);
  for (const CounterChange& counter : change.counters) text += "\n  " + Line(counter);
  return text;
}

Result<ExitCode> ScanChanges(Context& context, const Arguments& arguments) {
  const Cursor since = TALEA_TRY(ParseCursor("--since", arguments.since));
  const Ledger ledger = TALEA_TRY(OpenLedger(context));
  ChangeFeed feed = TALEA_TRY(ChainStore(*ledger.engine).Changes(since));
  ListWriter writer(context, "step", "steps", arguments.limit);
  writer.Begin(JsonObject().Add("since", CursorAsJson(since)));
  while (const std::optional<ChainChange> change = TALEA_TRY(feed.Next())) {
    if (writer.Full()) break;
    writer.Write([&] { return AsJson(*change); }, [&] { return ForPeople(*change); });
  }
  writer.End();
  return ExitCode::done;
}

}  // namespace

Command ChainScanChangesCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "changes",
          .summary = "Shows what each step since a point has done, oldest first",
          .examples = {"talea chain scan changes --since 4492800.HASH",
                       "talea chain scan changes --since none --limit 0 --json"},
          .parameters = {{.name = "--since",
                          .target = &arguments->since,
                          .help = "Where the last step was that is known, within the undo window; "
                                  "none for the beginning",
                          .value = "POINT",
                          .required = true},
                         LimitParameter(arguments->limit, "steps")},
          .run = [arguments](Context& context) { return ScanChanges(context, *arguments); }};
}

}  // namespace talea::cli
