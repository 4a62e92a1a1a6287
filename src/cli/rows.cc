#include "cli/rows.h"

#include <fmt/format.h>

#include <bit>

#include "cli/bytes_argument.h"
#include "talea/bytes.h"
#include "terminal/numbers.h"

namespace talea::cli {

Result<std::int64_t> CounterValue(const Keyspace& keyspace, const Row& row) {
  if (row.value.size() != sizeof(std::int64_t)) {
    return Fail(ErrorCode::corruption,
                fmt::format("keyspace {}, counter {}: expected 8 bytes, found {}",
                            Quoted(keyspace.name), Quoted(row.key), row.value.size()));
  }
  std::uint64_t sum = 0;
  for (std::size_t byte = 0; byte < sizeof sum; ++byte) {
    sum |= static_cast<std::uint64_t>(static_cast<unsigned char>(row.value[byte])) << (8 * byte);
  }
  return std::bit_cast<std::int64_t>(sum);
}

Result<std::string> ValueForPeople(const Keyspace& keyspace, const Row& row) {
  if (keyspace.pattern != AccessPattern::counter) return Quoted(row.value);
  return fmt::to_string(TALEA_TRY(CounterValue(keyspace, row)));
}

Result<JsonObject> RowAsJson(const Keyspace& keyspace, const Row& row) {
  JsonObject json;
  json.Add("key", BytesArgument(row.key));
  if (keyspace.pattern == AccessPattern::counter) {
    json.Add("value", TALEA_TRY(CounterValue(keyspace, row)));
  } else {
    json.Add("value", BytesArgument(row.value));
  }
  return json;
}

}  // namespace talea::cli
