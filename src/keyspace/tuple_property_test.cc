#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <vector>

#include "keyspace/tuple_generators.h"
#include "talea/tuple_packer.h"
#include "talea/tuple_reader.h"

namespace talea {
namespace {

using testing::AnyElement;
using testing::AnyTuple;

std::string PackedOf(const Tuple& tuple) {
  const Result<std::string> packed = Pack(tuple);
  RC_ASSERT(packed.has_value());
  return *packed;
}

Tuple Joined(Tuple left, const Tuple& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// Many in one case, as RapidCheck tries only a hundred cases.
std::vector<Tuple> SomeTuples() { return *rc::gen::container<std::vector<Tuple>>(16, AnyTuple()); }

void CheckOrder(const std::vector<Tuple>& tuples) {
  for (const Tuple& left : tuples) {
    for (const Tuple& right : tuples) {
      RC_ASSERT((left <=> right) == (PackedOf(left) <=> PackedOf(right)));
      RC_ASSERT((left == right) == (PackedOf(left) == PackedOf(right)));
    }
  }
}

RC_GTEST_PROP(TupleProperty, UnpackingGivesBackWhatWasPacked, ()) {
  for (const Tuple& tuple : SomeTuples()) {
    const Result<Tuple> unpacked = Unpack(PackedOf(tuple));
    RC_ASSERT(unpacked.has_value());
    RC_ASSERT(*unpacked == tuple);
  }
}

RC_GTEST_PROP(TupleProperty, TuplesSortAsTheirBytesDo, ()) { CheckOrder(SomeTuples()); }

// With a common beginning, only a late element decides.
RC_GTEST_PROP(TupleProperty, TuplesThatBeginAlikeSortAsTheirBytesDo, ()) {
  const Tuple common = *AnyTuple();
  std::vector<Tuple> tuples = SomeTuples();
  for (Tuple& tuple : tuples) tuple = Joined(common, tuple);
  CheckOrder(tuples);
}

RC_GTEST_PROP(TupleProperty, TuplesThatBeginWithNestedOnesSortAsTheirBytesDo, ()) {
  const Tuple common = *AnyTuple();
  std::vector<Tuple> tuples = SomeTuples();
  for (Tuple& tuple : tuples) tuple = {Element(Joined(common, tuple)), *AnyElement(1)};
  CheckOrder(tuples);
}

RC_GTEST_PROP(TupleProperty, PackingIsJoiningWhatTheElementsPackTo, ()) {
  const Tuple left = *AnyTuple();
  const Tuple right = *AnyTuple();
  RC_ASSERT(PackedOf(Joined(left, right)) == PackedOf(left) + PackedOf(right));
}

RC_GTEST_PROP(TupleProperty, KeysInsideHoldsAllLongerTuplesAndNoOthers, ()) {
  const Tuple prefix = *AnyTuple();
  const Tuple other = *AnyTuple();
  const KeyRange inside = *KeysInside(prefix);
  RC_ASSERT(!inside.Contains(PackedOf(prefix)));
  RC_ASSERT(inside.Contains(PackedOf(Joined(prefix, {*AnyElement(2)}))));
  const bool begins_alike =
      other.size() > prefix.size() && std::equal(prefix.begin(), prefix.end(), other.begin());
  RC_ASSERT(inside.Contains(PackedOf(other)) == begins_alike);
}

RC_GTEST_PROP(TupleProperty, KeysStartingWithPartOfHoldsAllTextsThatStartSo, ()) {
  const std::string part = *testing::AnyText();
  const std::string rest = *testing::AnyText();
  const std::string other = *testing::AnyText();
  const Tuple common = *AnyTuple(1);
  const KeyRange range = *KeysStartingWithPartOf(Joined(common, {Text(part)}));
  RC_ASSERT(range.Contains(PackedOf(Joined(common, {Text(part + rest), *AnyElement(1)}))));
  RC_ASSERT(range.Contains(PackedOf(Joined(common, {Text(other)}))) == other.starts_with(part));
}

RC_GTEST_PROP(TupleProperty, SkippingEndsWhereReadingEnds, ()) {
  const std::string packed = PackedOf(*AnyTuple());
  TupleReader reading(packed);
  TupleReader skipping(packed);
  while (!reading.AtEnd()) {
    RC_ASSERT(reading.Next().has_value());
    RC_ASSERT(skipping.Skip().has_value());
    RC_ASSERT(reading.offset() == skipping.offset());
  }
  RC_ASSERT(skipping.Finish().has_value());
}

// Int() and Uint() have a quick way of their own, which must take neither more nor less.
RC_GTEST_PROP(TupleProperty, TypedReadsOfIntegersAgreeWithUntypedOnes, ()) {
  std::string bytes = PackedOf({*AnyElement(0)});
  if (*rc::gen::arbitrary<bool>()) bytes = *testing::AnyBytes();
  if (!bytes.empty()) bytes[0] = *rc::gen::inRange<char>(0x0a, 0x1f);
  const Result<Element> next = TupleReader(bytes).Next();
  const Result<std::int64_t> number = TupleReader(bytes).Int();
  const Result<std::uint64_t> natural = TupleReader(bytes).Uint();
  RC_ASSERT(number.has_value() == (next && next->AsInt()));
  RC_ASSERT(natural.has_value() == (next && next->AsUint()));
  if (number) RC_ASSERT(Element(*number) == *next);
  if (natural) RC_ASSERT(Element(*natural) == *next);
}

// Either the bytes are refused, or they are exactly what Pack writes: one value
// never has two encodings.
void CheckRefusedOrCanonical(const std::string& bytes) {
  const Result<Tuple> unpacked = Unpack(bytes);
  if (unpacked) RC_ASSERT(PackedOf(*unpacked) == bytes);
}

RC_GTEST_PROP(TupleProperty, DamagedBytesAreRefusedOrAnotherTuple, ()) {
  const std::string packed = PackedOf(*AnyTuple());
  const char damage = *rc::gen::arbitrary<char>();
  for (std::size_t i = 0; i < packed.size(); ++i) {
    std::string bytes = packed;
    bytes[i] = damage;
    CheckRefusedOrCanonical(bytes);
  }
}

RC_GTEST_PROP(TupleProperty, CutBytesAreRefusedOrAShorterTuple, ()) {
  const std::string packed = PackedOf(*AnyTuple());
  for (std::size_t i = 0; i < packed.size(); ++i) CheckRefusedOrCanonical(packed.substr(0, i));
}

RC_GTEST_PROP(TupleProperty, RandomBytesAreRefusedOrATuple, ()) {
  CheckRefusedOrCanonical(*rc::gen::container<std::string>(rc::gen::oneOf(
      rc::gen::arbitrary<char>(),
      rc::gen::element('\x00', '\x01', '\x02', '\x05', '\x0b', '\x15', '\x1d', '\xf6', '\xff'))));
}

// A generator that misses a type would make every property here an empty promise.
TEST(TupleGenerators, MakeElementsOfEveryType) {
  std::set<ElementType> found;
  const rc::Gen<Element> generator = AnyElement(1);
  rc::Random random(1);
  for (int i = 0; i < 1000; ++i) found.insert(generator(random.split()).value().type());
  EXPECT_EQ(found.size(), 9u);
}

}  // namespace
}  // namespace talea
