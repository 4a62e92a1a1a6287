// What a batch does: all of it at once, and in its order.
#include <algorithm>
#include <array>

#include "engine/contract/property.h"

namespace talea::contract {
void LinkBatchTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

using Step = void (*)(WriteBatch& batch, const Keyspace& keyspace, const std::string& key);

constexpr Step kPut = [](auto& batch, auto& keyspace, auto& key) {
  batch.Put(keyspace, key, "put it  ");  // 8 bytes, which a counter takes too
};
constexpr Step kErase = [](auto& batch, auto& keyspace, auto& key) { batch.Erase(keyspace, key); };
constexpr Step kEraseRange = [](auto& batch, auto& keyspace, auto& key) {
  batch.EraseRange(keyspace, KeyRange::Prefix(key));
};
constexpr Step kPutAgain = [](auto& batch, auto& keyspace, auto& key) {
  batch.Put(keyspace, key, "otherway");
};
constexpr Step kAdd = [](auto& batch, auto& keyspace, auto& key) { batch.Add(keyspace, key, 5); };
constexpr Step kSubtract = [](auto& batch, auto& keyspace, auto& key) {
  batch.Add(keyspace, key, -7);
};

// Every order of every choice of the steps, each on a key of its own that is absent at first, and
// on one that is present; one commit each.
template <std::size_t kCount>
void CheckEveryOrder(Engine& engine, const Keyspace& keyspace,
                     const std::array<Step, kCount>& steps) {
  Model expected = State(engine);
  std::array<std::size_t, kCount> order;
  for (std::size_t position = 0; position < kCount; ++position) order[position] = position;
  int number = 0;
  do {
    for (std::size_t length = 1; length <= kCount; ++length) {
      for (const bool present : {false, true}) {
        const std::string key = "key " + std::to_string(++number) + ".";
        WriteBatch base, batch;
        if (present) base.Put(keyspace, key, "was here");
        for (std::size_t position = 0; position < length; ++position) {
          steps[order[position]](batch, keyspace, key);
        }
        expected.Apply(base);
        expected.Apply(batch);
        Write(engine, base);
        Write(engine, batch);
      }
    }
  } while (std::ranges::next_permutation(order).found);
  EXPECT_EQ(Difference(expected, State(engine)), "");
}

TEST_P(EngineContract, ABatchDoesItsPutsAndErasuresInOrder) {
  CheckEveryOrder<4>(engine(), kPoints, {kPut, kErase, kEraseRange, kPutAgain});
  CheckEveryOrder<3>(engine(), kCounters, {kPut, kErase, kEraseRange});
}

TEST_P(EngineContract, ABatchDoesItsAddsInOrderWithEverythingElse) {
  CheckEveryOrder<4>(engine(), kCounters, {kPut, kAdd, kErase, kSubtract});
}

TEST_P(EngineContract, ABatchDoesItsAddsInOrderWithErasuresOfRanges) {
  CheckEveryOrder<4>(engine(), kSums, {kPut, kAdd, kEraseRange, kSubtract});
}

TEST_P(EngineContract, ARangeErasureInABatchSparesItsEndAndWhatIsPutAfterwards) {
  Write(engine(), Writes().Put(kScans, "a", "old").Put(kScans, "b", "old").Put(kScans, "c", "old"));
  Write(engine(), Writes()
                      .Put(kScans, "aa", "new")
                      .EraseRange(kScans, Between("a", "c"))
                      .Put(kScans, "b", "new"));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()),
            (RowList{{"b", "new"}, {"c", "old"}}));
}

TEST_P(EngineContract, ErasingAnEmptyRangeErasesNothing) {
  Write(engine(), Writes().Put(kScans, "a", "").Put(kScans, "b", "").Put(kScans, "", ""));
  const Model before = State(engine());
  Write(engine(),
        Writes().EraseRange(kScans, Between("a", "a")).EraseRange(kScans, Between("", "")));
  EXPECT_EQ(Difference(before, State(engine())), "");
}

TEST_P(EngineContract, ErasingToTheOpenEndReachesTheLastKey) {
  const std::string last(32, '\xff');
  Write(engine(), Writes().Put(kScans, last, "").Put(kScans, "a", "").Add(kCounters, last, 1));
  Write(engine(), Writes().EraseRange(kScans, KeyRange::From("b")));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{"a", ""}}));
  Write(engine(), Writes().EraseRange(kCounters, KeyRange::All()));
  EXPECT_EQ(ReadCounter(engine(), kCounters, last), 0);
}

TEST_P(EngineContract, ABatchOfThousandsOfWritesIsOneCommit) {
  constexpr int kCount = 5000;
  WriteBatch batch;
  Model expected;
  for (int row = 0; row < kCount; ++row) {
    const std::string key = std::to_string(row * 7919 % kCount);
    batch.Put(kScans, key, std::to_string(row));
    batch.Add(kCounters, key.substr(0, 2), row);
    if (row % 5 == 0) batch.Erase(kScans, key);
  }
  expected.Apply(batch);
  Write(engine(), batch);
  EXPECT_EQ(Difference(expected, State(engine())), "");
}

TEST_P(EngineContract, RandomBatchesDoWhatAMapDoes) {
  CheckProperty(100, [this] {
    Model expected = StartFrom(engine(), *RandomWriteList());
    const auto batches = *rc::gen::resize(
        8, rc::gen::container<std::vector<RandomWrites>>(rc::gen::resize(20, RandomWriteList())));
    for (const RandomWrites& writes : batches) {
      const WriteBatch batch = ToBatch(writes);
      expected.Apply(batch);
      Write(engine(), batch);
      RC_ASSERT(Difference(expected, State(engine())) == "");
    }
  });
}

}  // namespace
}  // namespace talea
