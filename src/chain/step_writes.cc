#include "chain/step_writes.h"

#include "base/coding.h"
#include "chain/codec.h"
#include "coordination/keys.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

// Collects writes, and what takes them back.
class BatchSink final : public StepSink {
 public:
  BatchSink(KeyspaceBatches& writes, KeyspaceBatches& restore)
      : writes_(writes), restore_(restore) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    writes_.Of(keyspace).Put(keyspace, key, value);
    restore_.Of(keyspace).Erase(keyspace, key);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView old, ByteView value) override {
    writes_.Of(keyspace).Put(keyspace, key, value);
    restore_.Of(keyspace).Put(keyspace, key, old);
  }
  void Erase(const Keyspace& keyspace, ByteView key, ByteView old) override {
    writes_.Of(keyspace).Erase(keyspace, key);
    restore_.Of(keyspace).Put(keyspace, key, old);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    writes_.Of(keyspace).Add(keyspace, key, delta);
    restore_.Of(keyspace).Add(keyspace, key, WrappingNegate(delta));
  }

 private:
  KeyspaceBatches& writes_;
  KeyspaceBatches& restore_;
};

void WriteProgress(const Standing& standing, bool with_undo, StepSink& sink) {
  sink.Put(kTaleaKeyspace, ProgressKey(LedgerProgress().source()), standing.progress_row,
           Encode(ProgressAfter(standing, with_undo)));
}

void AppendUndo(const Limits& limits, std::uint64_t step, const WriteBatch& restore,
                WriteBatch& undo) {
  const std::vector<std::string> parts = EncodeUndo(restore, limits.value_bytes);
  const std::string key = StepUndoKey(step);
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    undo.Put(kUndoKeyspace, UndoKey(key, part), parts[part]);
  }
}

}  // namespace

WriteBatch Join(std::initializer_list<const KeyspaceBatches*> parts) {
  std::size_t bytes = 0;
  for (const KeyspaceBatches* part : parts) {
    for (const WriteBatch& batch : part->all()) bytes += batch.bytes();
  }
  WriteBatch joined;
  joined.Reserve(bytes);
  for (std::size_t keyspace = 0; keyspace <= kChainStagingKeyspace.id; ++keyspace) {
    for (const KeyspaceBatches* part : parts) joined.Append(part->all()[keyspace]);
  }
  return joined;
}

StepWrites WritesOf(const Limits& limits, Step& step, const Standing& standing, bool with_undo) {
  StepWrites writes;
  KeyspaceBatches restore;
  BatchSink changes(writes.changes, restore);
  BatchSink head(writes.head, restore);
  WriteProgress(standing, with_undo, head);
  step.WriteChanges(changes);
  step.WriteCursor(standing, head);
  if (!with_undo) return writes;
  step.WriteStepRows(standing, head);
  AppendUndo(limits, standing.step + 1, Join({&restore}), writes.changes.Of(kUndoKeyspace));
  return writes;
}

}  // namespace talea::chain
