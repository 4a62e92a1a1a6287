#include "talea/chain_loader.h"

#include <gmock/gmock.h>
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

// A caller that asks for the answers before it has more blocks: what was to be forgotten after the
// last commit was passed over each time, and the ledger kept the undo of all its steps.
TEST(ChainLoader, ForgetsStepsThoughCallsWithoutBlocksComeBetween) {
  const auto engine = OpenEngineForTest();
  ChainStore store(*engine, {.undo_window = 10});
  const TestChain chain(300);
  const std::vector<Block> blocks = BlocksOf(chain);
  ChainLoader loader(store, {});
  for (const Block& block : blocks) {
    ASSERT_OK(loader.Load({&block, 1}));
    ASSERT_OK(loader.Load({}));
  }
  EXPECT_OK(store.CountStepsSince(chain.states[290].cursor));
  EXPECT_ERROR(store.CountStepsSince(chain.states[200].cursor), ErrorCode::not_found);
}

// Makes the first commit, and does not say so.
HookedEngine::Hook FirstIsUnknown() {
  return [first = true](Engine& engine, CommitRequest request) mutable -> Result<Version> {
    Result<Version> version = engine.Commit(std::move(request));
    if (std::exchange(first, false)) return Fail(ErrorCode::outcome_unknown, "who knows");
    return version;
  };
}

// A ledger without undo knows no point but its cursor, so that of several blocks that went in
// together all but the last one seemed not to fit.
TEST(ChainLoader, FindsOutWithoutUndoThatItsBlocksAreIn) {
  const auto engine = OpenEngineForTest();
  HookedEngine hooked(*engine, FirstIsUnknown());
  ChainStore store(hooked, {.undo_window = 0});
  const TestChain chain(5);
  EXPECT_EQ(ASSERT_VALUE(LoadAll(store, BlocksOf(chain), 3)), 5u);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), chain.states.back().cursor);
}

// Blocks that lead back to where they began fit again once they are in, and each was applied twice
// after a commit whose outcome was not known.
TEST(ChainLoader, AppliesOnceWhatLeadsBackToWhereItBegan) {
  const auto engine = OpenEngineForTest();
  ASSERT_OK(ChainStore(*engine).Apply({.parent = {}, .point = At(1)}));
  HookedEngine hooked(*engine, FirstIsUnknown());
  ChainStore store(hooked);
  const std::vector<Block> blocks{
      {.parent = At(1), .point = At(2), .counters = {{"visits", HashOf(1), 1}}},
      {.parent = At(2), .point = At(1)}};
  EXPECT_EQ(ASSERT_VALUE(LoadAll(store, blocks, 2)), 2u);
  EXPECT_EQ(ASSERT_VALUE(ASSERT_VALUE(store.Open()).GetCounter("visits", HashOf(1))), 1);
}

// An engine that cannot say how a commit ended has to be opened again. That it was closed when the
// blocks were then to be applied alone was told instead, as if nothing had been done.
TEST(ChainLoader, SaysThatTheOutcomeIsUnknownWhereNobodyCanLook) {
  EngineUnderTest engine({.name = "embedded_profile", .profile = SimulationProfile::RocksDb()},
                         {.unknown_applied = 1});
  const TestChain chain(3);
  {
    ChainStore store(*engine);
    engine.simulation()->InjectFaults(true);
    const auto loaded = LoadAll(store, BlocksOf(chain), 3);
    ASSERT_ERROR(loaded, ErrorCode::outcome_unknown);
    EXPECT_THAT(loaded.error().message(),
                testing::HasSubstr(chain.states.back().cursor->ToString()));
    engine.simulation()->InjectFaults(false);
  }
  engine.Reopen();
  EXPECT_EQ(ASSERT_VALUE(ChainStore(*engine).Open()).cursor(), chain.states.back().cursor);
}

// Loads a chain while everything goes wrong, and others do the same work, or do some of it again.
class TroubledLoad {
 public:
  explicit TroubledLoad(std::uint64_t seed) : random_(seed), chain_(40, seed) {
    constexpr std::uint64_t kWindows[] = {0, 1, 5, 2160};
    options_.undo_window = kWindows[random_.Below(4)];
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.faults.crash = profile.faults.power_cut = 0;
    profile.faults.unknown_applied = profile.faults.unknown_lost = profile.faults.unknown_later =
        0.05;
    if (random_.Chance(0.4)) {  // most blocks are staged, or some, and groups do not fit
      profile.limits.transaction_bytes = random_.Chance(0.5) ? 4096 : 12'000;
      profile.limits.value_bytes = 1000;
    }
    simulation_.emplace(Simulation::Make(KeyspacesForTest(), profile, seed).value());
    engine_ = simulation_->Open().value();
  }

