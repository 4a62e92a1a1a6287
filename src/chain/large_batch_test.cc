// A batch of 30 MB where transactions take 10 MB: it is in as a whole or not at all.
#include <gtest/gtest.h>

#include "chain/ledger_for_test.h"
#include "chain/random_ledger_for_test.h"
#include "coordination/engines_for_test.h"
#include "engine/hooked_engine_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

constexpr std::size_t kOutputs = 330;
constexpr std::size_t kOutputBytes = 95'000;

TestBatch LargeBlock() {
  TestBatch block{.deltas = {{}}, .cursor = ChainPoint::AtSlot(1)};
  for (std::uint64_t number = 0; number < kOutputs; ++number) {
    TestOutput output{.reference = {HashOf(number), 0}, .era = 6, .coin = number};
    output.cbor.assign(kOutputBytes, static_cast<char>(number));
    output.tags.push_back({TagKind::address, "all"});
    block.deltas[0].produced.push_back(std::move(output));
  }
  return block;
}

std::vector<EngineForTest> EnginesOfTenMegabytes() {
  std::vector<EngineForTest> engines = EnginesForTest();
  for (EngineForTest& engine : engines)
    if (engine.profile) engine.profile->limits.transaction_bytes = 10'000'000;
  return engines;
}

class LargeBatch : public ::testing::TestWithParam<EngineForTest> {
 protected:
  LargeBatch() : batch_(LargeBlock()), block_(BlockOf(batch_, {})) {}

  // How many outputs there are: all or none, whichever way one looks, as the cursor says.
  static std::size_t Look(Engine& engine) {
    const ChainView view = ChainStore(engine).Open().value();
    const std::size_t outputs = CountByTag(view);
    const OutputReference last{HashOf(kOutputs - 1), 0};
    EXPECT_EQ(outputs, view.cursor() ? kOutputs : 0);
    EXPECT_EQ(view.CountOutputs().value(), outputs);
    EXPECT_EQ(view.GetOutput(last).value().has_value(), outputs > 0);
    return outputs;
  }
  static std::size_t CountByTag(const ChainView& view) {
    return view.ScanTagged({TagKind::address, "all"}).value().outputs.size();
  }
  // Reads all 30 MB.
  static std::size_t CountByScan(Engine& engine) {
    const ChainView view = ChainStore(engine).Open().value();
    std::size_t outputs = 0;
    std::optional<OutputReference> from;
    do {
      const OutputPage page = view.ScanOutputs(from).value();
      outputs += page.size();
      from = page.next();
    } while (from);
    return outputs;
  }

  const TestBatch batch_;
  const Block block_;
};

TEST_P(LargeBatch, IsSeenWholeOrNotAtAllBetweenAnyTwoOfItsCommits) {
  EngineUnderTest engine(GetParam());
  std::vector<std::size_t> seen;
  HookedEngine observed(*engine, BeforeCommits([&] {
    seen.push_back(Look(*engine));
    EXPECT_EQ(CountByScan(*engine), seen.back());
  }));
  ChainStore store(observed);
  EXPECT_EQ(ASSERT_VALUE(store.Apply(block_)), Applied{});
  EXPECT_EQ(Look(*engine), kOutputs);
  EXPECT_TRUE(std::ranges::is_sorted(seen));
  if (engine.simulation()) {
    EXPECT_GT(seen.size(), 6u);  // three of 10 MB, and back again
    EXPECT_EQ(seen.back(), kOutputs);
  }
  seen.clear();
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(std::nullopt)), 1u);
  EXPECT_TRUE(std::ranges::is_sorted(seen, std::greater<>()));
  EXPECT_EQ(Look(*engine), 0u);
}

// The process dies before the n-th commit, for each n, and the next one begins with what is left.
TEST_P(LargeBatch, IsInWholeOrNotAtAllWhereverTheProcessDies) {
  if (!GetParam().profile) GTEST_SKIP() << "this engine does not pretend to die";
  EngineUnderTest engine(GetParam());
  std::set<std::size_t> left;
  bool died = true;
  for (int last = 1; died; ++last) {
    int commits = 0;
    HookedEngine dying(*engine, BeforeCommits([&] {
      if (++commits == last) engine.simulation()->Crash();
    }));
    const bool applied = ChainStore(dying).Apply(block_).has_value();
    died = commits >= last;
    EXPECT_TRUE(applied || died);
    if (died) engine.Reopen();
    left.insert(Look(*engine));
    if (left.contains(kOutputs)) {
      ASSERT_OK(ChainStore(*engine).RollBack(std::nullopt));
    }
    ASSERT_EQ(Look(*engine), 0u);
  }
  EXPECT_EQ(left, (std::set<std::size_t>{0, kOutputs}));
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  EXPECT_TRUE(ASSERT_VALUE(snapshot->Range(kChainStagingKeyspace, KeyRange::All())).empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, LargeBatch, ::testing::ValuesIn(EnginesOfTenMegabytes()),
                         [](const auto& instance) { return instance.param.name; });

}  // namespace
}  // namespace talea::chain
