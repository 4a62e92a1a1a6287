// A ledger as plain maps, and blocks and batches that own their bytes. For tests alone.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "chain/codec.h"
#include "chain/keys.h"
#include "coordination/coordination_for_test.h"
#include "talea/chain.h"

namespace talea::chain {

using StoredTag = OutputNotes::StoredTag;

struct TestOutput {
  OutputReference reference;
  std::uint16_t era = 0;
  std::string cbor = {};
  std::uint64_t coin = 0;
  std::vector<StoredTag> tags = {};  // as they are given: in any order, some perhaps twice

  // Whose bytes are this one's.
  Output view() const {
    Output output{.reference = reference, .era = era, .cbor = cbor, .coin = coin};
    for (const StoredTag& tag : tags) output.tags.push_back({tag.kind, tag.bytes});
    return output;
  }
  // As it is kept: the tags in order, each once.
  TestOutput Kept() const {
    TestOutput kept = *this;
    std::ranges::sort(kept.tags);
    kept.tags.erase(std::ranges::unique(kept.tags).begin(), kept.tags.end());
    return kept;
  }
  friend bool operator==(const TestOutput&, const TestOutput&) = default;
};

struct TestDelta {
  std::vector<TestOutput> produced = {};
  std::vector<TestOutput> recovered = {};
  std::vector<OutputReference> consumed = {};
  std::vector<OutputReference> undone = {};
};

struct TestEntity {
  std::string name_space;
  EntityKey key;
  std::optional<std::string> value;
};

struct TestValue {
  std::string name_space;
  EntityKey key;
  std::string value;
  bool remove = false;
};

struct TestCounter {
  std::string name_space;
  EntityKey key;
  std::int64_t delta = 0;
};

// All that one step does.
struct TestBatch {
  std::vector<TestDelta> deltas = {};
  std::vector<TestEntity> entities = {};
  std::vector<TestValue> values = {};
  std::vector<TestCounter> counters = {};
  std::optional<ChainPoint> cursor = {};

  bool empty() const {
    return deltas.empty() && entities.empty() && values.empty() && counters.empty() && !cursor;
  }
};

inline std::vector<Output> Views(const std::vector<TestOutput>& outputs) {
  std::vector<Output> views;
  for (const TestOutput& output : outputs) views.push_back(output.view());
  return views;
}

// The batch as a block: of one delta, that produces and consumes. Its bytes are the batch's.
inline Block BlockOf(const TestBatch& batch, const Cursor& parent) {
  Block block{.parent = parent, .point = batch.cursor.value()};
  if (!batch.deltas.empty()) {
    block.produced = Views(batch.deltas[0].produced);
    block.consumed = batch.deltas[0].consumed;
  }
  for (const TestEntity& write : batch.entities) {
    block.entities.push_back({write.name_space, write.key, write.value});
  }
  for (const TestValue& write : batch.values) {
    block.values.push_back({write.name_space, write.key, write.value, write.remove});
  }
  for (const TestCounter& add : batch.counters) {
    block.counters.push_back({add.name_space, add.key, add.delta});
  }
  return block;
}

// The same by the writer's calls.
inline void WriteTo(ChainBatch& writer, const TestBatch& batch) {
  for (const TestDelta& delta : batch.deltas) {
    const std::vector<Output> produced = Views(delta.produced);
    const std::vector<Output> recovered = Views(delta.recovered);
    writer.ApplyUtxoSet({produced, recovered, delta.consumed, delta.undone});
  }
  for (const TestEntity& write : batch.entities) {
    if (write.value) writer.WriteEntity(write.name_space, write.key, *write.value);
    if (!write.value) writer.DeleteEntity(write.name_space, write.key);
  }
  for (const TestValue& write : batch.values) {
    if (write.remove) writer.RemoveValue(write.name_space, write.key, write.value);
    if (!write.remove) writer.AddValue(write.name_space, write.key, write.value);
  }
  for (const TestCounter& add : batch.counters) {
    writer.AddToCounter(add.name_space, add.key, add.delta);
  }
  if (batch.cursor) writer.SetCursor(*batch.cursor);
}

// All that a ledger holds.
struct LedgerState {
  using Name = std::pair<std::string, EntityKey>;

