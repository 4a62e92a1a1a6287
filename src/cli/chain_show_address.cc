// talea chain show address: what is unspent under an address, and what it is worth.
#include <fmt/format.h>

#include <memory>
#include <ostream>

#include "cli/bytes_argument.h"
#include "cli/chain_arguments.h"
#include "cli/chain_show.h"
#include "cli/chain_shown.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

constexpr std::size_t kStakeAddressBytes = 29;  // a header, and the credential

struct Arguments {
  std::string address;
  std::optional<std::string> at;
  std::uint64_t limit = 100;
};

bool IsStake(ByteView address) {
  return !address.empty() && static_cast<unsigned char>(address.front()) >> 4 >= 14;
}

// What is under an address, or under a stake address: all that is staked by it.
struct Holdings {
  std::string address;
  bool stake = false;
  std::uint64_t outputs = 0;
  std::uint64_t coin = 0;
  AssetSums assets;
  std::vector<TaggedOutput> first;  // as many as are shown
};

Status AddPage(const ChainView& view, const std::vector<TaggedOutput>& page, std::uint64_t limit,
               Holdings& holdings) {
  std::vector<OutputReference> references;
  for (const TaggedOutput& output : page) {
    references.push_back(output.reference);
    holdings.coin += output.coin;
    if (limit == 0 || holdings.first.size() < limit) holdings.first.push_back(output);
  }
  holdings.outputs += page.size();
  const auto values = TALEA_TRY(view.GetOutputs(references));
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (values[i]) TALEA_TRY(AddAssets(references[i], *values[i], holdings.assets));
  }
  return {};
}

// Reads all outputs, as the balance is of all.
Result<Holdings> ReadHoldings(const ChainView& view, const std::string& address,
                              std::uint64_t limit) {
  Holdings holdings{.address = address, .assets = {}, .first = {}};
  holdings.stake = IsStake(address);
  const Tag tag = holdings.stake ? Tag{TagKind::stake, ByteView(address).substr(1)}
                                 : Tag{TagKind::address, address};
  std::optional<OutputReference> from;
  do {
    const auto page = TALEA_TRY(view.ScanTagged(tag, from));
    TALEA_TRY(AddPage(view, page.outputs, limit, holdings));
    from = page.next;
  } while (from);
  return holdings;
}

JsonObject HeadAsJson(const Holdings& holdings, const Cursor& cursor) {
  return JsonObject()
      .Add("cursor", CursorAsJson(cursor))
      .Add("address", CardanoAddressText(holdings.address))
      .Add("bytes", HexDigits(holdings.address))
      .Add("stake", holdings.stake)
      .Add("count", holdings.outputs)
      .Add("coin", holdings.coin)
      .Add("assets", holdings.assets.AsJson());
}

std::string HeadForPeople(const Holdings& holdings, const Screen& screen) {
  Table table{.columns = {{}, {}},
              .rows = {{holdings.stake ? "Stake" : "Address", CardanoAddressText(holdings.address)},
                       {"Outputs", FullNumber(holdings.outputs)},
                       {"Coin", ShownCoin(holdings.coin)}}};
  for (std::string& line : holdings.assets.Lines()) {
    table.rows.push_back({"Asset", std::move(line)});
  }
  return DrawWhole(table, screen);
}

void TellRest(Context& context, std::uint64_t rest) {
  if (rest == 0 || context.json || context.quiet) return;
  context.out.flush();
  context.err << fmt::format("talea: {} more; --limit shows more\n", Counted(rest, "output"));
}

// One of another length has no outputs, as there cannot be any; digits have no checksum to tell.
Result<std::string> ParseAddress(std::string_view argument) {
  Result<std::string> address = ParseCardanoAddress(argument);
  if (!address || !IsStake(*address) || address->size() == kStakeAddressBytes) return address;
  return Fail(ErrorCode::invalid_argument,
              fmt::format("address {}: expected a stake address of {} bytes, found {}",
                          Quoted(argument), kStakeAddressBytes, address->size()));
}

Result<ExitCode> ShowAddress(Context& context, const Arguments& arguments) {
  const std::string address = TALEA_TRY(ParseAddress(arguments.address));
  const Ledger ledger = TALEA_TRY(OpenLedger(context, arguments.at));
  const Holdings holdings = TALEA_TRY(ReadHoldings(ledger.view, address, arguments.limit));
  JsonArray list;
  if (!context.json) {
    context.out << HeadForPeople(holdings, context.screen) << (holdings.first.empty() ? "" : "\n");
  }
  for (const auto& [reference, coin] : holdings.first) {
    if (context.json) {
      list.Add(JsonObject().Add("output", reference.ToString()).Add("coin", coin));
    } else {
      context.out << fmt::format("{}  {}\n", reference.ToString(), ShownCoin(coin));
    }
  }
  const std::uint64_t rest = holdings.outputs - holdings.first.size();
  if (context.json) {
    context.out << HeadAsJson(holdings, ledger.view.cursor())
                       .Add("outputs", list)
                       .Add("more", rest != 0)
                       .text()
                << "\n";
  }
  TellRest(context, rest);
  return ExitCode::done;
}

}  // namespace

Command ChainShowAddressCommand() {
  const auto arguments = std::make_shared<Arguments>();
  return {
      .name = "address",
      .summary = "Shows the unspent outputs of an address, or of all with a stake, and their sum",
      .examples = {"talea chain show address "
                   "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
                   "talea chain show address --limit 10 "
                   "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"},
      .parameters = {{.name = "ADDRESS",
                      .target = &arguments->address,
                      .help = "In bech32 (addr1.., stake1..), base 58 or hexadecimal digits",
                      .required = true},
                     LimitParameter(arguments->limit, "outputs"),
                     AtParameter(arguments->at)},
      .run = [arguments](Context& context) { return ShowAddress(context, *arguments); }};
}

}  // namespace talea::cli
