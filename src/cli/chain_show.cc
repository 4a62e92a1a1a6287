// talea chain show: blocks, transactions, outputs and addresses of Cardano's chain.
#include "cli/chain_show.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/bytes_argument.h"
#include "cli/commands.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

constexpr std::uint64_t kLovelaceInAda = 1'000'000;

// " ("name")" where the name is text.
std::string AsText(ByteView name) {
  const bool text =
      !name.empty() && std::ranges::all_of(name, [](char c) { return ' ' <= c && c <= '~'; });
  return text ? fmt::format(" ({})", Quoted(name)) : std::string();
}

}  // namespace

std::string ShownCoin(std::uint64_t lovelace) {
  std::string ada = FullNumber(lovelace / kLovelaceInAda);
  if (lovelace % kLovelaceInAda != 0) {
    ada += fmt::format(".{:06}", lovelace % kLovelaceInAda);
    ada.erase(ada.find_last_not_of('0') + 1);
  }
  return fmt::format("{} lovelace ({} ADA)", FullNumber(lovelace), ada);
}

std::optional<ByteView> TagOf(const OutputNotes& notes, TagKind kind) {
  const auto tag = std::ranges::find(notes.tags, kind, &OutputNotes::StoredTag::kind);
  return tag == notes.tags.end() ? std::nullopt : std::optional<ByteView>(tag->bytes);
}

std::string AddressOf(const std::optional<OutputNotes>& notes) {
  const auto address = notes ? TagOf(*notes, TagKind::address) : std::nullopt;
  return address ? CardanoAddressText(*address) : std::string();
}

std::unexpected<Error> NoRecord(const ChainView& view, std::string_view what, const Bytes32& hash,
                                std::string_view name_space) {
  const auto counted = view.CountNamespace(name_space);
  if (!counted) return std::unexpected(counted.error());
  const std::string name = fmt::format("{} {}", what, hash.ToString());
  if (counted->entities == 0) {
    return Fail(ErrorCode::not_found,
                fmt::format("{}: expected a record of it, found that this ledger has none of any "
                            "{}: `talea chain import-cardano` keeps them, unless it is told "
                            "--no-records",
                            name, what));
  }
  return Fail(ErrorCode::not_found,
              fmt::format("{}: expected it among the {} up to {}, found none", name,
                          Counted(counted->entities, std::string(what)), Describe(view.cursor())));
}

void AssetSums::Add(const CardanoAsset& asset) {
  quantities_[{asset.policy, asset.name}] += asset.quantity;
}

JsonArray AssetSums::AsJson() const {
  JsonArray json;
  for (const auto& [asset, quantity] : quantities_) {
    json.Add(JsonObject()
                 .Add("policy", HexDigits(asset.first))
                 .Add("name", HexDigits(asset.second))
                 .Add("quantity", fmt::to_string(quantity)));
  }
  return json;
}

std::vector<std::string> AssetSums::Lines() const {
  std::vector<std::string> lines;
  for (const auto& [asset, quantity] : quantities_) {
    lines.push_back(fmt::format("{}.{}{}: {}", HexDigits(asset.first), HexDigits(asset.second),
                                AsText(asset.second), fmt::to_string(quantity)));
  }
  return lines;
}

Status AddAssets(const OutputReference& reference, const OutputValue& output, AssetSums& sums) {
  const auto assets = ReadCardanoAssets(output);
  if (!assets) {
    return Fail(ErrorCode::precondition_failed,
                fmt::format("output {}: expected one of Cardano's, as `talea chain import-cardano` "
                            "stores them, found another: {}; `talea chain get output` shows those "
                            "of any ledger, and `talea chain scan tag` finds them by an address",
                            reference.ToString(), assets.error().message()));
  }
  for (const CardanoAsset& asset : *assets) sums.Add(asset);
  return {};
}

Command ChainShowCommand() {
  return {.name = "show",
          .summary = "Shows a block, a transaction, an output or an address of Cardano's chain",
          .examples = {"talea chain show block "
                       "aa83acbf5904c0edfe4d79b3689d3d00fcfc553cf360fd2229b98d464c28e9de",
                       "talea chain show address "
                       "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"},
          .parameters = {},
          .commands = {ChainShowBlockCommand(), ChainShowTransactionCommand(),
                       ChainShowOutputCommand(), ChainShowAddressCommand()}};
}

}  // namespace talea::cli