  void Run() {
    const std::vector<Block> blocks = BlocksOf(chain_);
    while (Height() < blocks.size()) LoadSome(std::span(blocks).subspan(Height()));
    simulation_->InjectFaults(false);
    simulation_->Settle();
    ChainStore store(*engine_, options_);
    ASSERT_OK(store.Settle());
    const ChainView view = ASSERT_VALUE(store.Open());
    const LedgerState state = ASSERT_VALUE(LedgerChecks(view, random_).Read());
    ASSERT_TRUE(state == chain_.states.back()) << Difference(chain_.states.back(), state);
    ASSERT_NO_FATAL_FAILURE(GoBack(store));
  }

 private:
  std::size_t Height() {
    simulation_->InjectFaults(false);
    simulation_->Settle();
    const Cursor cursor = ChainStore(*engine_).Open().value().cursor();
    simulation_->InjectFaults(true);
    return chain_.Height(cursor);
  }

  // Until all are in, or one call fails; then only for a reason that is none of the blocks'.
  void LoadSome(std::span<const Block> left) {
    ChainStore store(*engine_, options_);
    ChainLoader loader(store, {.in_background = false});
    std::size_t given = 0, answered = 0;
    Status all_well;
    const auto count = [&](const Result<std::vector<Applied>>& answers) {
      if (!answers) all_well = std::unexpected(answers.error());
      if (answers) answered += answers->size();
    };
    while (all_well && given < left.size()) {
      const std::size_t some = random_.Below(std::min<std::size_t>(left.size() - given, 9) + 1);
      Disturb();
      count(loader.Load(left.subspan(given, some)));
      given += some;
    }
    if (all_well) count(loader.Finish());
    if (all_well) {
      EXPECT_EQ(answered, left.size());
      return;
    }
    EXPECT_TRUE(all_well.error().code() == ErrorCode::outcome_unknown ||
                all_well.error().retryable())
        << all_well.error();
  }

  // Somebody else takes steps back and makes them again, is one block ahead, writes elsewhere,
  // forgets steps, or lets time pass.
  void Disturb() {
    const std::size_t height = Height();
    simulation_->InjectFaults(false);
    ChainStore others(*engine_, options_);
    const std::uint64_t what = random_.Below(10);
    if (what == 0) MakeAgain(others, height);
    const bool all_are_known = options_.undo_window >= chain_.blocks.size();
    if (what == 1 && all_are_known && height < chain_.blocks.size()) {
      EXPECT_OK(others.Apply(chain_.block(height)));
    }
    if (what == 2) {
      EXPECT_OK(InOne(*engine_, WriteElsewhere));
    }
    if (what == 3) {
      EXPECT_OK(others.Prune(options_.undo_window));
    }
    if (what == 4) simulation_->clock().Advance(std::chrono::seconds(6));
    simulation_->InjectFaults(true);
  }
  void MakeAgain(ChainStore& others, std::size_t height) {
    const std::uint64_t back = others.RollBackBy(1 + random_.Below(3)).value_or(0);
    for (std::size_t at = height - back; at < height; ++at) {
      EXPECT_OK(others.Apply(chain_.block(at)));
    }
  }
  static Status WriteElsewhere(Transaction& transaction) {
    transaction.Put(kRows, "elsewhere", "x");
    return {};
  }

  // Each step alone, as far as it is known.
  void GoBack(ChainStore& store) {
    for (std::size_t height = chain_.blocks.size(); height > 0; --height) {
      if (!store.CountStepsSince(chain_.states[height - 1].cursor)) break;
      ASSERT_EQ(ASSERT_VALUE(store.RollBackBy(1)), 1u);
      const ChainView view = ASSERT_VALUE(store.Open());
      const LedgerState state = ASSERT_VALUE(LedgerChecks(view, random_).Read());
      const LedgerState& expected = chain_.states[height - 1];
      ASSERT_TRUE(state == expected) << Difference(expected, state);
      went_back_ = true;
    }
    ASSERT_TRUE(went_back_ || options_.undo_window == 0);
  }

  Random random_;
  const TestChain chain_;
  ChainOptions options_;
  std::optional<Simulation> simulation_;
  std::unique_ptr<Engine> engine_;
  bool went_back_ = false;
};

TEST(ChainLoader, AppliesEachBlockOnceWhateverGoesWrong) {
  const std::uint64_t runs = LongTests() ? 1000 : 20;
  for (std::uint64_t seed = TestSeed(); seed < TestSeed() + runs; ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed << " (TALEA_SEED)");
    ASSERT_NO_FATAL_FAILURE(TroubledLoad(seed).Run());
    ASSERT_FALSE(HasFailure());
  }
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
