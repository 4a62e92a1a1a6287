#include "chain/staged_step.h"

#include <fmt/format.h>

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/prune.h"
#include "chain/staging.h"
#include "chain/step.h"
#include "coordination/keys.h"
#include "coordination/steady_reader.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

constexpr std::size_t kLookupsAtOnce = 4096;

// All writes of a step.
struct StepWrites {
  WriteBatch staged;
  WriteBatch direct;  // few: made by the commit that the step becomes visible with
  WriteBatch restore;
};

std::unexpected<Error> Moved() {
  return Fail(ErrorCode::conflict, "ledger: somebody else has committed to it meanwhile");
}

// For Staging::Begin: the ledger stands where it is expected. Otherwise it is no use to look again.
auto Expect(std::uint64_t step, Standing& standing) {
  return [step, &standing](Transaction& transaction) -> Status {
    standing = TALEA_TRY(ReadStanding(transaction));
    if (standing.step == step) return {};
    return Fail(ErrorCode::precondition_failed, "ledger: expected no step since");
  };
}

// Begins to stage what follows this step, unless somebody else was faster: whose batch may be in,
// and not settled.
Result<Staging> BeginAfter(Engine& engine, std::uint64_t step, Standing& standing) {
  Result<Staging> staging = Staging::Begin(engine, Expect(step, standing));
  if (!staging && staging.error().code() == ErrorCode::precondition_failed) return Moved();
  return staging;
}

// Stages and enters. Whoever comes next can settle it as well, so how that ends does not matter.
Status CommitStaged(Engine& engine, Staging& staging, const StepWrites& writes,
                    Durability durability) {
  Status entered = staging.Add(writes.staged);
  if (entered) {
    const auto body = [&](Transaction& transaction) -> Status {
      transaction.Apply(writes.direct);
      return {};
    };
    entered = staging.Enter(body, durability);
  }
  if (!entered && entered.error().code() == ErrorCode::precondition_failed) return Moved();
  TALEA_TRY(entered);
  static_cast<void>(SettleStaged(engine));
  return {};
}

void AppendProgress(const Standing& standing, bool with_undo, StepWrites& writes) {
  ProgressRow row{.position = EncodeStep(standing.step + 1), .base = {}};
  if (!with_undo) {
    row.base = row.position;
  } else if (standing.base > 0) {
    row.base = EncodeStep(standing.base);
  }
  BatchSink sink(writes.direct, writes.restore);
  sink.Put(kTaleaKeyspace, ProgressKey(LedgerProgress().source()), standing.progress_row,
           Encode(row));
}

void AppendUndo(const Engine& engine, std::uint64_t step, StepWrites& writes) {
  const std::vector<std::string> parts = EncodeUndo(writes.restore, engine.limits().value_bytes);
  const std::string key = StepUndoKey(step);
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    writes.staged.Put(kUndoKeyspace, UndoKey(key, part), parts[part]);
  }
}

StepWrites WritesOf(const Engine& engine, Step& step, const Standing& standing, bool with_undo) {
  StepWrites writes;
  BatchSink staged(writes.staged, writes.restore);
  BatchSink direct(writes.direct, writes.restore);
  step.WriteChanges(staged);
  step.WriteCursor(standing, direct);
  if (with_undo) step.WriteStepRows(standing, direct);
  AppendProgress(standing, with_undo, writes);
  if (with_undo) AppendUndo(engine, standing.step + 1, writes);
  return writes;
}

// A write of an undo record, which is staged where that can be.
Status AppendRestored(const Engine& engine, const WriteBatch::Operation& operation,
                      StepWrites& writes) {
  const Keyspace* keyspace = engine.keyspaces().Find(operation.keyspace);
  const bool direct =
      operation.keyspace == kTaleaKeyspace.id || operation.keyspace == kStateCursorKeyspace.id;
  if (keyspace == nullptr || (!direct && !MayBeStaged(operation.keyspace))) {
    return Fail(
        ErrorCode::too_large,
        fmt::format("ledger: the newest step is too large to be taken back in one "
                    "transaction, and cannot be staged as it wrote to keyspace {}",
                    keyspace ? Quoted(keyspace->name) : std::to_string(operation.keyspace)));
  }
  (direct ? writes.direct : writes.staged).Append(*keyspace, operation);
  return {};
}

}  // namespace

Result<Standing> ReadSettled(Transaction& transaction, const Cursor& point) {
  Standing standing = TALEA_TRY(ReadStanding(transaction, point));
  if (standing.staging != StagingState::in) return standing;
  TALEA_TRY(SettleStaged(transaction.engine()));
  return Fail(ErrorCode::conflict, "ledger: a staged batch had to be moved to its place first");
}

Status MakeWay(Transaction& transaction, const Standing& standing) {
  if (standing.staging == StagingState::none) return {};
  TALEA_TRY(DropStaged(transaction.engine()));
  return Fail(ErrorCode::conflict, "ledger: somebody else was about to stage a batch");
}

Result<std::uint64_t> CommitStagedStep(Engine& engine, const ChainOptions& options,
                                       std::uint64_t expected_step,
                                       const ChainBatch::Parts& changes,
                                       const ApplyOptions& apply_options) {
  Standing standing;
  Staging staging = TALEA_TRY(BeginAfter(engine, expected_step, standing));
  const std::unique_ptr<SteadyReader> reader = TALEA_TRY(SteadyReader::Open(engine));
  Step step(changes, apply_options);
  TALEA_TRY(step.Read(*reader, standing, kLookupsAtOnce));
  const StepWrites writes = WritesOf(engine, step, standing, options.undo_window > 0);
  TALEA_TRY(CommitStaged(engine, staging, writes, options.durability));
  if (PruningIsDue(standing.step + 1, options.undo_window)) {
    static_cast<void>(PruneSteps(engine, options.undo_window));  // or else the next one does it
  }
  return step.missing_inputs();
}

Status StepBackStaged(Engine& engine, const ChainOptions& options, std::uint64_t expected_step) {
  Standing standing;
  Staging staging = TALEA_TRY(BeginAfter(engine, expected_step, standing));
  const std::unique_ptr<SteadyReader> reader = TALEA_TRY(SteadyReader::Open(engine));
  const std::string key = StepUndoKey(standing.step);
  const UndoRecord record = TALEA_TRY(ReadUndo(*reader, kUndoKeyspace, key));
  StepWrites writes;
  for (const WriteBatch::Operation& operation : record.restore) {
    TALEA_TRY(AppendRestored(engine, operation, writes));
  }
  for (std::uint32_t part = 0; part < record.parts; ++part) {
    writes.staged.Erase(kUndoKeyspace, UndoKey(key, part));
  }
  return CommitStaged(engine, staging, writes, options.durability);
}

}  // namespace talea::chain
