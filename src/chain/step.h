// One commit to a ledger: what it changes, checked against what is stored, and written.
#pragma once

#include "chain/entities.h"
#include "chain/lookups.h"
#include "chain/outputs.h"
#include "chain/standing.h"
#include "talea/chain.h"

namespace talea::chain {

// Call Read, then the writing ones. What the changes refer to must stay until then.
class Step {
 public:
  Step(const ChainBatch::Parts& changes, const ApplyOptions& options)
      : cursor_(changes.cursor),
        outputs_(changes.deltas, options),
        entities_(changes.entities, changes.values, changes.counters) {}

  // Reads what is stored of all that the step changes, so many keys at once, and fails where that
  // does not fit together. The standing is that of the ledger before the step.
  Status Read(Reader& reader, const Standing& standing, std::size_t at_once);

  // The same in parts, for who reads for many steps at once: Ask, answer the lookups, Check.
  Status Ask(const Standing& standing);
  Lookups& lookups() { return lookups_; }
  Status Check();

  // The rows of the step's changes.
  void WriteChanges(StepSink& sink);
  // The cursor.
  void WriteCursor(const Standing& standing, StepSink& sink);
  // What it takes to find the step later.
  void WriteStepRows(const Standing& standing, StepSink& sink);

  std::uint64_t missing_inputs() const { return outputs_.missing_inputs(); }

 private:
  // Where the step leads.
  const Cursor& After(const Standing& standing) const {
    return cursor_ ? cursor_ : standing.cursor;
  }

  const std::optional<ChainPoint> cursor_;  // if it is moved
  OutputPlan outputs_;
  EntityPlan entities_;
  Lookups lookups_;
  std::size_t point_lookup_ = 0;
};

}  // namespace talea::chain
