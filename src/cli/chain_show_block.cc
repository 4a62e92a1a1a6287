// talea chain show block, talea chain show transaction: from what an import has recorded.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/chain_arguments.h"
#include "cli/chain_show.h"
#include "cli/chain_shown.h"
#include "talea/cardano_import.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

struct Arguments {
  std::string name;
  std::optional<std::string> at;
};

// A block by its hash alone, or by its whole point.
struct NamedBlock {
  Bytes32 hash;
  std::optional<std::uint64_t> slot;
};

Result<NamedBlock> ParseBlock(std::string_view argument) {
  if (const auto hash = Bytes32::Parse(argument)) return NamedBlock{*hash, {}};
  const auto point = ChainPoint::Parse(argument);
  if (point && point->kind == ChainPoint::Kind::specific) {
    return NamedBlock{point->hash, point->slot};
  }
  return Fail(ErrorCode::invalid_argument,
              fmt::format("BLOCK: expected a hash of 64 hexadecimal digits, or a slot, a dot and "
                          "the hash; found {}",
                          Quoted(argument)));
}

Status CheckSlot(const NamedBlock& named, const CardanoBlockRecord& record) {
  if (!named.slot || *named.slot == record.slot) return {};
  return Fail(ErrorCode::not_found, fmt::format("block {}: expected it at slot {}, found it at {}",
                                                named.hash.ToString(), *named.slot, record.slot));
}

// Byron's transactions do not say their fee: it is what their outputs leave over.
bool TellsFee(CardanoEra era) { return era != CardanoEra::byron; }

Json FeeAsJson(CardanoEra era, std::uint64_t fee) {
  return TellsFee(era) ? Json(fee) : Json(nullptr);
}

// One that is invalid loses its collateral, a sum that is not recorded, in place of the fee.
std::string ShortFee(CardanoEra era, const CardanoTransactionRecord& transaction) {
  if (!TellsFee(era)) return "?";
  return transaction.valid ? FullNumber(transaction.fee) : "not taken";
}

std::string ShownFee(CardanoEra era, const CardanoTransactionRecord& transaction) {
  if (!TellsFee(era)) return "not told: what its outputs leave over";
  const std::string fee = ShownCoin(transaction.fee);
  return transaction.valid ? fee : fee + ", not taken: its collateral was";
}

using Transactions = std::vector<std::optional<CardanoTransactionRecord>>;

JsonObject BlockAsJson(const Bytes32& hash, const CardanoBlockRecord& record,
                       const Transactions& transactions) {
  JsonArray list;
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    JsonObject json = JsonObject().Add("transaction", record.transactions[i].ToString());
    if (const auto& transaction = transactions[i]) {
      json.Add("valid", transaction->valid)
          .Add("fee", FeeAsJson(record.era, transaction->fee))
          .Add("inputs", transaction->consumed.size())
          .Add("outputs", transaction->outputs);
    }
    list.Add(json);
  }
  return JsonObject()
      .Add("block", hash.ToString())
      .Add("point", ChainPoint::Of(record.slot, hash).ToString())
      .Add("number", record.number)
      .Add("era", Name(record.era))
      .Add("slot", record.slot)
      .Add("bytes", record.bytes)
      .Add("parent", record.parent ? Json(record.parent->ToString()) : Json(nullptr))
      .Add("transactions", list);
}

std::string BlockForPeople(const Bytes32& hash, const CardanoBlockRecord& record,
                           const Transactions& transactions, const Screen& screen) {
  const Table facts{.columns = {{}, {}},
                    .rows = {{"Block", ChainPoint::Of(record.slot, hash).ToString()},
                             {"Number", FullNumber(record.number)},
                             {"Era", std::string(Name(record.era))},
                             {"Size", Counted(record.bytes, "byte")},
                             {"Parent", record.parent ? record.parent->ToString() : "none"},
                             {"Holds", Counted(record.transactions.size(), "transaction")}}};
  if (transactions.empty()) return DrawWhole(facts, screen);
  Table list{.columns = {{"transaction"},
                         {"inputs", Align::right},
                         {"outputs", Align::right},
                         {"fee", Align::right},
                         {"valid"}},
             .rows = {}};
  for (std::size_t i = 0; i < transactions.size(); ++i) {
    const auto& transaction = transactions[i];
    std::vector<std::string>& row = list.rows.emplace_back();
    row.push_back(record.transactions[i].ToString());
    row.push_back(transaction ? FullNumber(transaction->consumed.size()) : "?");
    row.push_back(transaction ? FullNumber(std::uint64_t{transaction->outputs}) : "?");
    row.push_back(transaction ? ShortFee(record.era, *transaction) : "?");
    row.push_back(transaction ? (transaction->valid ? "yes" : "no") : "?");
  }
  return DrawWhole(facts, screen) + "\n" + DrawWhole(list, screen);
}

Result<ExitCode> ShowBlock(Context& context, const Arguments& arguments) {
  const NamedBlock named = TALEA_TRY(ParseBlock(arguments.name));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const auto record = TALEA_TRY(GetCardanoBlock(ledger.view, named.hash));
  if (!record) return NoRecord(ledger.view, "block", named.hash, CardanoBlockRecord::kNamespace);
  TALEA_TRY(CheckSlot(named, *record));
  const auto transactions = TALEA_TRY(GetCardanoTransactions(ledger.view, record->transactions));
  if (context.json) {
    context.out << BlockAsJson(named.hash, *record, transactions).text() << "\n";
  } else {
    context.out << BlockForPeople(named.hash, *record, transactions, context.screen);
  }
  return ExitCode::done;
}

