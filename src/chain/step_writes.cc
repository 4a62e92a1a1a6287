#include "chain/step_writes.h"

#include "base/coding.h"
#include "chain/codec.h"
#include "coordination/keys.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

class BatchSink final : public StepSink {
 public:
  explicit BatchSink(KeyspaceBatches& writes) : writes_(writes) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    writes_.Of(keyspace).Put(keyspace, key, value);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView, ByteView value) override {
    writes_.Of(keyspace).Put(keyspace, key, value);
  }
  void Erase(const Keyspace& keyspace, ByteView key, ByteView) override {
    writes_.Of(keyspace).Erase(keyspace, key);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    writes_.Of(keyspace).Add(keyspace, key, delta);
  }

 private:
  KeyspaceBatches& writes_;
};

// Passes writes on, and collects what takes them back.
class RestoringSink final : public StepSink {
 public:
  RestoringSink(StepSink& writes, KeyspaceBatches& restore) : writes_(writes), restore_(restore) {}

  void Insert(const Keyspace& keyspace, ByteView key, ByteView value) override {
    writes_.Insert(keyspace, key, value);
    restore_.Of(keyspace).Erase(keyspace, key);
  }
  void Replace(const Keyspace& keyspace, ByteView key, ByteView old, ByteView value) override {
    writes_.Replace(keyspace, key, old, value);
    restore_.Of(keyspace).Put(keyspace, key, old);
  }
  void Erase(const Keyspace& keyspace, ByteView key, ByteView old) override {
    writes_.Erase(keyspace, key, old);
    restore_.Of(keyspace).Put(keyspace, key, old);
  }
  void Add(const Keyspace& keyspace, ByteView key, std::int64_t delta) override {
    writes_.Add(keyspace, key, delta);
    restore_.Of(keyspace).Add(keyspace, key, WrappingNegate(delta));
  }

 private:
  StepSink& writes_;
  KeyspaceBatches& restore_;
};

void WriteProgress(const Standing& standing, bool with_undo, StepSink& sink) {
  sink.Put(kTaleaKeyspace, ProgressKey(LedgerProgress().source()), standing.progress_row,
           Encode(ProgressAfter(standing, with_undo)));
}

void WriteUndo(const Limits& limits, std::uint64_t step, const WriteBatch& restore,
               StepSink& sink) {
  const std::vector<std::string> parts = EncodeUndo(restore, limits.value_bytes);
  const std::string key = StepUndoKey(step);
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    sink.Insert(kUndoKeyspace, UndoKey(key, part), parts[part]);
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

void KeyspaceBatches::Clear() {
  for (WriteBatch& batch : batches_) {
    if (!batch.empty()) batch.Clear();
  }
}

void WriteStep(const Limits& limits, Step& step, const Standing& standing, bool with_undo,
               StepSink& head, StepSink& changes, KeyspaceBatches& restore) {
  RestoringSink restored_head(head, restore);
  RestoringSink restored_changes(changes, restore);
  WriteProgress(standing, with_undo, restored_head);
  step.WriteChanges(restored_changes);
  step.WriteCursor(standing, restored_head);
  if (!with_undo) return;
  step.WriteStepRows(standing, restored_head);
  WriteUndo(limits, standing.step + 1, Join({&restore}), changes);
}

StepWrites WritesOf(const Limits& limits, Step& step, const Standing& standing, bool with_undo) {
  StepWrites writes;
  BatchSink head(writes.head);
  BatchSink changes(writes.changes);
  KeyspaceBatches restore;
  WriteStep(limits, step, standing, with_undo, head, changes, restore);
  return writes;
}

}  // namespace talea::chain
