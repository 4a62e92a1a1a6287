// Any bytes in the place of a key or row of a ledger are either refused, or what the layer writes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/staged_row.h"
#include "chain/standing.h"

namespace talea::chain {
namespace {

template <class Value, class Same>
void Check(const Result<Value>& value, Same same, ErrorCode refusal = ErrorCode::corruption) {
  if (value) {
    TALEA_CHECK(same(*value));
  } else {
    TALEA_CHECK(value.error().code() == refusal);
    TALEA_CHECK(!value.error().message().empty());
  }
}

void CheckPlainKeys(ByteView bytes) {
  Check(ReferenceOfKey(bytes),
        [&](const OutputReference& reference) { return OutputKey(reference).view() == bytes; });
  Check(PartsOfEntityKey(bytes), [&](const EntityKeyParts& parts) {
    TALEA_CHECK(EntityKeys(parts.name_space).Contains(bytes));
    TALEA_CHECK(EntityKeysWithin(parts.name_space, parts.key, std::nullopt).Contains(bytes));
    return EntityRowKey(parts.name_space, parts.key) == bytes;
  });
  Check(PartsOfTagKey(bytes), [&](const TagKeyParts& parts) {
    TALEA_CHECK(TagKeys({parts.kind, parts.bytes}).Contains(bytes));
    return TagKey({parts.kind, parts.bytes}, parts.reference) == bytes;
  });
  Check(PartsOfCountKey(bytes), [&](const CountKeyParts& parts) {
    return (parts.name_space ? CountKey(parts.count, *parts.name_space) : CountKey(parts.count)) ==
           bytes;
  });
  Check(PartsOfStagedKey(bytes), [&](const StagedKeyParts& parts) {
    const KeyRange range = StagedKeysOf(parts.as, parts.keyspace, KeyRange::From(parts.key));
    TALEA_CHECK(range.Contains(bytes));
    TALEA_CHECK(UnstagedKeys(range).Contains(parts.key));
    return StagedKey(parts.as, parts.keyspace, parts.key) == bytes;
  });
}

void CheckTupleKeys(ByteView bytes) {
  Check(NamespaceOfKey(bytes), [&](NamespaceHash hash) {
    return NamespaceKeys().Contains(bytes) && NamespaceKey(hash) == bytes;
  });
  Check(StepOfKey(bytes), [&](std::uint64_t step) {
    return StepKeysUpTo(step).Contains(bytes) && StepKey(step) == bytes;
  });
  Check(PointOfKey(bytes), [&](const Cursor& point) {
    return PointKeys().Contains(bytes) && PointKey(point) == bytes;
  });
  Check(PartsOfValueKey(bytes), [&](const ValueKeyParts& parts) {
    const auto& [name_space, key] = parts.entity;
    TALEA_CHECK(ValueKeys(name_space, key).Contains(bytes));
    TALEA_CHECK(ValueKeys(name_space).Contains(bytes));
    return ValueKey(name_space, key, parts.value) == bytes;
  });
}

std::string Encoded(const OutputNotes& notes) {
  Output output{.reference = {}, .cbor = {}, .coin = notes.coin};
  for (const auto& [kind, tag] : notes.tags) output.tags.push_back({kind, tag});
  return EncodeNotes(output);
}

void CheckValues(ByteView bytes) {
  Check(DecodePoint(bytes), [&](const ChainPoint& point) { return EncodePoint(point) == bytes; });
  Check(DecodeCursor(bytes), [&](const Cursor& cursor) { return EncodeCursor(cursor) == bytes; });
  Check(DecodeStepRow(bytes), [&](const StepRow& row) { return Encode(row) == bytes; });
  Check(DecodeNotes(bytes), [&](const OutputNotes& notes) { return Encoded(notes) == bytes; });
  Check(DecodeCoin(bytes), [&](std::uint64_t coin) { return EncodeCoin(coin) == bytes; });
  Check(DecodeStep(bytes), [&](std::uint64_t step) { return EncodeStep(step) == bytes; });
  Check(DecodeStagingHeader(bytes),
        [&](const StagingHeader& header) { return Encode(header) == bytes; });
  Check(DecodeStagedChange(bytes),
        [&](const StagedChange& change) { return Encode(change) == bytes; });
  Check(OutputValue::FromStored(std::string(bytes)), [&](const OutputValue& value) {
    const Output output{.reference = {}, .era = value.era(), .cbor = value.cbor()};
    return value.stored() == bytes && EncodeOutput(output) == bytes;
  });
}

// A staged row: its key and its value, one behind the other.
void CheckStagedRows(ByteView bytes) {
  for (std::size_t size = 0; size <= bytes.size() && size <= 64; ++size) {
    const Row row{bytes.substr(0, size), bytes.substr(size)};
    Check(ReadStagedRow(row), [&](const WriteBatch::Operation& write) {
      const StagedRow staged = Stage(write);
      return MayBeStaged(write.keyspace) && staged.key == row.key && staged.value == row.value;
    });
  }
}

void CheckTexts(std::string_view text) {
  const auto same = [](const auto& value) {
    return std::remove_cvref_t<decltype(value)>::Parse(value.ToString()).value() == value;
  };
  Check(ChainPoint::Parse(text), same, ErrorCode::invalid_argument);
  Check(OutputReference::Parse(text), same, ErrorCode::invalid_argument);
  Check(Bytes32::Parse(text), same, ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace talea::chain

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  talea::chain::CheckPlainKeys(bytes);
  talea::chain::CheckTupleKeys(bytes);
  talea::chain::CheckValues(bytes);
  talea::chain::CheckStagedRows(bytes);
  talea::chain::CheckTexts(bytes);
  return 0;
}
