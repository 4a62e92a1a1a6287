// Random blocks and batches that a ledger can take, or that are wrong in one way. For tests alone.
#pragma once

#include <string>
#include <vector>

#include "chain/ledger_for_test.h"
#include "talea/testing/random.h"

namespace talea::chain {

// The few names of things that there are, so that blocks meet: keys at both ends of their range,
// and tags, values and namespaces that begin alike.
inline Bytes32 HashOf(std::uint64_t number) {
  Bytes32 hash;
  if (number == 0) return hash;
  hash.bytes.fill(static_cast<std::uint8_t>(number == 1 ? 0xff : number));
  for (std::size_t place = 0; number > 1 && place < 8; ++place)
    hash.bytes[place + 24] = static_cast<std::uint8_t>(number >> (8 * place));
  return hash;
}

inline const std::vector<OutputReference>& AllReferences() {
  static const std::vector<OutputReference> all = [] {
    std::vector<OutputReference> references;
    for (std::uint64_t transaction = 0; transaction < 24; ++transaction)
      for (const std::uint32_t index : {0u, 1u, ~0u})
        references.push_back({HashOf(transaction), index});
    return references;
  }();
  return all;
}

inline const std::vector<std::string>& AllNamespaces() {
  static const std::vector<std::string> all{"accounts", "account", "pools", ""};
  return all;
}

inline const std::vector<EntityKey>& AllEntityKeys() {
  static const std::vector<EntityKey> all{HashOf(0), HashOf(1), HashOf(2), HashOf(3), HashOf(254)};
  return all;
}

inline const std::vector<std::string>& AllValues() {
  static const std::vector<std::string> all{
      "", std::string("\0", 1), std::string("\0\xff", 2), "a", "ab", "\xff", "\xff\xff"};
  return all;
}

inline const std::vector<StoredTag>& AllTags() {
  static const std::vector<StoredTag> all = [] {
    std::vector<StoredTag> tags;
    for (const TagKind kind :
         {TagKind::address, TagKind::payment, TagKind::stake, TagKind::policy, TagKind::asset}) {
      for (const char* bytes : {"", "A", "AB", "ABC", "\xff\xff"}) tags.push_back({kind, bytes});
    }
    return tags;
  }();
  return all;
}

template <class T>
const T& OneOf(Random& random, const std::vector<T>& all) {
  return all[random.Below(all.size())];
}

// What is wrong with a batch.
enum class Flaw { none, missing_input, duplicate_output, made_twice, spent_twice, tag_too_long };

// Makes batches for a ledger of this state.
class RandomBatches {
 public:
  // Outputs of so many bytes at most; blocks of so many outputs at most.
  struct Sizes {
    std::size_t bytes = 40;
    std::size_t outputs = 6;
  };

  RandomBatches(const LedgerState& state, Random& random, Sizes sizes)
      : state_(state), random_(random), sizes_(sizes) {
    for (const OutputReference& reference : AllReferences())
      (state.outputs.contains(reference) ? unspent_ : free_).push_back(reference);
  }

  // One delta that produces and consumes, among them what it produces itself.
  TestBatch ForABlock(Flaw flaw) {
    TestBatch batch = Rest();
    TestDelta& delta = batch.deltas.emplace_back();
    delta.produced = Take(sizes_.outputs);
    delta.consumed = Spend(sizes_.outputs);
    if (random_.Chance(0.3)) batch.deltas.clear();
    batch.cursor = NextPoint();
    return Spoil(std::move(batch), flaw);
  }

  // Up to three deltas, one after the other, so that an output may come and go several times.
  TestBatch ForAWriter(Flaw flaw) {
    TestBatch batch = Rest();
    for (std::uint64_t count = random_.Below(4); count > 0; --count) {
      TestDelta& delta = batch.deltas.emplace_back();
      delta.produced = Take(sizes_.outputs / 2);
      delta.recovered = Take(sizes_.outputs / 2);
      delta.consumed = Spend(sizes_.outputs / 2);
      delta.undone = Spend(sizes_.outputs / 2);
      free_.insert(free_.end(), spent_.begin(), spent_.end());
      spent_.clear();
    }
    if (random_.Chance(0.5)) batch.cursor = NextPoint();
    return Spoil(std::move(batch), flaw);
  }

