// The writes of a step as batches, with what takes them back: for steps that no Transaction makes.
#pragma once

#include <array>
#include <initializer_list>

#include "chain/standing.h"
#include "chain/step.h"
#include "chain/step_sink.h"
#include "talea/engine.h"
#include "talea/write_batch.h"

namespace talea::chain {

// Writes, by keyspace: so that together they come in the order of keyspaces, as an engine sorts
// them.
class KeyspaceBatches {
 public:
  WriteBatch& Of(const Keyspace& keyspace) { return batches_[keyspace.id]; }
  void Clear();  // keeps the memory
  // By the ids of keyspaces; most are empty.
  const auto& all() const { return batches_; }

 private:
  std::array<WriteBatch, kChainStagingKeyspace.id + 1> batches_;
};

// In the order of keyspaces, and within one of these in the order given.
WriteBatch Join(std::initializer_list<const KeyspaceBatches*> parts);

struct StepWrites {
  KeyspaceBatches changes;  // with the undo record
  KeyspaceBatches head;     // cursor, progress, and what it takes to find the step

  // All of it.
  WriteBatch Joined() const { return Join({&head, &changes}); }
};

// Writes a step that has read what it has to know, its head and its changes to where each belongs.
// What takes it back is collected in `restore`, which must be empty.
void WriteStep(const Limits& limits, Step& step, const Standing& standing, bool with_undo,
               StepSink& head, StepSink& changes, KeyspaceBatches& restore);

// The same as batches.
StepWrites WritesOf(const Limits& limits, Step& step, const Standing& standing, bool with_undo);

}  // namespace talea::chain
