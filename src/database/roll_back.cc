#include "database/roll_back.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "coordination/progress_row.h"
#include "engine/undo.h"

namespace talea {
namespace {

using Position = Progress::Position;

// The position of the first undo record of a move beyond `position`, or nothing.
Result<Position> FirstRecordAfter(Reader& reader, const std::string& source,
                                  const Position& position) {
  const KeyRange records = position ? UndoRecordsAfter(source, *position) : UndoRecords(source);
  Scanner rows(reader, kUndoKeyspace, records, {.row_limit = 1});
  const std::optional<Row> row = TALEA_TRY(rows.Next());
  if (!row) return std::nullopt;
  return TALEA_TRY(UndoRecordPosition(source, row->key));
}

// Where taking back the move to `to` leads, if nothing was done since.
Result<Position> PositionBefore(Transaction& transaction, const Progress& progress, ByteView to) {
  const std::string key = UndoRecordKey(progress.source(), to);
  // Not Undo: where a layer has a rule for it, that may rely on what came later being undone.
  const UndoRecord record = TALEA_TRY(ReadUndo(transaction, kUndoKeyspace, key));
  transaction.Apply(record.restore);
  return progress.Read(transaction);
}

}  // namespace

// Records are dropped oldest first, and every move from `base` on has left one. So if the move that
// left `position` still has its record, and lies beyond `base`, all later ones have theirs.
Status CheckReachable(Engine& engine, const Progress& progress, const Position& position) {
  const auto refuse = [&](ErrorCode code, std::string what) {
    return Fail(code,
                fmt::format("progress of source {}: expected to roll back to position {}, found {}",
                            Quoted(progress.source()), Describe(position), what));
  };
  Transaction transaction(engine);  // is never committed
  const Position current = TALEA_TRY(progress.Read(transaction));
  if (current == position) return {};
  if (current < position) {
    return refuse(ErrorCode::precondition_failed, fmt::format("it at {}", Describe(current)));
  }
  const std::optional<ProgressRow> row = TALEA_TRY(ReadProgressRow(transaction, progress.source()));
  if (position < row->base) {
    return refuse(ErrorCode::not_found,
                  fmt::format("that the move to {} kept no undo record", Describe(row->base)));
  }
  const Position left_to = TALEA_TRY(FirstRecordAfter(transaction, progress.source(), position));
  if (!left_to) return refuse(ErrorCode::not_found, "no undo record beyond it: they were pruned");
  const Position before = TALEA_TRY(PositionBefore(transaction, progress, *left_to));
  if (before == position) return {};
  const std::string oldest =
      fmt::format("that the move to {} came from {}", Describe(left_to), Describe(before));
  return refuse(before < position ? ErrorCode::precondition_failed : ErrorCode::not_found, oldest);
}

}  // namespace talea
