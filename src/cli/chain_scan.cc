// talea chain scan: outputs, entities and tags, in order.
#include "cli/chain_scan.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_shown.h"
#include "cli/commands.h"
#include "cli/list_writer.h"
#include "json/json.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name_space;
  std::string kind;
  std::string tag;
  std::optional<std::string> from;
  std::optional<std::string> to;
  std::optional<std::string> at;
  std::uint64_t limit = 100;
};

// No page is read that is much longer than what is to be shown; one row more tells whether there is
// more.
PageOptions PagesFor(std::uint64_t limit) {
  PageOptions options;
  if (limit != 0) options.row_limit = std::min<std::uint64_t>(options.row_limit, limit + 1);
  return options;
}

template <class Parsed>
Result<std::optional<Parsed>> ParseIfGiven(Result<Parsed> (*parse)(std::string_view,
                                                                   std::string_view),
                                           std::string_view name,
                                           const std::optional<std::string>& argument) {
  if (!argument) return std::nullopt;
  return TALEA_TRY(parse(name, *argument));
}

JsonObject Head(const ChainView& view) {
  return JsonObject().Add("cursor", CursorAsJson(view.cursor()));
}

// Returns whether there is room for more.
Result<bool> WriteOutputs(ListWriter& writer, const ChainView& view, const OutputPage& page) {
  std::vector<OutputReference> references;
  for (std::size_t i = 0; i < page.size(); ++i) references.push_back(page[i].reference);
  const auto notes = TALEA_TRY(view.GetNotes(references));
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (writer.Full()) return false;
    const ShownOutput shown{references[i], page[i].era, page[i].cbor, notes[i]};
    writer.Write([&] { return OutputAsJson(shown); }, [&] { return OutputLine(shown); });
  }
  return true;
}

Result<ExitCode> ScanOutputs(Context& context, const Arguments& arguments) {
  auto from = TALEA_TRY(ParseIfGiven(ParseOutput, "--from", arguments.from));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  ListWriter writer(context, "output", "outputs", arguments.limit);
  writer.Begin(Head(ledger.view));
  for (bool more = true; more;) {
    const OutputPage page = TALEA_TRY(ledger.view.ScanOutputs(from, PagesFor(arguments.limit)));
    from = page.next();
    more = TALEA_TRY(WriteOutputs(writer, ledger.view, page))
    &&from.has_value();
  }
  writer.End();
  return ExitCode::done;
}

bool WriteEntities(ListWriter& writer, const EntityPage& page) {
  for (std::size_t i = 0; i < page.size(); ++i) {
    if (writer.Full()) return false;
    const std::string key = page[i].key.ToString();
    writer.Write(
        [&] { return JsonObject().Add("key", key).Add("value", HexDigits(page[i].value)); },
        [&] { return fmt::format("{} = {}", key, ShownDigits(page[i].value)); });
  }
  return true;
}

Result<ExitCode> ScanEntities(Context& context, const Arguments& arguments) {
  auto from = TALEA_TRY(ParseIfGiven(ParseKey, "--from", arguments.from));
  const auto to = TALEA_TRY(ParseIfGiven(ParseKey, "--to", arguments.to));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  TALEA_TRY(CheckNamespace(ledger.view, arguments.name_space));
  ListWriter writer(context, "entity", "entities", arguments.limit);
  writer.Begin(Head(ledger.view).Add("namespace", arguments.name_space));
  for (bool more = true; more;) {
    const EntityPage page = TALEA_TRY(
        ledger.view.ScanEntities(arguments.name_space, from, to, PagesFor(arguments.limit)));
    from = page.next();
    more = WriteEntities(writer, page) && from.has_value();
  }
  writer.End();
  return ExitCode::done;
}

bool WriteTagged(ListWriter& writer, const ChainView::TaggedPage& page) {
  for (const auto& [reference, coin] : page.outputs) {
    if (writer.Full()) return false;
    writer.Write(
        [&] { return JsonObject().Add("output", reference.ToString()).Add("coin", coin); },
        [&] { return fmt::format("{}  coin {}", reference.ToString(), FullNumber(coin)); });
  }
  return true;
}

Result<ExitCode> ScanTag(Context& context, const Arguments& arguments) {
  const std::string bytes = TALEA_TRY(ParseDigits("TAG", arguments.tag));
  const Tag tag {
    TALEA_TRY(ParseTagKind(arguments.kind))
    , bytes
  };
  auto from = TALEA_TRY(ParseIfGiven(ParseOutput, "--from", arguments.from));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  ListWriter writer(context, "output", "outputs", arguments.limit);
  writer.Begin(Head(ledger.view).Add("kind", Name(tag.kind)).Add("tag", HexDigits(bytes)));
  for (bool more = true; more;) {
    const auto page = TALEA_TRY(ledger.view.ScanTagged(tag, from, PagesFor(arguments.limit)));
    from = page.next;
    more = WriteTagged(writer, page) && from.has_value();
  }
  writer.End();
  return ExitCode::done;
}

Parameter FromParameter(Arguments& arguments, std::string value) {
  return {.name = "--from",
          .target = &arguments.from,
          .help = "Begin here (with the first if not given)",
          .value = std::move(value)};
}

Command OutputsCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "outputs",
          .summary = "Shows unspent outputs, by transaction and index",
          .examples = {"talea chain scan outputs --limit 10",
                       "talea chain scan outputs --limit 0 --json"},
          .parameters = {FromParameter(*arguments, "OUTPUT"),
                         LimitParameter(arguments->limit, "outputs"), AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ScanOutputs(context, *arguments); }};
}

Command EntitiesCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "entities",
          .summary = "Shows the entities of a namespace, by key",
          .examples = {"talea chain scan entities pools"},
          .parameters = {NamespaceParameter(arguments->name_space),
                         FromParameter(*arguments, "KEY"),
                         {.name = "--to",
                          .target = &arguments->to,
                          .help = "End before this key (with the last if not given)",
                          .value = "KEY"},
                         LimitParameter(arguments->limit, "entities"),
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ScanEntities(context, *arguments); }};
}

Command TagCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "tag",
          .summary = "Shows the unspent outputs that have exactly this tag",
          .examples = {"talea chain scan tag address "
                       "61a9ee52d2cbe0e4a1d1e5d5bcbbcc9ab9c2e1a2f3a4b5c6d7e8f90a1b"},
          .parameters = {{.name = "KIND",
                          .target = &arguments->kind,
                          .help = "What is looked for",
                          .required = true,
                          .choices = {"address", "payment", "stake", "policy", "asset"}},
                         {.name = "TAG",
                          .target = &arguments->tag,
                          .help = "Its bytes, in hexadecimal digits",
                          .required = true},
                         FromParameter(*arguments, "OUTPUT"),
                         LimitParameter(arguments->limit, "outputs"),
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ScanTag(context, *arguments); }};
}

}  // namespace

Command ChainScanCommand() {
  return {
      .name = "scan",
      .summary = "Shows outputs, entities, what has a tag, or what changed since a point",
      .examples = {"talea chain scan outputs --limit 10", "talea chain scan entities pools",
                   "talea chain scan changes --since 4492800.HASH"},
      .parameters = {},
      .commands = {OutputsCommand(), EntitiesCommand(), TagCommand(), ChainScanChangesCommand()}};
}

}  // namespace talea::cli
