#include "talea/progress.h"

#include <fmt/format.h>

#include "coordination/keys.h"
#include "coordination/progress_row.h"

namespace talea {
namespace {

constexpr std::string_view kWhat = "progress of source";
constexpr std::size_t kLongestPosition = 1024;

std::unexpected<Error> Refuse(ErrorCode code, std::string_view source, std::string what) {
  return Fail(code, fmt::format("{} {}: {}", kWhat, Quoted(source), what));
}

Status CheckMove(std::string_view source, const Progress::Position& from, ByteView to) {
  TALEA_TRY(CheckName(kWhat, source));
  if (to.size() > kLongestPosition) {
    return Refuse(ErrorCode::invalid_argument, source,
                  fmt::format("expected a position of at most {} bytes, found {}", kLongestPosition,
                              to.size()));
  }
  if (!from || *from < to) return {};
  return Refuse(
      ErrorCode::invalid_argument, source,
      fmt::format("expected a move to a position beyond {}, found {}", Describe(from), Quoted(to)));
}

// The position of the newest undo record, or nothing.
Result<Progress::Position> NewestRecord(Transaction& transaction, std::string_view source) {
  Scanner rows(transaction, kUndoKeyspace, UndoRecords(source), {.reverse = true, .row_limit = 1});
  const std::optional<Row> row = TALEA_TRY(rows.Next());
  if (!row) return std::nullopt;
  return TALEA_TRY(UndoRecordPosition(source, row->key));
}

}  // namespace

Result<Progress::Position> Progress::Read(Reader& reader) const {
  TALEA_TRY(CheckName(kWhat, source_));
  std::optional<ProgressRow> row = TALEA_TRY(ReadProgressRow(reader, source_));
  if (!row) return std::nullopt;
  return std::move(row->position);
}

Status Progress::Move(Transaction& transaction, const Position& from, ByteView to) const {
  return Advance(transaction, from, to, false);
}

Status Progress::MoveWithUndo(Transaction& transaction, const Position& from, ByteView to) const {
  if (transaction.keeps_undo()) {
    return Refuse(ErrorCode::invalid_argument, source_,
                  "expected a transaction that keeps no undo record yet, found one that does");
  }
  if (transaction.has_writes()) {
    return Refuse(ErrorCode::invalid_argument, source_,
                  "expected to move with undo before the first write of the transaction");
  }
  return Advance(transaction, from, to, true);
}

Status Progress::Advance(Transaction& transaction, const Position& from, ByteView to,
                         bool with_undo) const {
  TALEA_TRY(CheckMove(source_, from, to));
  if (with_undo) transaction.KeepUndo(kUndoKeyspace, UndoRecordKey(source_, to));
  const std::optional<ProgressRow> row = TALEA_TRY(ReadProgressRow(transaction, source_));
  const Position found = row ? Position(row->position) : std::nullopt;
  if (found != from) {
    return Refuse(ErrorCode::precondition_failed, source_,
                  fmt::format("expected position {}, found {}", Describe(from), Describe(found)));
  }
  ProgressRow next{.position = std::string(to), .base = std::string(to)};
  if (with_undo) next.base = row ? row->base : std::nullopt;
  transaction.Put(kTaleaKeyspace, ProgressKey(source_), Encode(next));
  return {};
}

Result<Progress::Position> Progress::StepBack(Transaction& transaction) const {
  const Position current = TALEA_TRY(Read(transaction));
  if (!current) {
    return Refuse(ErrorCode::not_found, source_, "expected a move to take back, found none");
  }
  const Position newest = TALEA_TRY(NewestRecord(transaction, source_));
  if (newest != current) {
    return Refuse(
        ErrorCode::not_found, source_,
        fmt::format("expected an undo record of the move to position {}, found {}",
                    Describe(current), newest ? "one of the move to " + Describe(newest) : "none"));
  }
  TALEA_TRY(transaction.Undo(kUndoKeyspace, UndoRecordKey(source_, *current)));
  Position restored = TALEA_TRY(Read(transaction));
  if (restored < current) return restored;
  return Refuse(ErrorCode::corruption, source_,
                fmt::format("expected the undo record of position {} to lead back, found {}",
                            Describe(current), Describe(restored)));
}

Status Progress::PruneUndo(Transaction& transaction, ByteView before) const {
  TALEA_TRY(CheckName(kWhat, source_));
  if (transaction.keeps_undo()) {
    return Refuse(ErrorCode::invalid_argument, source_,
                  "expected to prune in a transaction that keeps no undo record, which would hold "
                  "the pruned ones");
  }
  transaction.EraseRange(kUndoKeyspace, UndoRecordsUpTo(source_, before));
  return {};
}

}  // namespace talea
