#include "talea/chain_loader.h"

#include <gtest/gtest.h>

#include "chain/ledger_checks_for_test.h"
#include "chain/test_chain_for_test.h"
#include "coordination/engines_for_test.h"
#include "engine/hooked_engine_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

ChainPoint At(std::uint64_t slot) { return ChainPoint::Of(slot, HashOf(slot)); }
OutputReference Made(std::uint64_t number) { return {HashOf(number), 0}; }

std::vector<Block> BlocksOf(const TestChain& chain) {
  std::vector<Block> blocks;
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    blocks.push_back(chain.block(number));
  }
  return blocks;
}

// So many in each call. Returns how many answers there were.
Result<std::size_t> LoadAll(ChainStore& store, std::span<const Block> blocks, std::size_t at_once,
                            bool in_background = true) {
  ChainLoader loader(store, {.in_background = in_background});
  std::size_t answers = 0;
  for (std::size_t done = 0; done < blocks.size(); done += at_once) {
    const std::size_t count = std::min(at_once, blocks.size() - done);
    const auto some = TALEA_TRY(loader.Load(blocks.subspan(done, count)));
    answers += some.size();
  }
  const auto rest = TALEA_TRY(loader.Finish());
  return answers + rest.size();
}

class ChainLoaderOnEngines : public testing::TestWithParam<EngineForTest> {};

// Whatever goes in together: the rows, with all it takes to go back, are those of one block after
// the other.
TEST_P(ChainLoaderOnEngines, LeavesTheRowsThatApplyLeaves) {
  const TestChain chain(60);
  const std::vector<Block> blocks = BlocksOf(chain);
  EngineUnderTest one_by_one(GetParam());
  ChainStore first(*one_by_one);
  for (const Block& block : blocks) ASSERT_OK(first.Apply(block));
  const StoredRows expected = ASSERT_VALUE(ReadAllRows(*one_by_one));
  for (const std::size_t at_once : {1u, 2u, 7u, 60u}) {
    for (const bool in_background : {false, true}) {
      EngineUnderTest engine(GetParam());
      ChainStore store(*engine);
      ASSERT_EQ(ASSERT_VALUE(LoadAll(store, blocks, at_once, in_background)), blocks.size());
      ASSERT_EQ(ASSERT_VALUE(ReadAllRows(*engine)), expected) << at_once << " at once";
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, ChainLoaderOnEngines, testing::ValuesIn(EnginesForTest()),
                         [](const auto& engine) { return engine.param.name; });

TEST(ChainLoader, AnswersForTheBlocksOfTheCallBefore) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  ASSERT_OK(store.Apply({.parent = {}, .point = At(1)}));
  const std::vector<Block> known{{.parent = {}, .point = At(1)}};
  const std::vector<Block> news{{.parent = At(1), .point = At(2), .consumed = {Made(1), Made(2)}},
                                {.parent = At(2), .point = At(3)}};
  ChainLoader loader(store, {.apply = {.allow_missing_inputs = true}});
  EXPECT_TRUE(ASSERT_VALUE(loader.Load(known)).empty());
  EXPECT_EQ(ASSERT_VALUE(loader.Load(news)), std::vector<Applied>{{.already = true}});
  EXPECT_EQ(ASSERT_VALUE(loader.Load({})),
            (std::vector<Applied>{{.missing_inputs = 2}, Applied{}}));
  EXPECT_TRUE(ASSERT_VALUE(loader.Finish()).empty());
}

TEST(ChainLoader, ABlockThatFailsKeepsOutWhatFollowsIt) {
  for (const bool in_background : {false, true}) {
    const auto engine = OpenEngineForTest();
    ChainStore store(*engine);
    const std::vector<Block> first{{.parent = {}, .point = At(1)},
                                   {.parent = At(1), .point = At(2)}};
    const std::vector<Block> second{{.parent = At(2), .point = At(3)},
                                    {.parent = At(3), .point = At(4), .consumed = {Made(1)}},
                                    {.parent = At(4), .point = At(5)}};
    const std::vector<Block> third{{.parent = At(5), .point = At(6)}};
    ChainLoader loader(store, {.in_background = in_background});
    ASSERT_OK(loader.Load(first));
    ASSERT_OK(loader.Load(second));
    const auto failed = loader.Load(third);
    ASSERT_ERROR(failed, ErrorCode::not_found);
    EXPECT_THAT(failed.error().message(), testing::HasSubstr("block 4."));
    EXPECT_OK(loader.Finish());
    EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(3));
  }
}

// What is made ready over blocks that are under way is for the state that these lead to; that the
// ledger has as many steps, and the same cursor, does not yet say that it is there.
TEST(ChainLoader, DoesNotTrustWhatItMadeReadyOnceSomebodyElseHasWritten) {
  const auto engine = OpenEngineForTest();
  ChainStore others(*engine);
  bool first = true;
  HookedEngine hooked(*engine, [&](Engine& inner, CommitRequest request) {
    Result<Version> version = inner.Commit(std::move(request));
    if (std::exchange(first, false)) {
      EXPECT_OK(others.RollBackBy(1));
      EXPECT_OK(others.Apply({.parent = {}, .point = At(1)}));
    }
    return version;
  });
  ChainStore store(hooked);
  const std::vector<Block> making{
      {.parent = {}, .point = At(1), .produced = {{.reference = Made(1), .cbor = "x"}}}};
  const std::vector<Block> spending{{.parent = At(1), .point = At(2), .consumed = {Made(1)}}};
  ChainLoader loader(store, {.in_background = false});
  ASSERT_OK(loader.Load(making));
  ASSERT_OK(loader.Load(spending));
  EXPECT_ERROR(loader.Finish(), ErrorCode::not_found);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), At(1));
}

TEST(ChainLoader, ForgetsStepsBeyondTheWindow) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine, {.undo_window = 10});
  const TestChain chain(300);
  ASSERT_OK(LoadAll(store, BlocksOf(chain), 7));
  EXPECT_OK(store.CountStepsSince(chain.states[290].cursor));
  EXPECT_ERROR(store.CountStepsSince(chain.states[200].cursor), ErrorCode::not_found);
}

TEST(ChainLoader, LetsTheCommitThatIsUnderWayEnd) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine);
  const TestChain chain(20);
  const std::vector<Block> blocks = BlocksOf(chain);
  {
    ChainLoader loader(store, {});
    ASSERT_OK(loader.Load(blocks));
  }
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), chain.states.back().cursor);
}

}  // namespace
}  // namespace talea::chain
