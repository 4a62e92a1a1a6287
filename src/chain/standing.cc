#include "chain/standing.h"

#include <fmt/format.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/keys.h"
#include "coordination/keys.h"

namespace talea::chain {
namespace {

std::unexpected<Error> Malformed(ByteView value) {
  return Fail(
      ErrorCode::corruption,
      fmt::format("step of the ledger: expected two points, each after its length, found {}",
                  Quoted(value)));
}

Status ReadProgress(const std::optional<std::string>& value, Standing& standing) {
  if (!value) return {};
  const ProgressRow row = TALEA_TRY(DecodeProgressRow(LedgerProgress().source(), *value));
  standing.step = TALEA_TRY(DecodeStep(row.position));
  if (row.base) standing.base = TALEA_TRY(DecodeStep(*row.base));
  return {};
}

// The newest step that led to this point, of those that can be gone back to.
std::optional<std::uint64_t> ChooseStep(const Standing& standing,
                                        const std::optional<OldestStep>& oldest,
                                        const Cursor& point,
                                        const std::optional<std::uint64_t>& known_as) {
  if (point == standing.cursor) return standing.step;
  const std::uint64_t first = oldest ? oldest->step - 1 : standing.step;
  // The row may be of a step that was forgotten: an undo has brought it back.
  if (known_as && *known_as >= first && *known_as <= standing.step) return known_as;
  if (oldest && oldest->row.before == point) return first;
  return std::nullopt;
}

// The rows that tell where a ledger stands.
struct StandingKeys {
  explicit StandingKeys(const Cursor& asked) : point(PointKey(asked)) {}

  std::array<KeyReference, 5> All() const {
    return {{{kTaleaKeyspace, progress},
             {kStateCursorKeyspace, kCursorKey},
             {kChainKeyspace, header},
             {kChainKeyspace, mark},
             {kChainKeyspace, point}}};
  }

  const std::string progress = ProgressKey(LedgerProgress().source());
  const std::string header = StagingHeaderKey();
  const std::string mark = ImportMarkKey();
  const std::string point;
};

}  // namespace

const Progress& LedgerProgress() {
  static const Progress progress("chain");
  return progress;
}

std::string StepUndoKey(std::uint64_t step) {
  return UndoRecordKey(LedgerProgress().source(), EncodeStep(step));
}

std::string Encode(const StepRow& row) {
  std::string bytes;
  AppendSized(bytes, EncodeCursor(row.before));
  AppendSized(bytes, EncodeCursor(row.after));
  return bytes;
}

Result<StepRow> DecodeStepRow(ByteView value) {
  ByteReader reader(value);
  const std::optional<ByteView> before = reader.Sized();
  const std::optional<ByteView> after = reader.Sized();
  if (!before || !after || !reader.empty()) return Malformed(value);
  StepRow row;
  row.before = TALEA_TRY(DecodeCursor(*before));
  row.after = TALEA_TRY(DecodeCursor(*after));
  return row;
}

ProgressRow ProgressAfter(const Standing& standing, bool with_undo) {
  ProgressRow row{.position = EncodeStep(standing.step + 1), .base = {}};
  if (!with_undo) {
    row.base = row.position;
  } else if (standing.base > 0) {
    row.base = EncodeStep(standing.base);
  }
  return row;
}

Standing StandingAfter(const Standing& standing, const ChainPoint& point, bool with_undo) {
  Standing after;
  after.step = standing.step + 1;
  after.base = with_undo ? standing.base : after.step;
  after.cursor = point;
  after.progress_row = Encode(ProgressAfter(standing, with_undo));
  after.cursor_row = EncodePoint(point);
  return after;
}

Result<Standing> ReadStanding(Reader& reader, const Cursor& point) {
  const StandingKeys standing_keys(point);
  const auto keys = standing_keys.All();
  std::vector<std::optional<std::string>> rows = TALEA_TRY(reader.MultiGet(keys));
  if (rows[3]) {
    return Fail(ErrorCode::precondition_failed,
                "ledger: expected no import under way, found one that is not finished");
  }
  Standing standing;
  TALEA_TRY(ReadProgress(rows[0], standing));
  if (rows[1]) standing.cursor = TALEA_TRY(DecodePoint(*rows[1]));
  standing.staging = TALEA_TRY(ReadStagingState(rows[2]));
  if (rows[4]) standing.known_as = TALEA_TRY(DecodeStep(*rows[4]));
  standing.progress_row = std::move(rows[0]);
  standing.cursor_row = std::move(rows[1]);
  return standing;
}

ReadSet ReadsOfStanding(const Cursor& point) {
  const StandingKeys keys(point);
  ReadSet reads;
  for (const KeyReference& key : keys.All()) reads.Add(*key.keyspace, key.key);
  return reads;
}

Result<std::optional<OldestStep>> FindOldestStep(Reader& reader, const Standing& standing) {
  Scanner rows(reader, kChainKeyspace, StepKeys().StartingAt(StepKey(standing.base + 1)),
               {.row_limit = 1});
  const std::optional<Row> row = TALEA_TRY(rows.Next());
  if (!row) return std::nullopt;
  OldestStep oldest;
  oldest.step = TALEA_TRY(StepOfKey(row->key));
  oldest.row = TALEA_TRY(DecodeStepRow(row->value));
  return oldest;
}

Result<std::vector<std::optional<std::uint64_t>>> FindStepsOf(Reader& reader,
                                                              const Standing& standing,
                                                              std::span<const Cursor> points) {
  const std::optional<OldestStep> oldest = TALEA_TRY(FindOldestStep(reader, standing));
  std::vector<std::string> keys;
  for (const Cursor& point : points) keys.push_back(PointKey(point));
  std::vector<KeyReference> asked;
  for (const std::string& key : keys) asked.emplace_back(kChainKeyspace, key);
  const std::vector<std::optional<std::string>> rows = TALEA_TRY(reader.MultiGet(asked));
  std::vector<std::optional<std::uint64_t>> steps;
  for (std::size_t number = 0; number < points.size(); ++number) {
    std::optional<std::uint64_t> known_as;
    if (rows[number]) known_as = TALEA_TRY(DecodeStep(*rows[number]));
    steps.push_back(ChooseStep(standing, oldest, points[number], known_as));
  }
  return steps;
}

Result<std::uint64_t> FindStepOf(Reader& reader, const Standing& standing, const Cursor& point) {
  if (point == standing.cursor) return standing.step;
  const auto steps = TALEA_TRY(FindStepsOf(reader, standing, {&point, 1}));
  if (steps[0]) return *steps[0];
  const std::optional<OldestStep> oldest = TALEA_TRY(FindOldestStep(reader, standing));
  return Fail(
      ErrorCode::not_found,
      fmt::format("ledger: expected a point from {} on, the oldest that can be gone back to, "
                  "up to {}; found {}, which is none of them",
                  Describe(oldest ? oldest->row.before : standing.cursor),
                  Describe(standing.cursor), Describe(point)));
}

void AppendFirstStep(WriteBatch& batch, const Cursor& cursor) {
  const std::string step = EncodeStep(1);
  batch.Put(kTaleaKeyspace, ProgressKey(LedgerProgress().source()),
            Encode(ProgressRow{.position = step, .base = step}));
  if (cursor) batch.Put(kStateCursorKeyspace, kCursorKey, EncodePoint(*cursor));
}

}  // namespace talea::chain
