// What the layer promises of every ledger, on every engine, and on one whose transactions are so
// small that blocks have to be staged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "chain/ledger_checks_for_test.h"
#include "chain/ledger_for_test.h"
#include "chain/test_chain_for_test.h"
#include "coordination/engines_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

SimulationProfile SmallTransactions() {
  SimulationProfile profile = SimulationProfile::FoundationDb();
  profile.limits.transaction_bytes = 4096;
  profile.limits.value_bytes = 1000;
  return profile;
}

std::vector<EngineForTest> Engines() {
  std::vector<EngineForTest> engines = EnginesForTest();
  engines.push_back({.name = "staging_profile", .profile = SmallTransactions()});
  return engines;
}

class ChainPromises : public ::testing::TestWithParam<EngineForTest> {
 protected:
  // Every row that is stored, but the one by which batches that were staged are told apart.
  static StoredRows Rows(Engine& engine) {
    StoredRows rows = ReadAllRows(engine).value();
    rows.erase({int{kChainKeyspace.id}, LastStagedKey()});
    return rows;
  }
  static std::string Hash(const ChainView& view) { return view.StateHash().value().value(); }

  // The hash after each block, as a ledger has it that nothing ever happened to.
  static std::vector<std::string> RecordHashes(const TestChain& chain) {
    const std::unique_ptr<Engine> engine = OpenEngineForTest();
    ChainStore store(*engine);
    std::vector<std::string> hashes{Hash(store.Open().value())};
    for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
      EXPECT_OK(store.Apply(chain.block(number)));
      hashes.push_back(Hash(store.Open().value()));
    }
    return hashes;
  }
};

// Blocks are applied and taken back, while the process dies in every fifth commit.
TEST_P(ChainPromises, AfterAKillTheStateHashIsTheOneOfTheCursor) {
  const TestChain chain(60);
  const std::vector<std::string> hashes = RecordHashes(chain);
  EngineUnderTest engine(GetParam(), {.crash = 0.1, .power_cut = 0.1});
  Random random(TestSeed());
  const auto inject = [&](bool faults) {
    if (engine.simulation()) engine.simulation()->InjectFaults(faults);
  };
  int kills = 0;
  for (std::size_t height = 0; height < chain.blocks.size();) {
    inject(true);
    ChainStore store(*engine);
    const bool back = random.Chance(0.2);
    const std::size_t target = height - std::min<std::size_t>(height, random.Below(4));
    const bool alive = back ? store.RollBack(chain.states[target].cursor).has_value()
                            : store.Apply(chain.block(height)).has_value();
    inject(false);
    // It may also have died of what it does beside, after it was done.
    const bool dead = engine.simulation() && engine.simulation()->processes() == 0;
    ASSERT_TRUE(alive || dead);
    if (dead || random.Chance(0.05)) ++kills, engine.Reopen();
    const ChainView view = ASSERT_VALUE(ChainStore(*engine).Open());
    height = chain.Height(view.cursor());
    ASSERT_EQ(Hash(view), hashes[height]) << "at block " << height;
    EXPECT_EQ(ASSERT_VALUE(LedgerChecks(view, random).Read()), chain.states[height]);
  }
  EXPECT_GT(kills, engine.simulation() ? 5 : 0);
}

TEST_P(ChainPromises, ABlockThatIsSyncedSurvivesAPowerCut) {
  const TestChain chain(8);
  EngineUnderTest engine(GetParam());
  for (std::size_t height = 1; height <= chain.blocks.size(); ++height) {
    ChainStore store(*engine, {.durability = Durability::synced});
    ASSERT_OK(store.Apply(chain.block(height - 1)));
    if (engine.simulation()) engine.simulation()->PowerCut();
    engine.Reopen();
    const ChainView view = ASSERT_VALUE(ChainStore(*engine).Open());
    ASSERT_EQ(view.cursor(), chain.states[height].cursor);
  }
}

TEST_P(ChainPromises, ApplyingTwiceIsApplyingOnce) {
  const TestChain chain(20);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    EXPECT_EQ(ASSERT_VALUE(store.Apply(chain.block(number))), Applied{});
    const StoredRows rows = Rows(*engine);
    for (const std::size_t earlier : {number, number / 2, std::size_t{0}}) {
      EXPECT_TRUE(ASSERT_VALUE(store.Apply(chain.block(earlier))).already);
    }
    ASSERT_EQ(Rows(*engine), rows);
  }
}

