// Durability: both levels are accepted, and what was acknowledged survives a reopening.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkDurabilityTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

constexpr Durability kLevels[] = {Durability::buffered, Durability::synced};

CommitRequest WithDurability(WriteBatch batch, Durability durability) {
  CommitRequest request = Blind(std::move(batch));
  request.durability = durability;
  return request;
}

TEST_P(EngineContract, CommitsOfEitherDurabilityAreReadableAtOnceAndInOneOrder) {
  Version last;
  for (int step = 0; step < 10; ++step) {
    const std::string value = std::to_string(step);
    const Version version = Must(engine().Commit(WithDurability(
        Writes().Put(kPoints, "key", value).Add(kCounters, "n", 1), kLevels[step % 2])));
    EXPECT_GT(version, last);
    last = version;
    EXPECT_EQ(Read(engine(), kPoints, "key"), value);
  }
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 10);
}

TEST_P(EngineContract, ATransactionCommitsWithEitherDurability) {
  for (const Durability durability : kLevels) {
    Transaction transaction(engine());
    transaction.Add(kCounters, "n", 1);
    EXPECT_OK(transaction.Commit(durability));
  }
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 2);
}

// Some of everything, in many commits of both durabilities; returns the state.
Model WriteMuch(Engine& engine) {
  for (int step = 0; step < 100; ++step) {
    const std::string key = "key " + std::to_string(step * 37 % 50);
    WriteBatch batch = Writes()
                           .Put(kPoints, key, std::string(step, 'v'))
                           .Add(kCounters, key, step - 50)
                           .Add(kSums, "n", 1);
    batch.Put(kScans, key + "/" + std::to_string(step), "");
    if (step % 7 == 0) batch.Erase(kPoints, key);
    if (step % 30 == 29) batch.EraseRange(kScans, Between("key 2", "key 4"));
    if (step % 30 == 20) batch.EraseRange(kCounters, KeyRange::From("key 45"));
    Must(engine.Commit(WithDurability(batch, kLevels[step % 10 == 0 ? 1 : 0])));
  }
  return State(engine);
}

TEST_P(EngineContract, EverythingIsThereAfterAShutdownAndReopening) {
  if (!GetParam().persists) GTEST_SKIP() << "keeps nothing";
  const Model before = WriteMuch(engine());
  Reopen();
  EXPECT_EQ(Difference(before, State(engine())), "");
  Write(engine(), Writes().Add(kSums, "n", 1));
  Reopen();
  EXPECT_EQ(ReadCounter(engine(), kSums, "n"), 101);
}

TEST_P(EngineContract, EverythingIsThereAfterDestructionAndReopening) {
  if (!GetParam().persists) GTEST_SKIP() << "keeps nothing";
  const Model before = WriteMuch(engine());
  Reopen(Goodbye::none);
  EXPECT_EQ(Difference(before, State(engine())), "");
}

TEST_P(EngineContract, ConcurrentCommitsOfEitherDurabilityAreAllThereAfterReopening) {
  InThreads(4, [&](int thread) {
    for (int step = 0; step < Steps(100); ++step) {
      const WriteBatch batch =
          Writes()
              .Add(kCounters, "n", 1)
              .Put(kScans, std::to_string(thread) + "/" + std::to_string(step), "");
      Must(engine().Commit(WithDurability(batch, kLevels[(step + thread) % 2])));
    }
  });
  if (GetParam().persists) Reopen();
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 4 * Steps(100));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()).size(),
            static_cast<std::size_t>(4 * Steps(100)));
}

}  // namespace
}  // namespace talea
