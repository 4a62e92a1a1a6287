// Any bytes are either refused as corruption, or a batch that encodes to the very same bytes, and
// to the same again when its writes are made one by one.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "talea/write_batch.h"

namespace talea {
namespace {

constexpr std::size_t kMostCopied = 64;

// A keyspace of that id that takes such a write.
Keyspace KeyspaceFor(const WriteBatch::Operation& operation) {
  const bool counter = operation.kind == WriteBatch::Kind::add;
  return {operation.keyspace, counter ? AccessPattern::counter : AccessPattern::scan, "any"};
}

void Write(WriteBatch& batch, const WriteBatch::Operation& operation) {
  const Keyspace keyspace = KeyspaceFor(operation);
  switch (operation.kind) {
    case WriteBatch::Kind::put:
      return batch.Put(keyspace, operation.key, operation.value);
    case WriteBatch::Kind::erase:
      return batch.Erase(keyspace, operation.key);
    case WriteBatch::Kind::erase_range:
      TALEA_CHECK(operation.Range().begin() == operation.key);
      TALEA_CHECK(operation.Range().end().has_value() != operation.open_end);
      return batch.EraseRange(keyspace, operation.Range());
    case WriteBatch::Kind::add:
      return batch.Add(keyspace, operation.key, operation.delta);
  }
  TALEA_CHECK(false);
}

void CheckBatch(const WriteBatch& batch) {
  WriteBatch same;
  for (const WriteBatch::Operation& operation : batch) Write(same, operation);
  TALEA_CHECK(same == batch);
  TALEA_CHECK(same.count() == batch.count());
}

// A batch ends wherever an operation does: each of its beginnings is whole or cut short, and no
// beginning holds more than the batch.
void CheckBeginnings(ByteView bytes, const WriteBatch& batch) {
  for (std::size_t size = 0; size < bytes.size() && size < kMostCopied; ++size) {
    const Result<WriteBatch> beginning = WriteBatch::Decode(bytes.substr(0, size));
    TALEA_CHECK(!beginning || beginning->count() < batch.count());
  }
}

}  // namespace
}  // namespace talea

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const talea::ByteView bytes(reinterpret_cast<const char*>(data), size);
  const talea::Result<talea::WriteBatch> batch = talea::WriteBatch::Decode(bytes);
  if (!batch) {
    TALEA_CHECK(batch.error().code() == talea::ErrorCode::corruption);
    return 0;
  }
  TALEA_CHECK(batch->encoded() == bytes);
  talea::CheckBatch(*batch);
  talea::CheckBeginnings(bytes, *batch);
  return 0;
}