  Cursor cursor;
  std::map<OutputReference, TestOutput> outputs;  // as they are kept
  std::set<std::string> namespaces;               // that were written to
  std::map<Name, std::string> entities;
  std::set<std::pair<Name, std::string>> values;
  std::map<Name, std::int64_t> counters;  // without those that are 0

  std::uint64_t coin() const {
    std::uint64_t sum = 0;
    for (const auto& [reference, output] : outputs) sum += output.coin;
    return sum;
  }
  std::vector<NamespaceInformation> Counts() const {
    std::vector<NamespaceInformation> counts;
    for (const std::string& name : namespaces) {
      NamespaceInformation& count = counts.emplace_back(NamespaceInformation{.name = name});
      for (const auto& [entity, value] : entities) count.entities += entity.first == name;
      for (const auto& [entity, value] : values) count.values += entity.first == name;
    }
    return counts;
  }
  friend bool operator==(const LedgerState&, const LedgerState&) = default;
};

// The rules, as plainly as can be. Returns how many inputs were passed over.
inline Result<std::uint64_t> ApplyTo(LedgerState& state, const TestBatch& batch,
                                     bool allow_missing_inputs = false) {
  std::uint64_t missing = 0;
  std::set<OutputReference> seen;
  const auto put = [&](const std::vector<TestOutput>& outputs) -> Status {
    for (const TestOutput& output : outputs) {
      seen.insert(output.reference);
      for (const StoredTag& tag : output.tags)
        if (tag.bytes.size() > 4096) return Fail(ErrorCode::invalid_argument, "a tag too long");
      if (!state.outputs.emplace(output.reference, output.Kept()).second)
        return Fail(ErrorCode::already_exists, "an output that is there");
    }
    return {};
  };
  const auto erase = [&](const std::vector<OutputReference>& references) -> Status {
    for (const OutputReference& reference : references) {
      const bool first = seen.insert(reference).second;
      if (state.outputs.erase(reference) > 0) continue;
      if (!allow_missing_inputs || !first)
        return Fail(ErrorCode::not_found, "an output that is missing");
      ++missing;
    }
    return {};
  };
  for (const TestDelta& delta : batch.deltas) {
    TALEA_TRY(put(delta.produced));
    TALEA_TRY(put(delta.recovered));
    TALEA_TRY(erase(delta.consumed));
    TALEA_TRY(erase(delta.undone));
  }
  for (const TestEntity& write : batch.entities) {
    if (write.value) state.namespaces.insert(write.name_space);
    if (write.value) state.entities[{write.name_space, write.key}] = *write.value;
    if (!write.value) state.entities.erase({write.name_space, write.key});
  }
  for (const TestValue& write : batch.values) {
    if (!write.remove) state.namespaces.insert(write.name_space);
    if (!write.remove) state.values.insert({{write.name_space, write.key}, write.value});
    if (write.remove) state.values.erase({{write.name_space, write.key}, write.value});
  }
  for (const TestCounter& add : batch.counters) {
    state.namespaces.insert(add.name_space);
    std::int64_t& counter = state.counters[{add.name_space, add.key}];
    counter += add.delta;
    if (counter == 0) state.counters.erase({add.name_space, add.key});
  }
  if (batch.cursor) state.cursor = *batch.cursor;
  return missing;
}

// Makes a change of the feed; false if it does not begin with what is there. The feed knows nothing
// of notes and namespaces.
inline bool Replay(LedgerState& state, const ChainChange& change) {
  bool fits = state.cursor == change.parent;
  state.cursor = change.point;
  for (const OutputChange& output : change.outputs) {
    const auto found = state.outputs.find(output.reference);
    fits &= output.before.has_value() == (found != state.outputs.end());
    if (output.before && fits) fits = output.before->stored() == EncodeOutput(found->second.view());
    state.outputs.erase(output.reference);
    if (!output.after) continue;
    TestOutput after{.reference = output.reference, .era = output.after->era()};
    after.cbor = output.after->cbor();
    state.outputs.emplace(output.reference, after);
  }
  for (const EntityChange& entity : change.entities) {
    const LedgerState::Name name{entity.name_space, entity.key};
    const auto found = state.entities.find(name);
    const bool there = found != state.entities.end();
    fits &= entity.before == (there ? std::optional(found->second) : std::nullopt);
    state.entities.erase(name);
    if (entity.after) state.entities.emplace(name, *entity.after);
  }
  for (const ValueChange& value : change.values) {
    const std::pair<LedgerState::Name, std::string> one{{value.name_space, value.key}, value.value};
    fits &= value.removed ? state.values.erase(one) > 0 : state.values.insert(one).second;
  }
  for (const CounterChange& counter : change.counters) {
    const LedgerState::Name name{counter.name_space, counter.key};
    if ((state.counters[name] += counter.delta) == 0) state.counters.erase(name);
  }
  return fits;
}

// Every row that a ledger of this state has, but those of its steps, as docs/formats/chain.md has
// them.
inline StoredRows RowsOf(const LedgerState& state) {
  StoredRows rows;
  const auto row = [&](const Keyspace& keyspace, ByteView key, ByteView value) {
    rows[{int{keyspace.id}, std::string(key)}] = std::string(value);
  };
  const auto counter = [&](const Keyspace& keyspace, ByteView key, std::uint64_t value) {
    std::string bytes;
    for (int shift = 0; shift < 64; shift += 8) bytes += static_cast<char>(value >> shift & 255);
    if (value != 0) row(keyspace, key, bytes);
  };
  if (state.cursor) row(kStateCursorKeyspace, kCursorKey, EncodePoint(*state.cursor));
  for (const auto& [reference, output] : state.outputs) {
    const OutputKey key(reference);
    row(kStateUtxosKeyspace, key, EncodeOutput(output.view()));
    if (output.coin != 0 || !output.tags.empty())
      row(kChainNotesKeyspace, key, EncodeNotes(output.view()));
    for (const StoredTag& tag : output.tags)
      row(kChainTagsKeyspace, TagKey({tag.kind, tag.bytes}, reference), EncodeCoin(output.coin));
  }
  for (const auto& [name, value] : state.entities)
    row(kStateEntitiesKeyspace, EntityRowKey(HashNamespace(name.first), name.second), value);
  for (const auto& [name, value] : state.values)
    row(kChainKeyspace, ValueKey(HashNamespace(name.first), name.second, value), "");
  for (const auto& [name, sum] : state.counters)
    counter(kChainCountersKeyspace, EntityRowKey(HashNamespace(name.first), name.second),
            static_cast<std::uint64_t>(sum));
  counter(kChainCountsKeyspace, CountKey(ChainCount::outputs), state.outputs.size());
  counter(kChainCountsKeyspace, CountKey(ChainCount::coin), state.coin());
  for (const NamespaceInformation& count : state.Counts()) {
    const NamespaceHash hash = HashNamespace(count.name);
    row(kChainKeyspace, NamespaceKey(hash), count.name);
    counter(kChainCountsKeyspace, CountKey(ChainCount::entities, hash), count.entities);
    counter(kChainCountsKeyspace, CountKey(ChainCount::values, hash), count.values);
  }
  return rows;
}

// How the two differ, in few words.
inline std::string Difference(const LedgerState& expected, const LedgerState& found) {
  std::string text;
  const auto say = [&](const std::string& what) { text += what + "; "; };
  if (expected.cursor != found.cursor)
    say("cursor " + Describe(found.cursor) + " and not " + Describe(expected.cursor));
  for (const auto& [reference, output] : expected.outputs) {
    const auto same = found.outputs.find(reference);
    if (same == found.outputs.end())
      say("without output " + reference.ToString());
    else if (!(same->second == output))
      say("another output " + reference.ToString());
  }
  for (const auto& [reference, output] : found.outputs)
    if (!expected.outputs.contains(reference)) say("with output " + reference.ToString());
  if (expected.namespaces != found.namespaces) say("other namespaces");
  if (expected.entities != found.entities) say("other entities");
  if (expected.values != found.values) say("other values");
  if (expected.counters != found.counters) say("other counters");
  return text;
}

}  // namespace talea::chain
