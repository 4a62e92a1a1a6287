// Threads that read a ledger while others apply blocks to it and take them back.
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "chain/ledger_checks_for_test.h"
#include "chain/test_chain_for_test.h"
#include "talea/chain_loader.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea::chain {
namespace {

std::size_t Steps(std::size_t usual) {
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
  usual /= 4;
#endif
  return LongTests() ? 10 * usual : usual;
}

// Applies all blocks of the chain, and on its way takes some of them back again.
void GoUpAndDown(ChainStore store, const TestChain& chain) {
  Random random(TestSeed());
  for (std::size_t height = 0; height < chain.blocks.size();) {
    if (random.Chance(0.2)) {
      const std::size_t target = height - std::min<std::size_t>(height, random.Below(4));
      ASSERT_EQ(ASSERT_VALUE(store.RollBack(chain.states[target].cursor)), height - target);
      height = target;
    } else {
      ASSERT_EQ(ASSERT_VALUE(store.Apply(chain.block(height))), Applied{});
      ++height;
    }
  }
}

// Reads all of it until the other is done, and finds one of the chain's states each time.
void ReadUntil(const std::atomic<bool>& done, const ChainStore& store, const TestChain& chain,
               std::uint64_t seed) {
  Random random(seed);
  do {
    const ChainView view = ASSERT_VALUE(store.Open());
    const LedgerState state = ASSERT_VALUE(LedgerChecks(view, random).Read());
    const std::size_t height = chain.Height(view.cursor());
    ASSERT_TRUE(state == chain.states[height]) << Difference(chain.states[height], state);
  } while (!done);
}

void RunReadersBesideAWriter(Engine& engine, std::size_t blocks) {
  const TestChain chain(blocks);
  std::atomic<bool> done = false;
  std::vector<std::jthread> threads;
  threads.emplace_back([&] {
    GoUpAndDown(ChainStore(engine), chain);
    done = true;
  });
  for (const std::uint64_t reader : {1u, 2u}) {
    threads.emplace_back([&, reader] { ReadUntil(done, ChainStore(engine), chain, reader); });
  }
}

TEST(ChainStoreConcurrent, ReadersBesideAWriterAgreeWithThemselves) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  RunReadersBesideAWriter(*engine, Steps(400));
}

// Most blocks are staged, so readers come while rows are on their way.
TEST(ChainStoreConcurrent, ReadersAgreeWithThemselvesWhileBlocksAreStaged) {
  SimulationProfile profile = SimulationProfile::RocksDb().WithoutFaults();
  profile.limits.transaction_bytes = 4096;
  profile.limits.value_bytes = 1000;
  Simulation simulation =
      std::move(Simulation::Make(KeyspacesForTest(), profile, TestSeed())).value();
  const std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  RunReadersBesideAWriter(*engine, Steps(100));
}

TEST(ChainStoreConcurrent, SeveralWhoApplyTheSameBlocksApplyEachOnce) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  const TestChain chain(Steps(400));
  std::atomic<std::size_t> applied = 0;
  {
    std::vector<std::jthread> threads;
    for (int writer = 0; writer < 3; ++writer) {
      threads.emplace_back([&] {
        ChainStore store(*engine);
        for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
          applied += ASSERT_VALUE(store.Apply(chain.block(number))).already ? 0 : 1;
        }
      });
    }
  }
  EXPECT_EQ(applied, chain.blocks.size());
  Random random(TestSeed());
  const ChainView view = ASSERT_VALUE(ChainStore(*engine).Open());
  EXPECT_EQ(ASSERT_VALUE(LedgerChecks(view, random).Read()), chain.states.back());
}

// Each makes blocks ready while it commits others, and finds that somebody else was quicker.
TEST(ChainStoreConcurrent, SeveralWhoLoadTheSameBlocksApplyEachOnceBesideReaders) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  const TestChain chain(Steps(400));
  std::atomic<std::size_t> applied = 0;
  std::atomic<bool> done = false;
  std::jthread reader([&] { ReadUntil(done, ChainStore(*engine), chain, 1); });
  {
    std::vector<std::jthread> threads;
    for (const std::size_t at_once : {3u, 10u}) {
      threads.emplace_back([&, at_once] {
        std::vector<Block> blocks;
        for (std::size_t i = 0; i < chain.blocks.size(); ++i) blocks.push_back(chain.block(i));
        ChainStore store(*engine);
        ChainLoader loader(store, {});
        const auto count = [&](const std::vector<Applied>& answers) {
          for (const Applied& answer : answers) applied += answer.already ? 0 : 1;
        };
        for (std::span<const Block> left = blocks; !left.empty();) {
          const std::span<const Block> some = left.first(std::min(at_once, left.size()));
          count(ASSERT_VALUE(loader.Load(some)));
          left = left.subspan(some.size());
        }
        count(ASSERT_VALUE(loader.Finish()));
      });
    }
  }
  done = true;
  EXPECT_EQ(applied, chain.blocks.size());
  EXPECT_EQ(ASSERT_VALUE(ChainStore(*engine).Open()).cursor(), chain.states.back().cursor);
}

}  // namespace
}  // namespace talea::chain
