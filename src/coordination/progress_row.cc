#include "coordination/progress_row.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

Result<ProgressRow> Decode(ByteView value) {
  TupleReader reader(value);
  ProgressRow row;
  row.position = TALEA_TRY(reader.Bytes());
  if (TALEA_TRY(reader.Type()) == ElementType::null) {
    TALEA_TRY(reader.Null());
  } else {
    row.base = TALEA_TRY(reader.Bytes());
  }
  TALEA_TRY(reader.Finish());
  return row;
}

}  // namespace

std::string Encode(const ProgressRow& row) {
  std::string value;
  TuplePacker packer(value);
  packer.Bytes(row.position);
  row.base ? packer.Bytes(*row.base) : packer.Null();
  return value;
}

Result<ProgressRow> DecodeProgressRow(std::string_view source, ByteView value) {
  Result<ProgressRow> row = Decode(value);
  if (row && row->base <= row->position) return row;
  return Fail(
      ErrorCode::corruption,
      fmt::format("progress of source {}: expected a position and one that is not beyond it, "
                  "found {}",
                  Quoted(source), Quoted(value)));
}

Result<std::optional<ProgressRow>> ReadProgressRow(Reader& reader, std::string_view source) {
  const std::optional<std::string> value =
      TALEA_TRY(reader.Get(kTaleaKeyspace, ProgressKey(source)));
  if (!value) return std::nullopt;
  return TALEA_TRY(DecodeProgressRow(source, *value));
}

std::string Describe(const Progress::Position& position) {
  return position ? Quoted(*position) : "none";
}

}  // namespace talea