// What a transaction produced, and what is left of it.
struct Produced {
  OutputReference reference;
  bool unspent = false;
  std::optional<OutputNotes> notes;
};

Result<std::vector<Produced>> ReadProduced(const ChainView& view, const Bytes32& transaction,
                                           const CardanoTransactionRecord& record) {
  std::vector<OutputReference> references;
  for (std::uint32_t i = 0; i < record.outputs; ++i) {
    references.push_back({transaction, record.first_output + i});
  }
  const auto outputs = TALEA_TRY(view.GetOutputs(references));
  auto notes = TALEA_TRY(view.GetNotes(references));
  std::vector<Produced> produced;
  for (std::size_t i = 0; i < references.size(); ++i) {
    produced.push_back({references[i], outputs[i].has_value(), std::move(notes[i])});
  }
  return produced;
}

// All that is known of a transaction.
struct KnownTransaction {
  Bytes32 hash;
  CardanoTransactionRecord record;
  CardanoEra era;
  std::vector<Produced> produced;
};

// Its block has the era.
Result<KnownTransaction> ReadKnown(const ChainView& view, const Bytes32& hash,
                                   CardanoTransactionRecord record) {
  const auto block = TALEA_TRY(GetCardanoBlock(view, record.block));
  if (!block) return NoRecord(view, "block", record.block, CardanoBlockRecord::kNamespace);
  auto produced = TALEA_TRY(ReadProduced(view, hash, record));
  return KnownTransaction{hash, std::move(record), block->era, std::move(produced)};
}

JsonObject TransactionAsJson(const KnownTransaction& known) {
  const auto& [hash, record, era, produced] = known;
  JsonArray inputs;
  for (const OutputReference& input : record.consumed) inputs.Add(input.ToString());
  JsonArray outputs;
  for (const auto& [reference, unspent, notes] : produced) {
    JsonObject output = JsonObject().Add("output", reference.ToString()).Add("unspent", unspent);
    if (notes) output.Add("coin", notes->coin).Add("address", AddressOf(notes));
    outputs.Add(output);
  }
  return JsonObject()
      .Add("transaction", hash.ToString())
      .Add("block", ChainPoint::Of(record.slot, record.block).ToString())
      .Add("index", record.index)
      .Add("valid", record.valid)
      .Add("fee", FeeAsJson(era, record.fee))
      .Add("inputs", inputs)
      .Add("outputs", outputs);
}

std::string TransactionForPeople(const KnownTransaction& known, const Screen& screen) {
  const auto& [hash, record, era, produced] = known;
  Table table{.columns = {{}, {}},
              .rows = {{"Transaction", hash.ToString()},
                       {"Block", ChainPoint::Of(record.slot, record.block).ToString()},
                       {"Index", FullNumber(record.index)},
                       {"Valid", record.valid ? "yes" : "no: it consumed its collateral"},
                       {"Fee", ShownFee(era, record)}}};
  for (const OutputReference& input : record.consumed) {
    table.rows.push_back({"Input", input.ToString()});
  }
  for (const auto& [reference, unspent, notes] : produced) {
    table.rows.push_back({"Output", unspent && notes
                                        ? fmt::format("{}  {}  {}", reference.ToString(),
                                                      ShownCoin(notes->coin), AddressOf(notes))
                                        : fmt::format("{}  {}", reference.ToString(),
                                                      unspent ? "unspent" : "spent")});
  }
  return DrawWhole(table, screen);
}

Result<ExitCode> ShowTransaction(Context& context, const Arguments& arguments) {
  const Bytes32 hash = TALEA_TRY(ParseKey("TRANSACTION", arguments.name));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  auto record = TALEA_TRY(GetCardanoTransaction(ledger.view, hash));
  if (!record) {
    return NoRecord(ledger.view, "transaction", hash, CardanoTransactionRecord::kNamespace);
  }
  const auto known = TALEA_TRY(ReadKnown(ledger.view, hash, *std::move(record)));
  if (context.json) {
    context.out << TransactionAsJson(known).text() << "\n";
  } else {
    context.out << TransactionForPeople(known, context.screen);
  }
  return ExitCode::done;
}

}  // namespace

Command ChainShowBlockCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "block",
          .summary = "Shows a block and its transactions; ends with 3 if there is no record of it",
          .examples = {"talea chain show block "
                       "aa83acbf5904c0edfe4d79b3689d3d00fcfc553cf360fd2229b98d464c28e9de"},
          .parameters = {{.name = "BLOCK",
                          .target = &arguments->name,
                          .help = "Its hash, or its slot, a dot and its hash",
                          .required = true},
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ShowBlock(context, *arguments); }};
}

Command ChainShowTransactionCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {.name = "transaction",
          .summary = "Shows what a transaction consumed and produced, and what of it is unspent",
          .examples = {"talea chain show transaction "
                       "3b40265111d8bb3c3c608d95b3a0bf83461ace32d79336579a1939b3aad1c0b7"},
          .parameters = {{.name = "TRANSACTION",
                          .target = &arguments->name,
                          .help = "Its hash, 64 hexadecimal digits",
                          .required = true},
                         AtParameter(arguments->at)},
          .run = [arguments](Context& context) { return ShowTransaction(context, *arguments); }};
}

}  // namespace talea::cli
