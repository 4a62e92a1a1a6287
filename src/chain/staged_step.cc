#include "chain/staged_step.h"

#include <fmt/format.h>

#include "chain/keys.h"
#include "chain/prune.h"
#include "chain/staging.h"
#include "chain/step_writes.h"
#include "coordination/steady_reader.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

constexpr std::size_t kLookupsAtOnce = 4096;

std::unexpected<Error> Moved() {
  return Fail(ErrorCode::conflict, "ledger: somebody else has committed to it meanwhile");
}

// Begins to stage what follows where the ledger is expected to stand, unless somebody else was
// faster: whose batch may be in, and not settled.
Result<Staging> BeginAfter(Engine& engine, const Standing& expected) {
  const auto check = [&](Transaction& transaction) -> Status {
    const Standing found = TALEA_TRY(ReadStanding(transaction));
    if (found.step == expected.step && found.cursor == expected.cursor) return {};
    return Fail(ErrorCode::precondition_failed, "ledger: expected no step since");
  };
  Result<Staging> staging = Staging::Begin(engine, check);
  if (!staging && staging.error().code() == ErrorCode::precondition_failed) return Moved();
  return staging;
}

// Stages and enters. Whoever comes next can settle it as well, so how that ends does not matter.
Status CommitStaged(Engine& engine, Staging& staging, const StepWrites& writes,
                    Durability durability) {
  Status entered;
  for (const WriteBatch& rows : writes.changes.all()) {
    if (entered) entered = staging.Add(rows);
  }
  const auto body = [&](Transaction& transaction) -> Status {
    for (const WriteBatch& rows : writes.head.all()) transaction.Apply(rows);
    return {};
  };
  if (entered) entered = staging.Enter(body, durability);
  if (!entered && entered.error().code() == ErrorCode::precondition_failed) return Moved();
  TALEA_TRY(entered);
  static_cast<void>(SettleStaged(engine));
  return {};
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
  (direct ? writes.head : writes.changes).Of(*keyspace).Append(*keyspace, operation);
  return {};
}

}  // namespace

Result<Standing> ReadSettled(Engine& engine, Reader& reader, const Cursor& point) {
  Standing standing = TALEA_TRY(ReadStanding(reader, point));
  if (standing.staging != StagingState::in) return standing;
  TALEA_TRY(SettleStaged(engine));
  return Fail(ErrorCode::conflict, "ledger: a staged batch had to be moved to its place first");
}

Status MakeWay(Engine& engine, const Standing& standing) {
  if (standing.staging == StagingState::none) return {};
  TALEA_TRY(DropStaged(engine));
  return Fail(ErrorCode::conflict, "ledger: somebody else was about to stage a batch");
}

Result<std::uint64_t> CommitStagedStep(Engine& engine, const ChainOptions& options,
                                       const Standing& standing, const ChainBatch::Parts& changes,
                                       const ApplyOptions& apply_options) {
  Staging staging = TALEA_TRY(BeginAfter(engine, standing));
  const std::unique_ptr<SteadyReader> reader = TALEA_TRY(SteadyReader::Open(engine));
  Step step(changes, apply_options);
  TALEA_TRY(step.Read(*reader, standing, kLookupsAtOnce));
  const StepWrites writes = WritesOf(engine.limits(), step, standing, options.undo_window > 0);
  TALEA_TRY(CommitStaged(engine, staging, writes, options.durability));
  PruneIfDue(engine, standing.step + 1, options.undo_window);
  return step.missing_inputs();
}

Status StepBackStaged(Engine& engine, const ChainOptions& options, const Standing& standing) {
  Staging staging = TALEA_TRY(BeginAfter(engine, standing));
  const std::unique_ptr<SteadyReader> reader = TALEA_TRY(SteadyReader::Open(engine));
  const std::string key = StepUndoKey(standing.step);
  const UndoRecord record = TALEA_TRY(ReadUndo(*reader, kUndoKeyspace, key));
  StepWrites writes;
  for (const WriteBatch::Operation& operation : record.restore) {
    TALEA_TRY(AppendRestored(engine, operation, writes));
  }
  for (std::uint32_t part = 0; part < record.parts; ++part) {
    writes.changes.Of(kUndoKeyspace).Erase(kUndoKeyspace, UndoKey(key, part));
  }
  return CommitStaged(engine, staging, writes, options.durability);
}

}  // namespace talea::chain
