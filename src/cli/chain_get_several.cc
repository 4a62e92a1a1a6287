// talea chain get output, talea chain get entity: some of them, in the order of the arguments.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_get.h"
#include "cli/chain_shown.h"
#include "json/json.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name_space;
  std::vector<std::string> names;
  std::optional<std::string> at;
  bool raw = false;
};

// What was found, as it came in.
struct Found {
  JsonArray json;
  std::string text;
  std::string raw;
  JsonArray missing_json;
  std::vector<std::string> missing;

  void Miss(const std::string& name, std::string complaint) {
    missing_json.Add(name);
    missing.push_back(std::move(complaint));
  }
};

Status CheckRaw(const Arguments& arguments) {
  if (!arguments.raw || arguments.names.size() == 1) return {};
  return Fail(ErrorCode::invalid_argument,
              fmt::format("--raw: expected one thing to write the bytes of, found {}",
                          arguments.names.size()));
}

// What is missing is told as an error would be; with --json the answer has said it already.
ExitCode Tell(Context& context, const Arguments& arguments, const Found& found, JsonObject json,
              std::string_view list) {
  if (context.json) {
    context.out << json.Add(list, found.json).Add("missing", found.missing_json).text() << "\n";
  } else {
    context.out << (arguments.raw ? found.raw : found.text);
    context.out.flush();
    for (const std::string& complaint : found.missing)
      context.err << "talea: " << complaint << "\n";
  }
  return found.missing.empty() ? ExitCode::done : ExitCode::no;
}

Result<ExitCode> GetOutputs(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckRaw(arguments));
  std::vector<OutputReference> references;
  for (const std::string& name : arguments.names) {
    references.push_back(TALEA_TRY(ParseOutput("OUTPUT", name)));
  }
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const auto outputs = TALEA_TRY(ledger.view.GetOutputs(references));
  const auto notes = TALEA_TRY(ledger.view.GetNotes(references));
  Found found;
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::string name = references[i].ToString();
    if (!outputs[i]) {
      found.Miss(name, fmt::format("output {}: expected it unspent at {}, found none", name,
                                   Describe(ledger.view.cursor())));
      continue;
    }
    const ShownOutput shown{references[i], outputs[i]->era(), outputs[i]->cbor(), notes[i]};
    found.json.Add(OutputAsJson(shown));
    found.text += (found.text.empty() ? "" : "\n") + OutputTable(shown, context.screen);
    found.raw += outputs[i]->cbor();
  }
  return Tell(context, arguments, found,
              JsonObject().Add("cursor", CursorAsJson(ledger.view.cursor())), "outputs");
}

Result<ExitCode> GetEntities(Context& context, const Arguments& arguments) {
  TALEA_TRY(CheckRaw(arguments));
  std::vector<EntityKey> keys;
  for (const std::string& name : arguments.names) keys.push_back(TALEA_TRY(ParseKey("KEY", name)));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  TALEA_TRY(CheckNamespace(ledger.view, arguments.name_space));
  const auto entities = TALEA_TRY(ledger.view.GetEntities(arguments.name_space, keys));
  Found found;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string key = keys[i].ToString();
    if (!entities[i]) {
      found.Miss(key,
                 fmt::format("namespace {}, key {}: expected an entity at {}, found none",
                             Quoted(arguments.name_space), key, Describe(ledger.view.cursor())));
      continue;
    }
    found.json.Add(JsonObject().Add("key", key).Add("value", HexDigits(*entities[i])));
    found.text += fmt::format("{} = {}\n", key, ShownDigits(*entities[i]));
    found.raw += *entities[i];
  }
  return Tell(context, arguments, found,
              JsonObject()
                  .Add("cursor", CursorAsJson(ledger.view.cursor()))
                  .Add("namespace", arguments.name_space),
              "entities");
}

Parameter RawParameter(bool& raw) {
  return {.name = "--raw",
          .target = &raw,
          .help = "The stored bytes as they are, whole and without a line's end; of one alone"};
}

}  // namespace

Command ChainGetOutputCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "output",
          .summary = "Shows unspent outputs; ends with 3 if one is missing",
          .examples = {"talea chain get output "
                       "3b40265111d8bb3c3c608d95b3a0bf83461ace32d79336579a1939b3aad1c0b7#0"},
          .parameters = {{.name = "OUTPUT",
                          .target = &arguments->names,
                          .help = "The hash of its transaction, # and its index there",
                          .required = true},
                         RawParameter(arguments->raw),
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return GetOutputs(context, *arguments); }};
}

Command ChainGetEntityCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "entity",
          .summary = "Shows entities of a namespace; ends with 3 if one is missing",
          .examples = {"talea chain get entity pools "
                       "923918e403bf43c34b4ef6b48eb2ee04babed17320d8d1b9ff9ad086e86f44ec --raw"},
          .parameters = {NamespaceParameter(arguments->name_space),
                         {.name = "KEY",
                          .target = &arguments->names,
                          .help = "64 hexadecimal digits",
                          .required = true},
                         RawParameter(arguments->raw),
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return GetEntities(context, *arguments); }};
}

}  // namespace talea::cli
