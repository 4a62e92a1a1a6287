#include "chain/verify_steps.h"

#include <fmt/format.h>

#include <utility>

#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/verify_ledger.h"
#include "coordination/damaged.h"
#include "engine/undo.h"

namespace talea::chain {
namespace {

std::string Numbered(std::uint64_t step) { return fmt::format("{}", step); }

}  // namespace

StepChecks::StepChecks(const CheckedDatabase& database) : database_(database) {
  if (!BelongTogether(database)) return;
  Result<Standing> standing = ReadStanding(*database.reader);
  if (standing) standing_ = std::move(*standing);  // else one of those rows has a problem
}

void StepChecks::Note(ByteView key, const Status& status, Problems& problems) const {
  database_.Note(kChainKeyspace, key, status, problems);
}

Status StepChecks::TakeStep(const Row& row, Problems& problems) {
  Step step {
    .number = TALEA_TRY(StepOfKey(row.key))
    , .row = {}
  };
  Result<StepRow> decoded = DecodeStepRow(row.value);
  if (decoded) step.row = std::move(*decoded);
  const bool judged = standing_ && step.number > standing_->base;
  if (judged) {
    Note(row.key, CheckSequence(step), problems);
    if (step.row) steps_.push_back(step);
    last_ = std::move(step);
    if (2 * steps_.size() >= kKeysAtOnce) CheckSteps(problems);
  }
  if (decoded) return {};
  return std::unexpected(decoded.error());
}

Status StepChecks::CheckSequence(const Step& step) const {
  if (step.number > standing_->step) {
    return Damaged("step", fmt::format("a number up to {}, the newest", standing_->step),
                   Numbered(step.number));
  }
  if (!last_) return {};
  if (last_->number + 1 != step.number) {
    return Damaged("step", fmt::format("step {} before it", step.number - 1),
                   Numbered(last_->number));
  }
  if (!last_->row || !step.row || last_->row->after == step.row->before) return {};
  return Damaged(
      "step", fmt::format("to begin at {}, where the one before led", Describe(last_->row->after)),
      Describe(step.row->before));
}

void StepChecks::EndSteps(Problems& problems) {
  if (!standing_ || std::exchange(ended_, true)) return;
  CheckSteps(problems);
  Note(StepKey(last_ ? last_->number : standing_->step),
       last_ ? CheckNewest(*last_) : CheckForgotten(), problems);
}

Status StepChecks::CheckNewest(const Step& newest) const {
  if (newest.number > standing_->step) return {};  // which was noted
  if (newest.number < standing_->step) {
    return Damaged("newest step",
                   fmt::format("step {}, to which the ledger has come", standing_->step),
                   Numbered(newest.number));
  }
  if (!newest.row || newest.row->after == standing_->cursor) return {};
  return Damaged("newest step",
                 fmt::format("the cursor at {}, where it led", Describe(newest.row->after)),
                 Describe(standing_->cursor));
}

// Where there is no step there is no undo record either.
Status StepChecks::CheckForgotten() const {
  if (standing_->step <= standing_->base) return {};
  const auto undo = database_.Find(kUndoKeyspace, UndoKey(StepUndoKey(standing_->step), 0));
  if (!undo || !*undo) return {};
  return Damaged("newest step", "its row, as there is its undo record", "none");
}

void StepChecks::CheckSteps(Problems& problems) {
  if (steps_.empty()) return;
  const std::vector<Step> steps = std::exchange(steps_, {});
  std::vector<AskedKey> keys;
  for (const Step& step : steps) {
    keys.push_back({&kUndoKeyspace, UndoKey(StepUndoKey(step.number), 0)});
    keys.push_back({&kChainKeyspace, PointKey(step.row->after)});
  }
  const std::optional<FoundValues> found = FindAll(database_, keys);
  for (std::size_t i = 0; found && i < steps.size(); ++i) {
    const std::string key = StepKey(steps[i].number);
    Note(key, CheckUndo(steps[i], (*found)[2 * i]), problems);
    Note(key, CheckPointRow(steps[i], (*found)[2 * i + 1]), problems);
  }
}

Status StepChecks::CheckUndo(const Step& step, const std::optional<std::string>& undo) const {
  if (undo) return {};
  return Damaged("step", fmt::format("an undo record of step {}", step.number), "none");
}

Status StepChecks::CheckPointRow(const Step& step, const std::optional<std::string>& point) const {
  const Result<std::uint64_t> named = point ? DecodeStep(*point) : Result<std::uint64_t>(0);
  if (point && (!named || *named >= step.number)) return {};  // or that row has its own problem
  return Damaged("step",
                 fmt::format("point {} to tell of step {}, or a newer one",
                             Describe(step.row->after), step.number),
                 point ? Numbered(*named) : "no such point");
}

Status StepChecks::TakePoint(const Row& row, Problems& problems) {
  Point point {
    .cursor = TALEA_TRY(PointOfKey(row.key))
    , .step = TALEA_TRY(DecodeStep(row.value))
  };
  if (standing_) points_.push_back(std::move(point));
  if (points_.size() >= kKeysAtOnce) CheckPoints(problems);
  return {};
}

void StepChecks::CheckPoints(Problems& problems) {
  if (points_.empty()) return;
  const std::vector<Point> points = std::exchange(points_, {});
  std::vector<AskedKey> keys;
  for (const Point& point : points) keys.push_back({&kChainKeyspace, StepKey(point.step)});
  const std::optional<FoundValues> found = FindAll(database_, keys);
  for (std::size_t i = 0; found && i < points.size(); ++i) {
    Note(PointKey(points[i].cursor), CheckPoint(points[i], (*found)[i]), problems);
  }
}

Status StepChecks::CheckPoint(const Point& point, const std::optional<std::string>& step) const {
  if (point.step > standing_->step) {
    return Damaged("point", fmt::format("a step up to {}, the newest", standing_->step),
                   Numbered(point.step));
  }
  if (!step || point.step <= standing_->base) return {};
  const Result<StepRow> row = DecodeStepRow(*step);
  if (!row || row->after == point.cursor) return {};
  return Damaged("point", fmt::format("step {} to lead to {}", point.step, Describe(point.cursor)),
                 Describe(row->after));
}

}  // namespace talea::chain
