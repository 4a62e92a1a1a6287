// Any bytes in the place of a key or row of an index are either refused, or what the layer writes.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "histograms/codec.h"
#include "histograms/keys.h"

namespace talea::histograms {
namespace {

template <class Value, class Same>
void Check(const Result<Value>& value, Same same) {
  if (value) {
    TALEA_CHECK(same(*value));
  } else {
    const ErrorCode code = value.error().code();
    TALEA_CHECK(code == ErrorCode::corruption || code == ErrorCode::unsupported);
    TALEA_CHECK(!value.error().message().empty());
  }
}

void CheckKeys(ByteView bytes) {
  Check(NameOfKey(bytes), [&](const std::string& name) { return NameKey(name) == bytes; });
  Check(IndexOfKey(bytes), [&](IndexId index) { return IndexKey(index) == bytes; });
  Check(IndexOfBuildKey(bytes), [&](IndexId index) { return BuildKey(index) == bytes; });
  Check(PartsOfBucketKey(bytes), [&](const BucketKeyParts& parts) {
    TALEA_CHECK(BucketOfKey(bytes).value() == parts.bucket);
    TALEA_CHECK(BucketKeys(parts.index, parts.histogram).Contains(bytes));
    TALEA_CHECK(BucketKeysUpTo(parts.index, parts.histogram, parts.bucket.lower).Contains(bytes));
    return BucketKey(parts.index, parts.histogram, parts.bucket) == bytes;
  });
  Check(PartsOfCounterKey(bytes), [&](const CounterKeyParts& parts) {
    TALEA_CHECK(CounterKeysWithin(parts.index, parts.histogram, parts.boundary, std::nullopt)
                    .Contains(bytes));
    return CounterKey(parts.index, parts.histogram, parts.boundary, parts.generation) == bytes;
  });
  Check(PartsOfEntryKey(bytes), [&](const EntryKeyParts& parts) {
    TALEA_CHECK(EntryKeys(parts.index).Contains(bytes));
    return EntryPrefix(parts.index).append(parts.value_and_document) == bytes;
  });
}

void CheckValues(ByteView bytes) {
  Check(DecodeIndexId(bytes), [&](IndexId index) { return EncodeIndexId(index) == bytes; });
  Check(DecodeIndexState(bytes),
        [&](const IndexState& state) { return EncodeIndexState(state) == bytes; });
  Check(DecodeBucketRow(bytes),
        [&](const BucketRow& row) { return EncodeBucketRow(row) == bytes; });
  Check(DecodeBuildRow(bytes), [&](const BuildRow& row) { return EncodeBuildRow(row) == bytes; });
}

// A value grows with each of its elements, and never beyond the bytes.
void CheckLengths(ByteView bytes) {
  std::size_t before = 0;
  for (std::size_t elements = 0; elements <= kMostElements; ++elements) {
    Check(ValueLength(bytes, elements), [&](std::size_t length) {
      const bool grows = elements == 0 ? length == 0 : length > before;
      before = length;
      return grows && length <= bytes.size();
    });
  }
}

}  // namespace
}  // namespace talea::histograms

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  talea::histograms::CheckKeys(bytes);
  talea::histograms::CheckValues(bytes);
  talea::histograms::CheckLengths(bytes);
  return 0;
}
