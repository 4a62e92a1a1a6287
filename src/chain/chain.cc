#include "talea/chain.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "chain/block_group.h"
#include "chain/codec.h"
#include "chain/prune.h"
#include "chain/staged_step.h"
#include "chain/staging.h"
#include "chain/step_writes.h"
#include "chain/unknown_outcome.h"
#include "coordination/attempts.h"
#include "talea/chain_loader.h"

namespace talea {

using namespace chain;

namespace {

constexpr std::size_t kAllAtOnce = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostTogether = 64;        // blocks in a commit
constexpr std::size_t kMostTogetherRows = 1000;  // a commit of so many has nothing left to share

std::unexpected<Error> About(const ChainPoint& point, const Error& error) {
  return Fail(error.code(), fmt::format("block {}: {}", point.ToString(), error.message()));
}

Status MoveProgress(Transaction& transaction, std::uint64_t step, bool with_undo) {
  Progress::Position from;
  if (step > 0) from = EncodeStep(step);
  const std::string to = EncodeStep(step + 1);
  return with_undo ? LedgerProgress().MoveWithUndo(transaction, from, to)
                   : LedgerProgress().Move(transaction, from, to);
}

// Whether the block is in. Fails if it is not, and cannot follow.
Result<bool> IsIn(const Block& block, const Standing& standing) {
  // A writer may have moved the cursor back: then the block fits again, though its point is known.
  const bool fits = standing.cursor == block.parent;
  if (standing.cursor == block.point || (standing.known_as && !fits)) return true;
  TALEA_TRY(CheckParent(block, standing.cursor));
  return false;
}

// Makes the step in this transaction, which from then on cannot be committed if it fails. What is
// read needs no record, as every step has read the progress, and moves it.
Result<std::uint64_t> Perform(Transaction& transaction, const ChainOptions& options,
                              const Standing& standing, const ChainBatch::Parts& changes,
                              const ApplyOptions& apply_options) {
  TALEA_TRY(MakeWay(transaction.engine(), standing));
  const bool with_undo = options.undo_window > 0;
  TALEA_TRY(MoveProgress(transaction, standing.step, with_undo));
  Step step(changes, apply_options);
  if (Status read = step.Read(transaction.unrecorded(), standing, kAllAtOnce); !read) {
    transaction.Refuse(read.error());
    return std::unexpected(read.error());
  }
  TransactionSink sink(transaction);
  step.WriteChanges(sink);
  step.WriteCursor(standing, sink);
  if (with_undo) step.WriteStepRows(standing, sink);
  transaction.Afterwards([engine = &transaction.engine(), next = standing.step + 1,
                          window = options.undo_window] { PruneIfDue(*engine, next, window); });
  return step.missing_inputs();
}

// Makes the step in a commit of its own, without a Transaction: that would keep every row to be
// read back, which nobody does. `point` is what the standing was asked about.
Status CommitStep(Engine& engine, const ChainOptions& options, Snapshot& snapshot,
                  const Standing& standing, const Cursor& point, Step& step) {
  TALEA_TRY(MakeWay(engine, standing));
  TALEA_TRY(step.Read(snapshot, standing, kAllAtOnce));
  const bool with_undo = options.undo_window > 0;
  CommitRequest request{.snapshot = &snapshot,
                        .reads = ReadsOfStanding(point),
                        .expected = {},
                        .batch = WritesOf(engine.limits(), step, standing, with_undo).Joined(),
                        .durability = options.durability,
                        .after_commit = {}};
  TALEA_TRY(engine.Commit(std::move(request)));
  PruneIfDue(engine, standing.step + 1, options.undo_window);
  return {};
}

// The same, in several commits where one is too small. Returns how many inputs were passed over.
struct MadeStep {
  Status outcome;
  std::uint64_t missing_inputs = 0;
};
MadeStep MakeStep(Engine& engine, const ChainOptions& options, Snapshot& snapshot,
                  const Standing& standing, const Cursor& point, const ChainBatch::Parts& changes,
                  const ApplyOptions& apply_options) {
  Step step(changes, apply_options);
  Status made = CommitStep(engine, options, snapshot, standing, point, step);
  if (!made && made.error().code() == ErrorCode::too_large) {
    const auto staged = CommitStagedStep(engine, options, standing, changes, apply_options);
    made = staged ? Status() : std::unexpected(staged.error());
  }
  return {std::move(made), step.missing_inputs()};
}

// How many of these blocks to try in one commit.
std::size_t CountTogether(std::span<const Block> blocks) {
  std::size_t rows = 0;
  std::size_t count = 0;
  for (; count < std::min(blocks.size(), kMostTogether) && rows < kMostTogetherRows; ++count) {
    const Block& block = blocks[count];
    rows += block.produced.size() + block.consumed.size() + block.entities.size() +
            block.values.size() + block.counters.size();
  }
  return count;
}

// An attempt whose outcome is not known.
struct UnknownStep {
  std::uint64_t step = 0;  // that it may have made
  Cursor before;
};

// Whether the batch has made this step. Only a cursor that it moves can tell.
Status WhetherMade(const ChainBatch& batch, const Standing& standing, const UnknownStep& unknown) {
  const Cursor cursor = batch.parts().cursor;
  const bool tells = cursor && cursor != unknown.before;
  if (tells && standing.step == unknown.step && standing.cursor == cursor) return {};
  return Fail(ErrorCode::precondition_failed,
              "ledger: a step was made, by this batch or by somebody else");
}

}  // namespace

Result<ChainView> ChainStore::Open() const {
  std::shared_ptr<Reader> snapshot = TALEA_TRY(engine_->OpenSnapshot());
  return ChainView::Over(std::move(snapshot));
}

Result<Applied> ChainStore::Apply(Transaction& transaction, const Block& block,
                                  const ApplyOptions& options) {
  TALEA_TRY(CheckMoves(block));
  const Standing standing = TALEA_TRY(ReadSettled(transaction, block.point));
  if (TALEA_TRY(IsIn(block, standing))) return Applied{.already = true};
  const BlockChanges changes(block);
  const auto missing = Perform(transaction, options_, standing, changes.parts, options);
  if (!missing) return About(block.point, missing.error());
  return Applied{.missing_inputs = *missing};
}

Result<Applied> ChainStore::Apply(const Block& block, const ApplyOptions& options) {
  TALEA_TRY(CheckMoves(block));
  const BlockChanges changes(block);
  std::optional<Applied> unknown;  // what was done, if it was
  Result<Applied> decided = TryUntilDecided([&]() -> Result<Applied> {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_->OpenSnapshot());
    const Standing standing = TALEA_TRY(ReadSettled(*engine_, *snapshot, block.point));
    if (TALEA_TRY(IsIn(block, standing))) return unknown.value_or(Applied{.already = true});
    const MadeStep made =
        MakeStep(*engine_, options_, *snapshot, standing, block.point, changes.parts, options);
    const Applied applied{.missing_inputs = made.missing_inputs};
    if (made.outcome) return applied;
    if (Unknown(made.outcome.error())) unknown = applied;
    return About(block.point, made.outcome.error());
  });
  return UnlessOvertaken(std::move(decided), unknown.has_value());
}

