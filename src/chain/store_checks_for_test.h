// Reads a ledger with the steps that can be taken back, and compares all that tells of them. For
// tests alone.
#pragma once

#include <fmt/format.h>

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "chain/ledger_checks_for_test.h"
#include "chain/ledger_model_for_test.h"
#include "chain/standing.h"
#include "coordination/keys.h"

namespace talea::chain {

class StoreChecks {
 public:
  // The view is over the snapshot.
  StoreChecks(Engine& engine, Snapshot& snapshot, const ChainView& view, Random& random)
      : engine_(engine), snapshot_(snapshot), view_(view), random_(random) {}

  // What there is, after every check of it.
  Result<LedgerModel> Read() {
    auto newest = std::make_shared<LedgerModel::Step>();
    const Progress::Position position = TALEA_TRY(LedgerProgress().Read(snapshot_));
    if (position) newest->number = TALEA_TRY(DecodeStep(*position));
    const auto beside = TALEA_TRY(snapshot_.Get(kRows, LedgerModel::kBesideKey));
    newest->beside = beside.value_or("");
    newest->state = TALEA_TRY(LedgerChecks(view_, random_).Read());
    seen_.newest = newest;
    seen_.observed = true;
    const ChainStatistics statistics = TALEA_TRY(view_.Statistics());
    if (statistics.undo_steps > seen_.number()) return Disagree("more undo than steps");
    seen_.lowest = seen_.certain = seen_.number() - statistics.undo_steps;
    seen_.passed[seen_.lowest] = statistics.oldest;
    TALEA_TRY(CheckSteps());
    TALEA_TRY(CheckPoints());
    TALEA_TRY(CheckUndoRecords());
    TALEA_TRY(CheckOlderPoint());
    TALEA_TRY(CheckIntersection());
    return std::move(seen_);
  }

 private:
  // A row for each step that can be taken back.
  Status CheckSteps() {
    Scanner steps(view_.reader(), kChainKeyspace, StepKeys());
    while (const std::optional<Row> row = TALEA_TRY(steps.Next())) {
      const StepRow step = TALEA_TRY(DecodeStepRow(row->value));
      const std::uint64_t number = TALEA_TRY(StepOfKey(row->key));
      if (number <= seen_.lowest) continue;  // what a step without undo has left is forgotten later
      const auto before = seen_.passed.find(number - 1);
      if (before == seen_.passed.end() || before->second != step.before)
        return Disagree("a step that does not begin where the one before it ends");
      seen_.passed[number] = step.after;
    }
    const auto& [number, cursor] = *seen_.passed.rbegin();
    if (number == seen_.number() && cursor == view_.cursor()) return {};
    return Disagree("the steps do not lead to the cursor");
  }

  // For each point the newest step that led there.
  Status CheckPoints() {
    std::map<std::string, std::uint64_t> expected;
    for (const auto& [number, cursor] : seen_.passed)
      if (number > seen_.lowest) expected[PointKey(cursor)] = number;
    Scanner points(view_.reader(), kChainKeyspace, PointKeys());
    while (const std::optional<Row> row = TALEA_TRY(points.Next())) {
      const std::uint64_t number = TALEA_TRY(DecodeStep(row->value));
      const auto point = expected.find(std::string(row->key));
      const bool known = point != expected.end() && point->second == number;
      if (!known && number > seen_.lowest) return Disagree("a point that no step led to");
      if (known) expected.erase(point);
    }
    return expected.empty() ? Status() : Disagree("a step whose point is not known");
  }

  Status CheckUndoRecords() {
    const std::string source = LedgerProgress().source();
    std::set<std::uint64_t> records;
    Scanner rows(view_.reader(), kUndoKeyspace, UndoRecords(source));
    while (const std::optional<Row> row = TALEA_TRY(rows.Next())) {
      const std::string position = TALEA_TRY(UndoRecordPosition(source, row->key));
      const std::uint64_t number = TALEA_TRY(DecodeStep(position));
      if (number > seen_.lowest) records.insert(number);
    }
    if (records.size() == seen_.number() - seen_.lowest &&
        (records.empty() ||
         (*records.begin() == seen_.lowest + 1 && *records.rbegin() == seen_.number())))
      return {};
    return Disagree(fmt::format("{} undo records for steps {} to {}", records.size(),
                                seen_.lowest + 1, seen_.number()));
  }

  // The newest step that led to a point which was passed.
  std::uint64_t NewestAt(const Cursor& point) const {
    std::uint64_t newest = 0;
    for (const auto& [number, cursor] : seen_.passed)
      if (cursor == point) newest = number;
    return newest;
  }

  // The state at an earlier point, and what has changed since then.
  Status CheckOlderPoint() {
    const auto chosen = static_cast<std::uint64_t>(random_.Between(
        static_cast<std::int64_t>(seen_.lowest), static_cast<std::int64_t>(seen_.number())));
    const Cursor point = seen_.passed.at(chosen);
    const ChainView older = TALEA_TRY(ChainStore(engine_).OpenAt(point));
    const LedgerState state = TALEA_TRY(LedgerChecks(older, random_).Read());
    seen_.states[NewestAt(point)] = state;
    return CheckFeed(NewestAt(point), state);
  }

  Status CheckFeed(std::uint64_t number, LedgerState state) {
    ChangeFeed feed = TALEA_TRY(ChainStore(engine_).Changes(state.cursor));
    while (const std::optional<ChainChange> change = TALEA_TRY(feed.Next())) {
      if (!seen_.passed.contains(number + 1) || change->parent != seen_.passed.at(number) ||
          change->point != seen_.passed.at(number + 1))
        return Disagree(fmt::format("a change that is not that of step {}", number + 1));
      ++number;
      if (!Replay(state, *change)) return Disagree("a change from what was not there");
    }
    if (number != seen_.number()) return Disagree("changes that end too early");
    const LedgerState& now = seen_.state();
    if (StoredOutputs(state) == StoredOutputs(now) && state.entities == now.entities &&
        state.values == now.values && state.counters == now.counters)
      return {};
    return Disagree("changes that do not lead to the state of now: " + Difference(now, state));
  }

  // Without coins and tags, of which changes do not tell.
  static std::map<OutputReference, std::string> StoredOutputs(const LedgerState& state) {
    std::map<OutputReference, std::string> stored;
    for (const auto& [reference, output] : state.outputs)
      stored[reference] = EncodeOutput(output.view());
    return stored;
  }

  // Of some points, known or not, the newest.
  Status CheckIntersection() {
    std::vector<Cursor> points;
    std::optional<std::uint64_t> newest;
    for (std::uint64_t count = random_.Below(4); count > 0; --count) {
      points.push_back(ChainPoint::Of(random_.Below(50), HashOf(random_.Next())));
      const auto passed = std::next(
          seen_.passed.begin(), static_cast<std::ptrdiff_t>(random_.Below(seen_.passed.size())));
      if (random_.Chance(0.5)) continue;
      points.push_back(passed->second);
      newest = std::max(newest.value_or(0), NewestAt(passed->second));
    }
    const auto found = TALEA_TRY(ChainStore(engine_).FindIntersection(points));
    const std::optional<Cursor> expected =
        newest ? std::optional<Cursor>(seen_.passed.at(*newest)) : std::nullopt;
    return found == expected ? Status() : Disagree("another intersection");
  }

  Engine& engine_;
  Snapshot& snapshot_;
  const ChainView& view_;
  Random& random_;
  LedgerModel seen_;
};

}  // namespace talea::chain
