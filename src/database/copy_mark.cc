#include "database/copy_mark.h"

#include <fmt/format.h>

#include "base/coding.h"

namespace talea {
namespace {

constexpr std::uint8_t kFormat = 1;

}  // namespace

std::string EncodeCopyMark(const CopyMark& mark) {
  std::string bytes(1, static_cast<char>(kFormat));
  AppendFixed64(bytes, mark.source.number);
  AppendFixed64(bytes, mark.rows);
  if (!mark.position) return bytes;
  bytes.push_back(static_cast<char>(mark.position->keyspace));
  AppendSized(bytes, mark.position->key);
  return bytes;
}

Result<CopyMark> DecodeCopyMark(ByteView bytes) {
  ByteReader reader(bytes);
  const auto format = reader.Fixed<std::uint8_t>();
  if (format && *format > kFormat) {
    return Fail(ErrorCode::unsupported,
                fmt::format("mark of a copy: expected format {}, found {}", kFormat, *format));
  }
  const std::unexpected<Error> refusal =
      Fail(ErrorCode::corruption,
           fmt::format("mark of a copy: expected a version, a number of rows and the last row, "
                       "found {}",
                       Quoted(bytes)));
  const auto source = reader.Fixed<std::uint64_t>();
  const auto rows = reader.Fixed<std::uint64_t>();
  if (format != kFormat || !source || !rows) return refusal;
  CopyMark mark{.source = {*source}, .rows = *rows, .position = {}};
  if (reader.empty()) return mark;
  const auto keyspace = reader.Fixed<std::uint8_t>();
  const auto key = reader.Sized();
  if (!keyspace || !key || !reader.empty()) return refusal;
  mark.position = RowPosition{*keyspace, std::string(*key)};
  return mark;
}

}  // namespace talea