  // One after the ledger's, on a branch of its own.
  ChainPoint NextPoint() {
    const std::uint64_t slot = (state_.cursor ? state_.cursor->slot : 0) + 1 + random_.Below(3);
    if (!state_.cursor && random_.Chance(0.3)) return ChainPoint::Origin();
    if (random_.Chance(0.2)) return ChainPoint::AtSlot(slot);
    return ChainPoint::Of(slot, HashOf(random_.Next()));
  }

 private:
  TestOutput RandomOutput(const OutputReference& reference) {
    TestOutput output{.reference = reference, .era = static_cast<std::uint16_t>(random_.Below(8))};
    output.cbor.assign(random_.Below(sizes_.bytes + 1), static_cast<char>(random_.Below(256)));
    if (random_.Chance(0.7)) output.coin = random_.Below(1'000'000) + 1;
    if (random_.Chance(0.02)) output.coin = 1ull << 55;
    for (std::uint64_t count = random_.Chance(0.3) ? 0 : random_.Below(6); count > 0; --count)
      output.tags.push_back(OneOf(random_, AllTags()));
    return output;
  }

  // References that are free, as outputs; they are unspent from then on.
  std::vector<TestOutput> Take(std::size_t most) {
    std::vector<TestOutput> outputs;
    for (std::uint64_t count = random_.Below(most + 1); count > 0 && !free_.empty(); --count)
      outputs.push_back(RandomOutput(unspent_.emplace_back(Remove(free_))));
    return outputs;
  }
  std::vector<OutputReference> Spend(std::size_t most) {
    std::vector<OutputReference> references;
    for (std::uint64_t count = random_.Below(most + 1); count > 0 && !unspent_.empty(); --count)
      references.push_back(spent_.emplace_back(Remove(unspent_)));
    return references;
  }
  // The newest are taken as often as all others together.
  OutputReference Remove(std::vector<OutputReference>& from) {
    std::size_t place = random_.Below(from.size());
    if (random_.Chance(0.5))
      place = from.size() - 1 - random_.Below(std::min<std::size_t>(from.size(), 4));
    const OutputReference removed = from[place];
    from.erase(from.begin() + static_cast<std::ptrdiff_t>(place));
    return removed;
  }

  // Entities, values and counters.
  TestBatch Rest() {
    TestBatch batch;
    const auto some = [&] { return random_.Chance(0.5) ? 0 : random_.Below(4); };
    const auto name = [&] { return OneOf(random_, AllNamespaces()); };
    const auto key = [&] { return OneOf(random_, AllEntityKeys()); };
    for (std::uint64_t count = some(); count > 0; --count) {
      TestEntity& write = batch.entities.emplace_back(TestEntity{name(), key(), {}});
      if (random_.Chance(0.7))
        write.value = std::string(random_.Below(sizes_.bytes), static_cast<char>(random_.Next()));
    }
    for (std::uint64_t count = some(); count > 0; --count)
      batch.values.push_back({name(), key(), OneOf(random_, AllValues()), random_.Chance(0.4)});
    for (std::uint64_t count = some(); count > 0; --count)
      batch.counters.push_back({name(), key(), random_.Between(-3, 3)});
    return batch;
  }

  // The batch with a flaw, if that can be had.
  TestBatch Spoil(TestBatch batch, Flaw flaw) {
    if (flaw == Flaw::none) return batch;
    if (batch.deltas.empty()) batch.deltas.emplace_back();
    TestDelta& delta = batch.deltas.back();
    const auto spend = [&](const OutputReference& reference) {
      delta.consumed.push_back(reference);
    };
    if (flaw == Flaw::missing_input && !free_.empty()) spend(OneOf(random_, free_));
    if (flaw == Flaw::duplicate_output && !unspent_.empty())
      delta.produced.push_back(RandomOutput(OneOf(random_, unspent_)));
    if (flaw == Flaw::made_twice && !delta.produced.empty())
      delta.produced.push_back(RandomOutput(delta.produced[0].reference));
    if (flaw == Flaw::spent_twice && !delta.consumed.empty()) spend(delta.consumed[0]);
    if (flaw == Flaw::tag_too_long && !free_.empty()) {
      TestOutput output = RandomOutput(free_[0]);
      output.tags.push_back({TagKind::asset, std::string(4097, 'A')});
      delta.produced.push_back(output);
    }
    return batch;
  }

  const LedgerState& state_;
  Random& random_;
  const Sizes sizes_;
  std::vector<OutputReference> unspent_;
  std::vector<OutputReference> free_;
  std::vector<OutputReference> spent_;  // by this delta: they are free for the next one
};

}  // namespace talea::chain