// Every row of the database: the ledger's own, undo records, the progress.
TEST_P(ChainPromises, RollingBackAndApplyingAgainGivesTheSameBytes) {
  const TestChain chain(30);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  std::vector<StoredRows> rows{Rows(*engine)};
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    ASSERT_OK(store.Apply(chain.block(number)));
    rows.push_back(Rows(*engine));
  }
  for (const std::size_t target : {29u, 20u, 30u, 11u, 0u}) {
    const std::size_t steps = chain.blocks.size() - target;
    EXPECT_EQ(ASSERT_VALUE(store.RollBack(chain.states[target].cursor)), steps);
    ASSERT_EQ(Rows(*engine), rows[target]) << "back at block " << target;
    for (std::size_t number = target; number < chain.blocks.size(); ++number) {
      ASSERT_OK(store.Apply(chain.block(number)));
      ASSERT_EQ(Rows(*engine), rows[number + 1]) << "again at block " << number + 1;
    }
  }
}

TEST_P(ChainPromises, BlocksThatAreAppliedTogetherAreTheStepsTheyAreAlone) {
  const TestChain chain(30);
  EngineUnderTest alone(GetParam());
  ChainStore expected(*alone);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  std::vector<Block> blocks;
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    blocks.push_back(chain.block(number));
    ASSERT_OK(expected.Apply(blocks.back()));
  }
  const auto version = [&] { return engine->OpenSnapshot().value()->version().number; };
  const std::uint64_t before = version();
  EXPECT_EQ(ASSERT_VALUE(store.ApplyAll(blocks)), std::vector<Applied>(blocks.size()));
  if (GetParam().name == "memory") {
    EXPECT_EQ(version(), before + 1);
  }
  EXPECT_EQ(Rows(*engine), Rows(*alone));
  for (const std::size_t target : {29u, 11u, 0u}) {
    ASSERT_OK(expected.RollBack(chain.states[target].cursor));
    EXPECT_EQ(ASSERT_VALUE(store.RollBack(chain.states[target].cursor)), 30 - target);
    ASSERT_EQ(Rows(*engine), Rows(*alone)) << "back at block " << target;
    for (std::size_t number = target; number < blocks.size(); ++number) {
      ASSERT_OK(expected.Apply(blocks[number]));
    }
    const auto applied = ASSERT_VALUE(store.ApplyAll(blocks));
    ASSERT_EQ(applied.size(), blocks.size());
    for (std::size_t number = 0; number < blocks.size(); ++number) {
      // Those that were in have left the window where all were taken back.
      EXPECT_EQ(applied[number].already, number < target) << number;
    }
    ASSERT_EQ(Rows(*engine), Rows(*alone)) << "again";
  }
}

TEST_P(ChainPromises, OfBlocksThatAreAppliedTogetherThoseBeforeABadOneAreIn) {
  const TestChain chain(9);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  std::vector<Block> blocks;
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    blocks.push_back(chain.block(number));
  }
  const OutputReference nowhere{HashOf(0xbad), 3};
  blocks[6].consumed.push_back(nowhere);
  const auto failed = store.ApplyAll(blocks);
  EXPECT_ERROR(failed, ErrorCode::not_found);
  EXPECT_THAT(failed.error().message(), ::testing::HasSubstr(blocks[6].point.ToString()));
  EXPECT_THAT(failed.error().message(), ::testing::HasSubstr(nowhere.ToString()));
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), chain.states[6].cursor);
  blocks[6].consumed.pop_back();
  const auto applied = ASSERT_VALUE(store.ApplyAll(blocks));
  EXPECT_TRUE(applied[5].already);
  EXPECT_FALSE(applied[6].already);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), chain.states.back().cursor);
}

// An output that is made and spent in one block leaves no trace, there and when the block is taken
// back.
TEST_P(ChainPromises, OutputsMadeAndSpentInOneBlockLeaveNoTrace) {
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  const auto output = [](std::uint64_t number) {
    return TestOutput{{HashOf(number), 0}, 1, "cbor", 7, {{TagKind::asset, "A"}}};
  };
  const auto point = [](std::uint64_t slot) { return ChainPoint::Of(slot, HashOf(slot)); };
  const TestBatch with{.deltas = {{.produced = {output(2), output(3), output(4)},
                                   .consumed = {{HashOf(2), 0}, {HashOf(4), 0}}}},
                       .cursor = point(1)};
  const TestBatch without{.deltas = {{.produced = {output(3)}}}, .cursor = point(1)};
  const StoredRows empty = Rows(*engine);
  ASSERT_OK(store.Apply(BlockOf(without, {})));
  const StoredRows expected = Rows(*engine);
  ASSERT_OK(store.RollBack(std::nullopt));
  EXPECT_EQ(Rows(*engine), empty);
  ASSERT_OK(store.Apply(BlockOf(with, {})));
  EXPECT_EQ(Rows(*engine), expected);
  ASSERT_OK(store.RollBack(std::nullopt));
  EXPECT_EQ(Rows(*engine), empty);
}

