#include "chain/outputs.h"

#include <fmt/format.h>
#include <xxhash.h>

#include <map>

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

std::size_t OutputPlan::Hash::operator()(ByteView key) const {
  return XXH3_64bits(key.data(), kOutputKeyBytes);
}

Status OutputPlan::Ask(Lookups& lookups) {
  std::size_t most = 0;
  for (const UtxoSetDelta& delta : deltas_) {
    most += delta.produced.size() + delta.recovered.size() + delta.consumed.size() +
            delta.undone.size();
  }
  changes_.reserve(most);  // which also keeps the keys in place
  positions_.reserve(most);
  for (const UtxoSetDelta& delta : deltas_) {
    TALEA_TRY(Put(delta.produced));
    TALEA_TRY(Put(delta.recovered));
    TALEA_TRY(Erase(delta.consumed));
    TALEA_TRY(Erase(delta.undone));
  }
  for (Change& change : changes_) {
    if (!change.expected && options_.outputs_are_new) continue;
    change.value_lookup = lookups.Ask(kStateUtxosKeyspace, change.key);
    if (change.expected) change.notes_lookup = lookups.Ask(kChainNotesKeyspace, change.key);
  }
  return {};
}

std::pair<OutputPlan::Change*, bool> OutputPlan::Find(const OutputReference& reference) {
  changes_.push_back({.key = OutputKey(reference)});
  const auto [found, made] = positions_.try_emplace(
      changes_.back().key.view(), static_cast<std::uint32_t>(changes_.size() - 1));
  if (!made) changes_.pop_back();
  return {&changes_[found->second], made};
}

Status OutputPlan::Put(std::span<const Output> outputs) {
  for (const Output& output : outputs) {
    TALEA_TRY(CheckOutput(output));
    const auto [change, made] = Find(output.reference);
    if (change->put != nullptr) return Duplicate(change->key);
    change->put = &output;
  }
  return {};
}

Status OutputPlan::Erase(std::span<const OutputReference> references) {
  for (const OutputReference& reference : references) {
    const auto [change, made] = Find(reference);
    if (made) {
      change->expected = true;
    } else if (change->put != nullptr) {
      change->put = nullptr;
    } else {
      return Missing(change->key);  // it was erased by this step already
    }
  }
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
    sink.Put(kStateUtxosKeyspace, change.key, old, EncodeOutput(*change.put));
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
  struct Coins {
    std::optional<std::string> before, now;
  };
  std::map<Tag, Coins> tags;
  for (const auto& tag : before.tags) tags[{tag.kind, tag.bytes}].before = EncodeCoin(before.coin);
  if (now != nullptr) {
    for (const Tag& tag : now->tags) tags[tag].now = EncodeCoin(now->coin);
  }
  const OutputReference reference = ReferenceOfKey(key).value();
  for (const auto& [tag, coins] : tags) {
    const std::string row = TagKey(tag, reference);
    if (coins.now) {
      sink.Put(kChainTagsKeyspace, row, coins.before, *coins.now);
    } else {
      sink.Erase(kChainTagsKeyspace, row, *coins.before);
    }
  }
}

}  // namespace talea::chain
