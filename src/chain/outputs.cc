#include "chain/outputs.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/output_check.h"

namespace talea::chain {
namespace {

std::unexpected<Error> Missing(const OutputKey& key) {
  return Fail(ErrorCode::not_found, fmt::format("output {}: expected it to be unspent, found none",
                                                ReferenceOfKey(key).value().ToString()));
}

std::unexpected<Error> Duplicate(const OutputKey& key) {
  return Fail(ErrorCode::already_exists,
              fmt::format("output {}: expected it to be new, found one that is unspent",
                          ReferenceOfKey(key).value().ToString()));
}

bool HasNotes(const Output& output) { return output.coin != 0 || !output.tags.empty(); }

}  // namespace

Status OutputPlan::Ask(Lookups& lookups) {
  std::size_t most = 0;
  for (const UtxoSetDelta& delta : deltas_) {
    most += delta.produced.size() + delta.recovered.size() + delta.consumed.size() +
            delta.undone.size();
  }
  events_.reserve(most);
  places_.reserve(most);
  for (const UtxoSetDelta& delta : deltas_) {
    TALEA_TRY(Put(delta.produced));
    TALEA_TRY(Put(delta.recovered));
    Erase(delta.consumed);
    Erase(delta.undone);
  }
  TALEA_TRY(Fold());
  for (Change& change : changes_) {
    if (!change.expected && options_.outputs_are_new) continue;
    change.value_lookup = lookups.Ask(kStateUtxosKeyspace, change.key);
  }
  for (Change& change : changes_) {
    if (change.expected) change.notes_lookup = lookups.Ask(kChainNotesKeyspace, change.key);
  }
  return {};
}

Status OutputPlan::Put(std::span<const Output> outputs) {
  for (const Output& output : outputs) {
    TALEA_TRY(CheckOutput(output));
    Note(output.reference, &output);
  }
  return {};
}

void OutputPlan::Erase(std::span<const OutputReference> references) {
  for (const OutputReference& reference : references) Note(reference, nullptr);
}

void OutputPlan::Note(const OutputReference& reference, const Output* put) {
  const auto number = static_cast<std::uint32_t>(events_.size());
  const Event& event = events_.emplace_back(Event{OutputKey(reference), put});
  places_.push_back({LoadBigEndian64(event.key.bytes.data()), number});
}

Status OutputPlan::Fold() {
  const auto before = [this](const Place& a, const Place& b) {
    if (a.key_start != b.key_start) return a.key_start < b.key_start;
    const int order = events_[a.event].key.view().compare(events_[b.event].key.view());
    return order != 0 ? order < 0 : a.event < b.event;
  };
  if (!std::ranges::is_sorted(places_, before)) std::ranges::sort(places_, before);
  changes_.reserve(places_.size());  // which also keeps the keys in place
  for (const Place& place : places_) {
    const Event& event = events_[place.event];
    if (!changes_.empty() && changes_.back().key.view() == event.key.view()) {
      TALEA_TRY(Apply(event, changes_.back()));
    } else {
      changes_.push_back({.key = event.key, .put = event.put, .expected = event.put == nullptr});
    }
  }
  return {};
}

// What is done to an output that the step has done something to before.
Status OutputPlan::Apply(const Event& event, Change& change) {
  if (event.put != nullptr && change.put != nullptr) return Duplicate(change.key);
  if (event.put == nullptr && change.put == nullptr) return Missing(change.key);
  change.put = event.put;
  return {};
}

Status OutputPlan::Check(const Lookups& lookups) {
  for (const Change& change : changes_) {
    if (!change.expected) {
      if (options_.outputs_are_new) continue;
      if (lookups.Found(change.value_lookup)) return Duplicate(change.key);
      continue;
    }
    if (const auto& notes = lookups.Found(change.notes_lookup)) TALEA_TRY(DecodeNotes(*notes));
    if (lookups.Found(change.value_lookup)) continue;
    if (!options_.allow_missing_inputs) return Missing(change.key);
    ++missing_inputs_;
  }
  return {};
}

void OutputPlan::Write(const Lookups& lookups, StepSink& sink) {
  for (const Change& change : changes_) WriteChange(change, lookups, sink);
  if (outputs_ != 0) sink.Add(kChainCountsKeyspace, CountKey(ChainCount::outputs), outputs_);
  if (coin_ != 0) sink.Add(kChainCountsKeyspace, CountKey(ChainCount::coin), coin_);
}

void OutputPlan::WriteChange(const Change& change, const Lookups& lookups, StepSink& sink) {
  static const std::optional<std::string> kNothing;
  const auto& value = change.expected ? lookups.Found(change.value_lookup) : kNothing;
  const auto& notes = change.expected ? lookups.Found(change.notes_lookup) : kNothing;
  WriteValue(change, value, sink);
  WriteNotes(change, notes, sink);
}

void OutputPlan::WriteValue(const Change& change, const std::optional<std::string>& old,
                            StepSink& sink) {
  if (change.put != nullptr) {
    value_.clear();
    AppendOutput(value_, *change.put);
    sink.Put(kStateUtxosKeyspace, change.key, old, value_);
    if (!old) ++outputs_;
  } else if (old) {
    sink.Erase(kStateUtxosKeyspace, change.key, *old);
    --outputs_;
  }
}

// Notes and tags of what was there go, those of what is there now come.
void OutputPlan::WriteNotes(const Change& change, const std::optional<std::string>& old,
                            StepSink& sink) {
  const Output* now = change.put != nullptr && HasNotes(*change.put) ? change.put : nullptr;
  if (!old && now == nullptr) return;
  OutputNotes before;
  if (old) before = DecodeNotes(*old).value();  // Check has done it, too
  coin_ = WrappingAdd(coin_, -static_cast<std::int64_t>(before.coin));
  if (now != nullptr) coin_ = WrappingAdd(coin_, static_cast<std::int64_t>(now->coin));
  WriteTags(change.key, before, now, sink);
  if (now != nullptr) {
    sink.Put(kChainNotesKeyspace, change.key, old, EncodeNotes(*now));
  } else {
    sink.Erase(kChainNotesKeyspace, change.key, *old);
  }
}

void OutputPlan::WriteTags(const OutputKey& key, const OutputNotes& before, const Output* now,
                           StepSink& sink) {
  struct Side {
    Tag tag;
    bool is_now;
    auto operator<=>(const Side&) const = default;
  };
  std::vector<Side> sides;
  sides.reserve(before.tags.size() + (now != nullptr ? now->tags.size() : 0));
  for (const auto& tag : before.tags) sides.push_back({{tag.kind, tag.bytes}, false});
  if (now != nullptr) {
    for (const Tag& tag : now->tags) sides.push_back({tag, true});
  }
  std::ranges::sort(sides);
  const std::string old_coin = EncodeCoin(before.coin);
  const std::string new_coin = EncodeCoin(now != nullptr ? now->coin : 0);
  for (std::size_t first = 0, end = 0; first < sides.size(); first = end) {
    const Tag& tag = sides[first].tag;
    while (end < sides.size() && sides[end].tag == tag) ++end;
    const bool was = !sides[first].is_now;
    const bool is = sides[end - 1].is_now;
    AssignTagKey(row_, tag, key);
    if (!is) {
      sink.Erase(kChainTagsKeyspace, row_, old_coin);
    } else if (was) {
      sink.Replace(kChainTagsKeyspace, row_, old_coin, new_coin);
    } else {
      sink.Insert(kChainTagsKeyspace, row_, new_coin);
    }
  }
}

}  // namespace talea::chain
