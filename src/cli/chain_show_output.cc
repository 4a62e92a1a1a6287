// talea chain show output: all that is known of an output.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_show.h"
#include "cli/chain_shown.h"
#include "talea/cardano_import.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  std::optional<std::string> at;
};

// All that is known of an output.
struct KnownOutput {
  OutputReference reference;
  std::optional<OutputValue> value;  // nothing: it was spent
  std::optional<OutputNotes> notes;
  std::optional<CardanoTransactionRecord> made_by;
  AssetSums assets;
};

bool Produced(const CardanoTransactionRecord& record, std::uint32_t index) {
  return index >= record.first_output && index - record.first_output < record.outputs;
}

Result<KnownOutput> ReadKnown(const ChainView& view, const OutputReference& reference) {
  KnownOutput known{.reference = reference, .value = {}, .notes = {}, .made_by = {}, .assets = {}};
  known.value = TALEA_TRY(view.GetOutput(reference));
  known.made_by = TALEA_TRY(GetCardanoTransaction(view, reference.transaction));
  if (known.value) {
    known.notes = std::move(TALEA_TRY(view.GetNotes({&reference, 1})).front());
    TALEA_TRY(AddAssets(reference, *known.value, known.assets));
  } else if (!known.made_by || !Produced(*known.made_by, reference.index)) {
    return Fail(ErrorCode::not_found,
                fmt::format("output {}: expected it to be unspent at {}, or made by a transaction "
                            "that is recorded; found neither",
                            reference.ToString(), Describe(view.cursor())));
  }
  return known;
}

Json MadeInAsJson(const KnownOutput& known) {
  if (!known.made_by) return nullptr;
  return ChainPoint::Of(known.made_by->slot, known.made_by->block).ToString();
}

JsonObject OutputJson(const KnownOutput& known) {
  JsonObject json = JsonObject()
                        .Add("output", known.reference.ToString())
                        .Add("unspent", known.value.has_value())
                        .Add("block", MadeInAsJson(known));
  if (!known.value) return json;
  return json.Add("era", known.value->era())
      .Add("coin", known.notes ? known.notes->coin : 0)
      .Add("address", AddressOf(known.notes))
      .Add("assets", known.assets.AsJson())
      .Add("cbor", HexDigits(known.value->cbor()));
}

std::string OutputForPeople(const KnownOutput& known, const Screen& screen) {
  Table table{.columns = {{}, {}},
              .rows = {{"Output", known.reference.ToString()},
                       {"State", known.value ? "unspent" : "spent"}}};
  if (known.made_by) {
    table.rows.push_back(
        {"Block", ChainPoint::Of(known.made_by->slot, known.made_by->block).ToString()});
  }
  if (known.value) {
    const auto era = static_cast<CardanoEra>(known.value->era());
    table.rows.push_back({"Era", std::string(Name(era))});
    table.rows.push_back({"Coin", ShownCoin(known.notes ? known.notes->coin : 0)});
    table.rows.push_back({"Address", AddressOf(known.notes)});
    for (std::string& line : known.assets.Lines()) table.rows.push_back({"Asset", std::move(line)});
    table.rows.push_back({"CBOR", ShownDigits(known.value->cbor())});
  }
  return DrawWhole(table, screen);
}

Result<ExitCode> ShowOutput(Context& context, const Arguments& arguments) {
  const OutputReference reference = TALEA_TRY(ParseOutput("OUTPUT", arguments.name));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const KnownOutput known = TALEA_TRY(ReadKnown(ledger.view, reference));
  if (context.json) {
    context.out << OutputJson(known).text() << "\n";
  } else {
    context.out << OutputForPeople(known, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command ChainShowOutputCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "output",
          .summary = "Shows an output: whose it is, what it holds, and whether it is unspent",
          .examples = {"talea chain show output "
                       "3b40265111d8bb3c3c608d95b3a0bf83461ace32d79336579a1939b3aad1c0b7#0"},
          .parameters = {{.name = "OUTPUT",
                          .target = &arguments->name,
                          .help = "The hash of its transaction, # and its index there",
                          .required = true},
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ShowOutput(context, *arguments); }};
}

}  // namespace talea::cli