TEST_P(ChainPromises, AViewIsOfOneMomentWhateverIsCommittedSince) {
  const TestChain chain(20);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  std::vector<std::pair<ChainView, std::size_t>> views;
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    ASSERT_OK(store.Apply(chain.block(number)));
    if (number % 5 == 0) views.emplace_back(ASSERT_VALUE(store.Open()), number + 1);
  }
  ASSERT_OK(store.RollBack(chain.states[8].cursor));
  Random random(TestSeed());
  for (const auto& [view, height] : views) {
    EXPECT_EQ(ASSERT_VALUE(LedgerChecks(view, random).Read()), chain.states[height]);
  }
}

// What is refused changes nothing, and says which block and what about it.
TEST_P(ChainPromises, BlocksThatDoNotFitAreRefusedAndChangeNothing) {
  const TestChain chain(10);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    ASSERT_OK(store.Apply(chain.block(number)));
  }
  const StoredRows rows = Rows(*engine);
  const LedgerState& state = chain.states.back();
  const ChainPoint next = ChainPoint::Of(state.cursor->slot + 1, HashOf(77));
  const auto refused = [&](const Block& block, ErrorCode code, const std::string& what) {
    const Result<Applied> applied = store.Apply(block);
    EXPECT_ERROR(applied, code);
    ASSERT_FALSE(applied);
    EXPECT_THAT(applied.error().message(), ::testing::HasSubstr(what));
    EXPECT_EQ(Rows(*engine), rows);
  };
  const OutputReference known = state.outputs.begin()->first;
  const OutputReference unknown{HashOf(12345), 9};
  const std::string long_tag(4097, 'A');
  refused({.parent = chain.states[3].cursor, .point = next}, ErrorCode::precondition_failed,
          Describe(state.cursor));
  refused({.parent = state.cursor, .point = next, .consumed = {unknown}}, ErrorCode::not_found,
          unknown.ToString());
  refused({.parent = state.cursor, .point = next, .consumed = {known, known}}, ErrorCode::not_found,
          known.ToString());
  refused({.parent = state.cursor, .point = next, .produced = {{.reference = known}}},
          ErrorCode::already_exists, known.ToString());
  refused({.parent = state.cursor,
           .point = next,
           .produced = {{.reference = unknown, .tags = {{TagKind::asset, long_tag}}}}},
          ErrorCode::invalid_argument, "4097");
  refused(
      {.parent = state.cursor, .point = next, .produced = {{.reference = unknown, .coin = ~0ull}}},
      ErrorCode::invalid_argument, unknown.ToString());
}

TEST_P(ChainPromises, RollingBackPastTheWindowIsRefusedAndChangesNothing) {
  const TestChain chain(12);
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  for (std::size_t number = 0; number < chain.blocks.size(); ++number) {
    ASSERT_OK(store.Apply(chain.block(number)));
  }
  EXPECT_EQ(ASSERT_VALUE(store.Prune(5)), 7u);
  EXPECT_EQ(ASSERT_VALUE(store.Prune(5)), 0u);
  const StoredRows rows = Rows(*engine);
  EXPECT_ERROR(store.RollBack(chain.states[6].cursor), ErrorCode::not_found);
  EXPECT_ERROR(store.RollBack(std::nullopt), ErrorCode::not_found);
  EXPECT_ERROR(store.OpenAt(chain.states[6].cursor), ErrorCode::not_found);
  EXPECT_EQ(Rows(*engine), rows);
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(chain.states[7].cursor)), 5u);
  EXPECT_EQ(ASSERT_VALUE(store.Open()).cursor(), chain.states[7].cursor);
}

TEST_P(ChainPromises, OldStepsAreForgottenAsTheWindowMovesOn) {
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine, {.undo_window = 10});
  Cursor cursor;
  for (std::uint64_t slot = 0; slot < 200; ++slot) {
    ASSERT_OK(store.Apply({.parent = cursor, .point = ChainPoint::AtSlot(slot)}));
    cursor = ChainPoint::AtSlot(slot);
    const ChainView view = ASSERT_VALUE(store.Open());
    const ChainStatistics statistics = ASSERT_VALUE(view.Statistics());
    ASSERT_GE(statistics.undo_steps, std::min<std::uint64_t>(slot + 1, 10));
    ASSERT_LE(statistics.undo_steps, 100u);
  }
}

TEST_P(ChainPromises, TheLastKeyOfANamespaceIsReachedByAScan) {
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  ChainWriter writer = store.StartWriter();
  writer.WriteEntity("pools", HashOf(0), "first");
  writer.WriteEntity("pools", HashOf(1), "last");  // ff x 32
  ASSERT_OK(writer.Commit());
  const ChainView view = ASSERT_VALUE(store.Open());
  const EntityPage page = ASSERT_VALUE(view.ScanEntities("pools"));
  ASSERT_EQ(page.size(), 2u);
  EXPECT_EQ(page[1].key, HashOf(1));
  EXPECT_EQ(page[1].value, "last");
}

