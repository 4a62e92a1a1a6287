// Blocks made ready to go into a ledger in one commit, each as a step of its own.
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chain/standing.h"
#include "chain/step_writes.h"
#include "engine/write_overlay.h"
#include "talea/chain.h"
#include "talea/engine.h"

namespace talea::chain {

// A block as the changes of a step.
struct BlockChanges {
  explicit BlockChanges(const Block& block)
      : delta{.produced = block.produced, .consumed = block.consumed},
        parts{.deltas = {&delta, 1},
              .entities = block.entities,
              .values = block.values,
              .counters = block.counters,
              .cursor = block.point} {}
  BlockChanges(const BlockChanges&) = delete;

  const UtxoSetDelta delta;
  const ChainBatch::Parts parts;
};

// A block that leads nowhere would be taken for being in, and passed over.
Status CheckMoves(const Block& block);
Status CheckParent(const Block& block, const Cursor& cursor);

// Made once, and then only read.
class BlockGroup {
 public:
  struct Options {
    const Limits& limits;
    bool with_undo;
    ApplyOptions apply;
  };

  // The blocks are to follow on the state that the reader shows, where the ledger stands there; or,
  // with `before`, on what that group makes of it. Fails as Apply does for the first of them that
  // does not fit; the group is of no use then. Round trips: two.
  static Result<std::unique_ptr<BlockGroup>> Make(Reader& reader, const Standing& standing,
                                                  const BlockGroup* before,
                                                  std::span<const Block> blocks,
                                                  const Options& options);

  // What became of each block, if the group is committed.
  const std::vector<Applied>& answers() const { return answers_; }
  // Where the ledger stands after it.
  const Standing& after() const { return after_; }
  // All its writes: at most one for each key.
  WriteBatch Writes() const;

 private:
  class Sink;
  struct Blocks;

  BlockGroup(const Standing& standing, const BlockGroup* before);

  Status Add(Step& step, const ChainPoint& point, std::span<std::optional<std::string>> stored,
             const Options& options);
  // What the rows of this group, or of the one before, have become, if they were written.
  void Overlay(const KeyReference& key, std::optional<std::string>& stored) const;
  bool Changed(const KeyReference& key, std::optional<std::string>& stored) const;

  const BlockGroup* before_;          // while it is being made
  std::deque<KeyspaceOverlay> rows_;  // by the ids of keyspaces
  KeyspaceBatches restore_;           // of the step that is being added
  std::vector<Applied> answers_;
  Standing after_;
};

}  // namespace talea::chain
