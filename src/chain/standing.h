// Where a ledger stands, and the steps by which it came there.
//
// The newest step is the position of Progress("chain"). Of each step that can be taken back there
// is an undo record, a row that tells from where to where it led, and, for the place it led to, a
// row that tells the newest step that did.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "chain/staging.h"
#include "coordination/progress_row.h"
#include "talea/chain_types.h"
#include "talea/progress.h"
#include "talea/read_set.h"
#include "talea/reader.h"
#include "talea/result.h"
#include "talea/write_batch.h"

namespace talea::chain {

const Progress& LedgerProgress();

// The key of a step's undo record, in the keyspace "undo".
std::string StepUndoKey(std::uint64_t step);

// From where to where a step led.
struct StepRow {
  Cursor before;
  Cursor after;
  friend bool operator==(const StepRow&, const StepRow&) = default;
};
std::string Encode(const StepRow& row);
Result<StepRow> DecodeStepRow(ByteView value);

// What everybody who commits to the ledger has to know.
struct Standing {
  std::uint64_t step = 0;  // 0: there was none yet
  std::uint64_t base = 0;  // steps up to this one cannot be taken back
  Cursor cursor;
  StagingState staging = StagingState::none;
  std::optional<std::string> progress_row;  // as it is stored
  std::optional<std::string> cursor_row;    // likewise
  std::optional<std::uint64_t> known_as;    // the step that led to the point that was asked for
};

// The row of the progress after one more step.
ProgressRow ProgressAfter(const Standing& standing, bool with_undo);

// Where a ledger stands after one more step, to this point. Nothing is known of another point.
Standing StandingAfter(const Standing& standing, const ChainPoint& point, bool with_undo);

// One round trip. known_as is told of `point`.
// precondition_failed while an import is not finished.
Result<Standing> ReadStanding(Reader& reader, const Cursor& point = {});

// What ReadStanding reads, for a commit to record.
ReadSet ReadsOfStanding(const Cursor& point = {});

// The oldest step that can be taken back, or nothing.
struct OldestStep {
  std::uint64_t step = 0;
  StepRow row;
};
Result<std::optional<OldestStep>> FindOldestStep(Reader& reader, const Standing& standing);

// For each point the newest step after which the cursor was there: the standing's own, that of a
// point row, or the one before the oldest that can be taken back. Nothing if it is none of these.
// Round trips: two, however many points they are.
Result<std::vector<std::optional<std::uint64_t>>> FindStepsOf(Reader& reader,
                                                              const Standing& standing,
                                                              std::span<const Cursor> points);

// The same of one; not_found, telling how far back it reaches, if it is none of these.
Result<std::uint64_t> FindStepOf(Reader& reader, const Standing& standing, const Cursor& point);

// What a step that cannot be taken back writes beside its rows, where it is the first of a ledger:
// an import, or a bulk ingest.
void AppendFirstStep(WriteBatch& batch, const Cursor& cursor);

}  // namespace talea::chain
