// Parts of a ledger's state as they are shown: bytes in hexadecimal digits, as ledgers write them.
#pragma once

#include <optional>
#include <string>

#include "json/json.h"
#include "talea/bytes.h"
#include "talea/chain_types.h"
#include "terminal/screen.h"
#include "terminal/table.h"

namespace talea::cli {

// A table on a terminal of any width as everywhere else: points, hashes and addresses are shown to
// be copied, and what is cut off is what was asked for.
std::string DrawWhole(const Table& table, const Screen& screen);

// The digits, or the first of many and how many bytes there are.
std::string ShownDigits(ByteView bytes);

// The point, or null.
Json CursorAsJson(const Cursor& cursor);

// An output with all that is known of it.
struct ShownOutput {
  OutputReference reference;
  std::uint16_t era = 0;
  ByteView cbor;
  const std::optional<OutputNotes>& notes;
};

JsonObject OutputAsJson(const ShownOutput& output);
std::string OutputLine(const ShownOutput& output);
std::string OutputTable(const ShownOutput& output, const Screen& screen);

}  // namespace talea::cli
