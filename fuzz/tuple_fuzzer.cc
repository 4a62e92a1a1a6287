// Any bytes are either refused, or a tuple that packs to the very same bytes; and
// two tuples always sort as their bytes do.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "talea/tuple.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

// All ways to read the same bytes must agree on whether they are a tuple. Only
// Skip() overlooks bad text.
void CheckReader(ByteView bytes, bool valid) {
  TupleReader reader(bytes);
  bool skipped = true;
  while (skipped && !reader.AtEnd()) skipped = reader.Skip().has_value();
  TALEA_CHECK(skipped || !valid);
  TALEA_CHECK(reader.Finish().has_value() == skipped);
}

// Int() and Uint() have a quick way of their own.
void CheckIntegers(ByteView bytes) {
  const Result<Element> next = TupleReader(bytes).Next();
  const Result<std::int64_t> number = TupleReader(bytes).Int();
  const Result<std::uint64_t> natural = TupleReader(bytes).Uint();
  TALEA_CHECK(number.has_value() == (next && next->AsInt()));
  TALEA_CHECK(natural.has_value() == (next && next->AsUint()));
  TALEA_CHECK(!number || *next == Element(*number));
  TALEA_CHECK(!natural || *next == Element(*natural));
}

Result<Tuple> CheckedUnpack(ByteView bytes) {
  Result<Tuple> tuple = Unpack(bytes);
  CheckReader(bytes, tuple.has_value());
  CheckIntegers(bytes);
  if (tuple) {
    TALEA_CHECK(Pack(*tuple) == bytes);
    TALEA_CHECK(ToString(*tuple).ends_with(')'));
    TALEA_CHECK(KeysInside(*tuple)->Contains(std::string(bytes) + '\0'));
  }
  return tuple;
}

void CheckOrder(const Tuple& left, ByteView left_bytes, const Tuple& right, ByteView right_bytes) {
  TALEA_CHECK((left <=> right) == (left_bytes <=> right_bytes));
  TALEA_CHECK((left == right) == (left_bytes == right_bytes));
}

// The first byte says where to divide the rest. Where both halves are tuples, they are compared.
void CheckHalves(ByteView bytes) {
  if (bytes.empty()) return;
  const std::size_t middle = static_cast<std::uint8_t>(bytes[0]) % bytes.size();
  const ByteView left = bytes.substr(1, middle);
  const ByteView right = bytes.substr(std::min(bytes.size(), 1 + middle));
  const Result<Tuple> left_tuple = CheckedUnpack(left);
  const Result<Tuple> right_tuple = CheckedUnpack(right);
  if (!left_tuple || !right_tuple) return;
  CheckOrder(*left_tuple, left, *right_tuple, right);
  Tuple both = *left_tuple;
  both.insert(both.end(), right_tuple->begin(), right_tuple->end());
  CheckOrder(*left_tuple, left, both, bytes.substr(1));
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  (void)talea::CheckedUnpack(bytes);
  talea::CheckHalves(bytes);
  return 0;
}
