#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "chain/codec.h"
#include "chain/keys.h"
#include "keyspace/tuple_generators.h"

namespace talea::chain {
namespace {

using talea::testing::pick::OneIn;
using talea::testing::pick::Pick;
using talea::testing::pick::PickFrom;

std::string SomeBytes(std::size_t size) {
  std::string bytes(size, '\0');
  std::ranges::generate(bytes, talea::testing::pick::PickByte);
  return bytes;
}

// From few of each, so that some are alike.
Bytes32 SomeKey() {
  return Bytes32::From(std::string(31, PickFrom({'\x00', 'k', '\xff'})) + SomeBytes(1)).value();
}
NamespaceHash SomeNamespace() {
  const std::uint64_t low = Pick(3);
  return {OneIn(3) ? ~low : OneIn(2) ? low << (8 * Pick(8)) : low};
}
std::string SomeValue() { return SomeBytes(Pick(4)); }
OutputReference SomeReference() {
  return {SomeKey(), OneIn(2) ? static_cast<std::uint32_t>(Pick(3)) : ~0u};
}
Cursor SomeCursor() {
  const std::uint64_t slot = OneIn(2) ? Pick(1000) : ~std::uint64_t{Pick(2)};
  return PickFrom({Cursor(), Cursor(ChainPoint::Origin()), Cursor(ChainPoint::AtSlot(slot)),
                   Cursor(ChainPoint::Of(slot, SomeKey()))});
}

RC_GTEST_PROP(ChainKeysProperty, AreReadAsTheyWereWritten, ()) {
  const NamespaceHash hash = SomeNamespace();
  const ValueKeyParts value{{hash, SomeKey()}, SomeValue()};
  const std::string value_key = ValueKey(hash, value.entity.key, value.value);
  RC_ASSERT(PartsOfValueKey(value_key).value() == value);
  RC_ASSERT(ValueKeys(hash, value.entity.key).Contains(value_key));
  RC_ASSERT(PartsOfEntityKey(EntityRowKey(hash, value.entity.key)).value() == value.entity);
  const OutputReference reference = SomeReference();
  RC_ASSERT(ReferenceOfKey(OutputKey(reference)).value() == reference);
  RC_ASSERT(OutputReference::Parse(reference.ToString()).value() == reference);
  const Cursor cursor = SomeCursor();
  RC_ASSERT(PointOfKey(PointKey(cursor)).value() == cursor);
  RC_ASSERT(DecodeCursor(EncodeCursor(cursor)).value() == cursor);
  if (cursor) RC_ASSERT(ChainPoint::Parse(cursor->ToString()).value() == *cursor);
}

// Scans give entities, values and outputs in an order that callers can rely on.
RC_GTEST_PROP(ChainKeysProperty, SortAsWhatTheyStandForDoes, ()) {
  for (int i = 0; i < 50; ++i) {
    const auto a = std::tuple(SomeNamespace(), SomeKey(), SomeValue());
    const auto b = std::tuple(SomeNamespace(), SomeKey(), SomeValue());
    RC_ASSERT((a <=> b) == (std::apply(ValueKey, a) <=> std::apply(ValueKey, b)));
    const OutputReference x = SomeReference();
    const OutputReference y = SomeReference();
    RC_ASSERT((x <=> y) == (OutputKey(x).view() <=> OutputKey(y).view()));
  }
}

RC_GTEST_PROP(ChainRowsProperty, HaveEachTagOfAnOutputOnce, ()) {
  std::set<OutputNotes::StoredTag> tags;
  std::vector<Tag> given;
  for (std::size_t i = 0; i < 1 + Pick(20); ++i) {
    tags.insert({static_cast<TagKind>(Pick(5)), SomeBytes(Pick(3))});
  }
  for (const auto& [kind, bytes] : tags) given.insert(given.end(), 1 + Pick(2), {kind, bytes});
  std::ranges::rotate(given, given.begin() + static_cast<std::ptrdiff_t>(Pick(given.size())));
  const Output output{.reference = {}, .cbor = {}, .coin = Pick(5), .tags = given};
  const OutputNotes notes = DecodeNotes(EncodeNotes(output)).value();
  RC_ASSERT(notes.coin == output.coin);
  RC_ASSERT(std::ranges::equal(notes.tags, tags));
}

}  // namespace
}  // namespace talea::chain
