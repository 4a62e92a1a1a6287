// How far a source has been taken in: a position that moves in the same commit as what it brought.
#pragma once

#include <optional>
#include <string>

#include "talea/bytes.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/transaction.h"

namespace talea {

// The position of one source: the offset in a file, the height of a ledger, the sequence number of
// a peer. It is read and moved in the transaction that writes what came from there, so after a
// crash, a retry or a second delivery the stored position says exactly what is in.
//
//   Progress progress("orders.log");
//   const auto position = TALEA_TRY(progress.Read(transaction));
//   ... apply what comes after it ...
//   TALEA_TRY(progress.Move(transaction, position, next));
//
// Positions are at most 1,024 bytes, and grow in their order: Pack({offset}) gives such bytes. A
// source that has not begun has none.
//
// Round trips, beside the snapshot's: Read and both Moves take one. StepBack takes two, and one for
// each part of the record, which is one part below the engine's limit of a value. PruneUndo takes
// none.
class Progress {
 public:
  using Position = std::optional<std::string>;

  // The name: 1 to 255 bytes of UTF-8; every call with another one is refused.
  explicit Progress(std::string source) : source_(std::move(source)) {}
  const std::string& source() const { return source_; }

  Result<Position> Read(Reader& reader) const;

  // Moves on from one position to a greater one. Fails with precondition_failed, telling both, if
  // the stored position is not `from`. It ends what StepBack can take back: nothing before it.
  Status Move(Transaction& transaction, const Position& from, ByteView to) const;

  // The same, and keeps an undo record of everything that the transaction does, in every layer, so
  // that StepBack can take it back. Call it first: what is read before is read again at the commit,
  // and after a write it is refused.
  // One transaction keeps one record, so a second call is refused; further sources that it moves
  // (by Move) go back with it.
  Status MoveWithUndo(Transaction& transaction, const Position& from, ByteView to) const;

  // Takes back the newest move that was made with undo, and all else that its commit did. Returns
  // the position that this leads back to; not_found if there is no record, as before the first
  // move, after a prune, or where the newest move kept none.
  Result<Position> StepBack(Transaction& transaction) const;

  // Drops the undo records of moves to `before` and to anything less: what they did is final. Not
  // in a transaction that keeps undo itself, whose record would have to hold those that are
  // dropped.
  Status PruneUndo(Transaction& transaction, ByteView before) const;

 private:
  Status Advance(Transaction& transaction, const Position& from, ByteView to, bool with_undo) const;

  std::string source_;
};

}  // namespace talea
