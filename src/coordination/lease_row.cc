#include "coordination/lease_row.h"

#include <fmt/format.h>

#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

Result<LeaseRow> Decode(ByteView value) {
  TupleReader reader(value);
  LeaseRow row;
  row.token = TALEA_TRY(reader.Uint());
  if (TALEA_TRY(reader.Type()) == ElementType::null) {
    TALEA_TRY(reader.Null());
  } else {
    row.owner = TALEA_TRY(reader.Bytes());
  }
  TALEA_TRY(reader.Finish());
  return row;
}

}  // namespace

std::string Encode(const LeaseRow& row) {
  std::string value;
  TuplePacker packer(value);
  packer.Int(row.token);
  row.owner ? packer.Bytes(*row.owner) : packer.Null();
  return value;
}

Result<LeaseRow> DecodeLeaseRow(std::string_view name, ByteView value) {
  Result<LeaseRow> row = Decode(value);
  if (row && row->token > 0) return row;
  return Fail(ErrorCode::corruption,
              fmt::format("lease {}: expected a token from 1 on and an owner, found {}",
                          Quoted(name), Quoted(value)));
}

}  // namespace talea
