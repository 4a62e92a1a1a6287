#include "engine/contract/history.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace talea::contract {
namespace {

using Kind = HistoryStep::Kind;

std::string Describe(const HistoryEntry& entry) {
  std::string text = fmt::format("\ntransaction of version {}, snapshot {}:", entry.version.number,
                                 entry.snapshot ? std::to_string(entry.snapshot->number) : "none");
  for (const HistoryStep& step : entry.steps) text += "\n  " + step.name;
  return text;
}

// Repeats the entry on the state. Unrecorded reads are left out unless they are to be checked.
std::string RepeatOn(const HistoryEntry& entry, Model& state, bool check_unrecorded,
                     const char* which_state) {
  for (const HistoryStep& step : entry.steps) {
    if (step.kind == Kind::unrecorded_read && !check_unrecorded) continue;
    if (step.repeat(state)) continue;
    return fmt::format("{} is not what {} answers{}", step.name, which_state, Describe(entry));
  }
  return "";
}

}  // namespace

bool HistoryEntry::writes() const {
  return std::ranges::any_of(steps,
                             [](const HistoryStep& step) { return step.kind == Kind::write; });
}

void History::Add(HistoryEntry entry) {
  const std::lock_guard lock(mutex_);
  (entry.writes() ? entries_ : read_only_).push_back(std::move(entry));
}

std::string History::Check(const Model& found) {
  std::ranges::sort(entries_, {}, &HistoryEntry::version);
  std::vector<Model> states;
  std::string wrong = Repeat(states);
  if (wrong.empty()) wrong = CheckSnapshots(states);
  if (wrong.empty()) wrong = CheckRealTime();
  if (wrong.empty()) wrong = Difference(states.back(), found);
  return wrong;
}

// The state before the first entry, and after each.
std::string History::Repeat(std::vector<Model>& states) const {
  states.emplace_back();
  for (std::size_t position = 0; position < entries_.size(); ++position) {
    const HistoryEntry& entry = entries_[position];
    if (position > 0 && entries_[position - 1].version == entry.version) {
      return fmt::format("two commits have version {}", entry.version.number);
    }
    Model state = states.back();
    std::string wrong = RepeatOn(entry, state, false, "the state just before its commit");
    if (!wrong.empty()) return wrong;
    states.push_back(std::move(state));
  }
  return "";
}

std::string History::CheckSnapshots(const std::vector<Model>& states) const {
  for (const std::vector<HistoryEntry>* entries : {&entries_, &read_only_}) {
    for (const HistoryEntry& entry : *entries) {
      if (!entry.snapshot) continue;
      const auto after =
          std::ranges::upper_bound(entries_, *entry.snapshot, {}, &HistoryEntry::version);
      Model state = states[static_cast<std::size_t>(after - entries_.begin())];
      std::string wrong = RepeatOn(entry, state, true, "the state of its snapshot");
      if (!wrong.empty()) return wrong;
    }
  }
  return "";
}

std::string History::CheckRealTime() const {
  // From the highest version down: the earliest moment at which a higher one had ended.
  std::uint64_t earliest = std::numeric_limits<std::uint64_t>::max();
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry) {
    if (earliest < entry->committing) {
      return "a commit asked for after another was acknowledged has the lower version" +
             Describe(*entry);
    }
    earliest = std::min(earliest, entry->ended);
  }

  // What was acknowledged first, with the highest version acknowledged until then.
  std::vector<std::pair<std::uint64_t, Version>> acknowledged;
  for (const HistoryEntry& entry : entries_) acknowledged.emplace_back(entry.ended, entry.version);
  std::ranges::sort(acknowledged);
  for (std::size_t position = 1; position < acknowledged.size(); ++position) {
    acknowledged[position].second =
        std::max(acknowledged[position].second, acknowledged[position - 1].second);
  }
  for (const std::vector<HistoryEntry>* entries : {&entries_, &read_only_}) {
    for (const HistoryEntry& entry : *entries) {
      const auto later = std::ranges::lower_bound(acknowledged, entry.began, {},
                                                  [](const auto& pair) { return pair.first; });
      if (!entry.snapshot || later == acknowledged.begin()) continue;
      if (std::prev(later)->second > *entry.snapshot) {
        return fmt::format(
            "a snapshot does not see version {}, acknowledged before it was opened{}",
            std::prev(later)->second.number, Describe(entry));
      }
    }
  }
  return "";
}

}  // namespace talea::contract