Result<std::vector<Applied>> ChainStore::ApplyAll(std::span<const Block> blocks,
                                                  const ApplyOptions& options) {
  const bool many = CountTogether(blocks) < blocks.size();
  ChainLoader loader(*this, {.apply = options, .in_background = many});
  std::vector<Applied> all;
  while (!blocks.empty()) {
    const std::span<const Block> some = blocks.first(CountTogether(blocks));
    std::ranges::copy(TALEA_TRY(loader.Load(some)), std::back_inserter(all));
    blocks = blocks.subspan(some.size());
  }
  std::ranges::copy(TALEA_TRY(loader.Finish()), std::back_inserter(all));
  return all;
}

Status ChainStore::Write(Transaction& transaction, const ChainBatch& batch,
                         const ApplyOptions& options) {
  if (batch.empty()) return {};
  const Standing standing = TALEA_TRY(ReadSettled(transaction));
  TALEA_TRY(Perform(transaction, options_, standing, batch.parts(), options));
  return {};
}

Status ChainStore::Commit(const ChainBatch& batch, const ApplyOptions& options) {
  if (batch.empty()) return {};
  std::optional<UnknownStep> unknown;
  Status made = TryUntilDecided([&]() -> Status {
    const std::unique_ptr<Snapshot> snapshot = TALEA_TRY(engine_->OpenSnapshot());
    const Standing standing = TALEA_TRY(ReadSettled(*engine_, *snapshot));
    if (unknown && standing.step >= unknown->step) return WhetherMade(batch, standing, *unknown);
    MadeStep step = MakeStep(*engine_, options_, *snapshot, standing, {}, batch.parts(), options);
    if (!step.outcome && Unknown(step.outcome.error())) {
      unknown = {standing.step + 1, standing.cursor};
    }
    return std::move(step.outcome);
  });
  return UnlessOvertaken(std::move(made), unknown.has_value());
}

Status ChainWriter::Commit(const ApplyOptions& options) { return store_->Commit(*this, options); }

Status ChainStore::Settle() { return SettleStaged(*engine_); }

Result<std::uint64_t> ChainStore::Prune(std::uint64_t keep) { return PruneSteps(*engine_, keep); }

}  // namespace talea