TEST_P(ChainPromises, AnExactTagFindsNoLongerOne) {
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  const auto output = [](std::uint64_t number, const char* asset) {
    return TestOutput{{HashOf(number), 0}, 1, "", number, {{TagKind::asset, asset}}};
  };
  const TestBatch block{.deltas = {{.produced = {output(2, "A"), output(3, "AB"), output(4, "")}}},
                        .cursor = ChainPoint::Origin()};
  ASSERT_OK(store.Apply(BlockOf(block, {})));
  const ChainView view = ASSERT_VALUE(store.Open());
  const auto tagged = [&](const char* asset) {
    return view.ScanTagged({TagKind::asset, asset}).value().outputs;
  };
  EXPECT_EQ(tagged("A"), (std::vector<TaggedOutput>{{{HashOf(2), 0}, 2}}));
  EXPECT_EQ(tagged("AB"), (std::vector<TaggedOutput>{{{HashOf(3), 0}, 3}}));
  EXPECT_EQ(tagged(""), (std::vector<TaggedOutput>{{{HashOf(4), 0}, 4}}));
  EXPECT_TRUE(view.ScanTagged({TagKind::policy, "A"}).value().outputs.empty());
}

// Whoever else adds to a counter meanwhile, nothing is lost and nobody has to try again.
TEST_P(ChainPromises, CountersAreAddedToAndNotRewritten) {
  EngineUnderTest engine(GetParam());
  ChainStore store(*engine);
  const std::string row = EntityRowKey(HashNamespace("datums"), HashOf(2));
  const TestBatch block{.counters = {{"datums", HashOf(2), 5}}, .cursor = ChainPoint::Origin()};
  Transaction step(*engine);
  ASSERT_OK(store.Apply(step, BlockOf(block, {})));
  ASSERT_OK(InOne(*engine, [&](Transaction& transaction) -> Status {
    transaction.Add(kChainCountersKeyspace, row, 30);
    return {};
  }));
  ASSERT_OK(step.Commit());
  EXPECT_EQ(store.Open()->GetCounter("datums", HashOf(2)).value(), 35);
  ASSERT_OK(store.RollBack(std::nullopt));
  EXPECT_EQ(store.Open()->GetCounter("datums", HashOf(2)).value(), 30);
}

// No two names are known that hash alike; so the registry says that another one was there first.
TEST_P(ChainPromises, ANamespaceThatHashesLikeAnotherIsRefused) {
  EngineUnderTest engine(GetParam());
  ASSERT_OK(InOne(*engine, [](Transaction& transaction) -> Status {
    transaction.Put(kChainKeyspace, NamespaceKey(HashNamespace("pools")), "lakes");
    return {};
  }));
  ChainStore store(*engine);
  const StoredRows rows = Rows(*engine);
  ChainWriter writer = store.StartWriter();
  writer.WriteEntity("pools", HashOf(0), "value");
  const Status written = writer.Commit();
  ASSERT_ERROR(written, ErrorCode::already_exists);
  EXPECT_THAT(written.error().message(), ::testing::HasSubstr("lakes"));
  EXPECT_EQ(Rows(*engine), rows);
}

INSTANTIATE_TEST_SUITE_P(Engines, ChainPromises, ::testing::ValuesIn(Engines()),
                         [](const auto& instance) { return instance.param.name; });

// Counts are read and not counted: as many round trips for a thousand outputs as for one.
TEST(ChainCounts, TakeAsLongForManyOutputsAsForOne) {
  EngineUnderTest engine({.name = "cluster_profile", .profile = SimulationProfile::FoundationDb()});
  ChainStore store(*engine);
  std::vector<std::uint64_t> round_trips;
  Cursor cursor;
  for (const std::uint64_t outputs : {1u, 1000u}) {
    TestBatch block{.deltas = {{}}, .cursor = ChainPoint::AtSlot(outputs)};
    for (std::uint64_t number = 0; number < outputs; ++number) {
      block.deltas[0].produced.push_back({{HashOf(outputs + number), 0}, 1, "", 5, {}});
    }
    ASSERT_OK(store.Apply(BlockOf(block, cursor)));
    cursor = block.cursor;
    const ChainView view = ASSERT_VALUE(store.Open());
    const std::uint64_t before = engine.simulation()->round_trips();
    EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), outputs == 1 ? 1u : 1001u);
    EXPECT_EQ(ASSERT_VALUE(view.SumCoin()), outputs == 1 ? 5u : 5005u);
    EXPECT_OK(view.Statistics());
    round_trips.push_back(engine.simulation()->round_trips() - before);
  }
  EXPECT_EQ(round_trips[0], round_trips[1]);
}

}  // namespace
}  // namespace talea::chain
