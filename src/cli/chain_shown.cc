#include "cli/chain_shown.h"

#include <fmt/format.h>

#include <vector>

#include "cli/bytes_argument.h"
#include "terminal/numbers.h"

namespace talea::cli {
namespace {

constexpr std::size_t kMostBytesShown = 32;

const std::vector<OutputNotes::StoredTag>& TagsOf(const ShownOutput& output) {
  static const std::vector<OutputNotes::StoredTag> none;
  return output.notes ? output.notes->tags : none;
}

std::uint64_t CoinOf(const ShownOutput& output) { return output.notes ? output.notes->coin : 0; }

}  // namespace

std::string DrawWhole(const Table& table, const Screen& screen) {
  Screen wide = screen;
  wide.terminal = false;
  return DrawTable(table, wide);
}

std::string ShownDigits(ByteView bytes) {
  if (bytes.empty()) return "nothing";
  if (bytes.size() <= kMostBytesShown) return HexDigits(bytes);
  return fmt::format("{}.. ({})", HexDigits(bytes.substr(0, kMostBytesShown)),
                     Counted(bytes.size(), "byte"));
}

Json CursorAsJson(const Cursor& cursor) {
  return cursor ? Json(cursor->ToString()) : Json(nullptr);
}

JsonObject OutputAsJson(const ShownOutput& output) {
  JsonArray tags;
  for (const auto& [kind, bytes] : TagsOf(output)) {
    tags.Add(JsonObject().Add("kind", Name(kind)).Add("bytes", HexDigits(bytes)));
  }
  return JsonObject()
      .Add("output", output.reference.ToString())
      .Add("era", output.era)
      .Add("coin", CoinOf(output))
      .Add("tags", tags)
      .Add("cbor", HexDigits(output.cbor));
}

std::string OutputLine(const ShownOutput& output) {
  return fmt::format("{}  era {}  coin {}  {}", output.reference.ToString(), output.era,
                     FullNumber(CoinOf(output)), ShownDigits(output.cbor));
}

std::string OutputTable(const ShownOutput& output, const Screen& screen) {
  Table table{.columns = {{}, {}},
              .rows = {{"Output", output.reference.ToString()},
                       {"Era", fmt::to_string(output.era)},
                       {"Coin", FullNumber(CoinOf(output))}}};
  for (const auto& [kind, bytes] : TagsOf(output)) {
    table.rows.push_back({"Tag", fmt::format("{} {}", Name(kind), HexDigits(bytes))});
  }
  table.rows.push_back({"CBOR", ShownDigits(output.cbor)});
  return DrawWhole(table, screen);
}

}  // namespace talea::cli
