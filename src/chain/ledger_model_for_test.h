// A ledger as the steps that led to it, of which the newest can be taken back. For tests alone.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "chain/ledger_for_test.h"

namespace talea::chain {

struct LedgerModel {
  static constexpr std::string_view kBesideKey = "beside";  // in kRows

  struct Step {
    std::uint64_t number = 0;
    LedgerState state;
    std::string beside;  // a row of the program's own, which steps write too
    std::shared_ptr<const Step> before = {};
  };

  std::shared_ptr<const Step> newest = std::make_shared<Step>();
  // The first step that can be gone back to: between these two. Those that a window lets go are
  // forgotten some time later.
  std::uint64_t lowest = 0;
  std::uint64_t certain = 0;
  // Of what was observed: the places that were passed, and the states of some of them.
  bool observed = false;
  std::map<std::uint64_t, Cursor> passed = {};
  std::map<std::uint64_t, LedgerState> states = {};

  std::uint64_t number() const { return newest->number; }
  const LedgerState& state() const { return newest->state; }
  // The number of the step so many steps before the newest, or of the first.
  std::uint64_t Before(std::uint64_t steps) const { return number() - std::min(steps, number()); }
  const Step& At(std::uint64_t wanted) const {
    const Step* step = newest.get();
    while (step->number > wanted) step = step->before.get();
    return *step;
  }
  // The newest step, not before `from`, after which the cursor was there.
  std::optional<std::uint64_t> Find(const Cursor& point, std::uint64_t from) const {
    for (const Step* step = newest.get(); step && step->number >= from; step = step->before.get())
      if (step->state.cursor == point) return step->number;
    return std::nullopt;
  }
  void StepBack() { newest = newest->before; }

  bool Observes(const LedgerModel& model) const {
    for (const auto& [number, cursor] : passed)
      if (model.At(number).state.cursor != cursor) return false;
    for (const auto& [number, state] : states)
      if (!(model.At(number).state == state)) return false;
    return true;
  }
  friend bool operator==(const LedgerModel& a, const LedgerModel& b) {
    const bool bounds = a.observed || b.observed ? a.lowest <= b.certain && b.lowest <= a.certain
                                                 : a.lowest == b.lowest && a.certain == b.certain;
    return bounds && a.number() == b.number() && a.newest->beside == b.newest->beside &&
           a.state() == b.state() && a.Observes(b) && b.Observes(a);
  }
};

inline std::string Difference(const LedgerModel& model, const LedgerModel& observed) {
  std::string text =
      fmt::format("step {} and not {}, back to {} and not {} to {}; ", observed.number(),
                  model.number(), observed.lowest, model.lowest, model.certain);
  if (observed.newest->beside != model.newest->beside) text += "another row beside; ";
  if (observed.number() == model.number()) {
    for (const auto& [number, state] : observed.states)
      text += fmt::format("at step {}: {}", number, Difference(model.At(number).state, state));
    for (const auto& [number, cursor] : observed.passed)
      if (model.At(number).state.cursor != cursor)
        text += fmt::format("another point {}; ", number);
  }
  return text + "now: " + Difference(model.state(), observed.state());
}

}  // namespace talea::chain
