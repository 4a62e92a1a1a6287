#include "engine/memory_state.h"

#include "base/check.h"
#include "base/coding.h"

namespace talea {
namespace {

void Add(PersistentMap& map, ByteView key, std::int64_t delta) {
  const std::optional<ByteView> stored = map.Find(key);
  const std::int64_t sum = WrappingAdd(stored ? DecodeCounter(*stored).value_or(0) : 0, delta);
  if (sum == 0) return map.Erase(key);
  map.Put(key, EncodeCounter(sum));
}

}  // namespace

void MemoryState::Apply(const WriteBatch::Operation& operation) {
  PersistentMap& map = maps_[keyspaces_->Position(operation.keyspace)];
  switch (operation.kind) {
    case WriteBatch::Kind::put:
      return Put(*keyspaces_->Find(operation.keyspace), operation.key, operation.value);
    case WriteBatch::Kind::erase:
      return map.Erase(operation.key);
    case WriteBatch::Kind::erase_range:
      return map.EraseRange(operation.Range());
    case WriteBatch::Kind::add:
      return Add(map, operation.key, operation.delta);
  }
}

void MemoryState::Put(const Keyspace& keyspace, ByteView key, ByteView value) {
  PersistentMap& map = maps_[keyspaces_->Position(keyspace.id)];
  const bool zero = keyspace.pattern == AccessPattern::counter && DecodeCounter(value) == 0;
  if (zero) return map.Erase(key);
  map.Put(key, value);
}

std::optional<ByteView> MemoryState::Get(const Keyspace& keyspace, ByteView key) const {
  return map(keyspace).Find(key);
}

Page MemoryState::Range(const Keyspace& keyspace, const KeyRange& range,
                        const PageOptions& options) const {
  Page page;
  page.SetVersion(version);
  PersistentMap::Cursor cursor(map(keyspace));
  if (options.reverse) {
    cursor.SeekBefore(range.end());
  } else {
    cursor.SeekAtOrAfter(range.begin());
  }
  while (cursor.valid() && range.Contains(cursor.key())) {
    if (page.Full(options)) {
      page.SetRestAfterLastRow(range, options.reverse);
      break;
    }
    page.Append(cursor.key(), cursor.value());
    options.reverse ? cursor.Previous() : cursor.Next();
  }
  return page;
}

}  // namespace talea
