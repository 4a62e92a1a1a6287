#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cardano/import_for_test.h"
#include "coordination/engines_for_test.h"
#include "talea/cardano_import.h"
#include "talea/testing/result_matchers.h"

namespace talea::cardano {
namespace {

using testing::HasSubstr;
using Files = std::vector<std::filesystem::path>;

constexpr std::size_t kBlocks = 8;

// So many blocks, and then it stops.
RowProgress StopAfter(std::uint64_t blocks) {
  return [blocks, seen = std::uint64_t{0}](std::uint64_t, std::uint64_t) mutable {
    return ++seen < blocks;
  };
}

class CardanoImport : public testing::TestWithParam<EngineForTest> {
 protected:
  Result<CardanoImportReport> Import(const Files& files, const CardanoImportOptions& options = {}) {
    return ImportCardano(store_, files, options);
  }
  std::string Hash() const { return HashOfState(store_); }
  Cursor Position() const { return store_.Open().value().cursor(); }

  // All blocks in a file.
  Files All() const { return {folder_.Write("all", chain_.Bytes(0, kBlocks))}; }

  const SmallChain chain_ = SmallChain::Of(kBlocks);
  BlockFolder folder_;
  EngineUnderTest engine_{GetParam()};
  ChainStore store_{*engine_};
};

INSTANTIATE_TEST_SUITE_P(, CardanoImport, testing::ValuesIn(EnginesForTest()),
                         testing::PrintToStringParamName());

TEST_P(CardanoImport, AppliesEachBlockOnce) {
  const CardanoImportReport report = ASSERT_VALUE(Import(All()));
  EXPECT_EQ(report, (CardanoImportReport{.finished = true,
                                         .blocks = kBlocks,
                                         .transactions = 2 * kBlocks,
                                         .consumed = 2 * kBlocks - 1,
                                         .produced = 4 * kBlocks,
                                         .cursor = chain_.blocks().back().point()}));
  const ChainView view = ASSERT_VALUE(store_.Open());
  // Of each block's four outputs one is spent there, and one in the next.
  EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), 2 * kBlocks + 1);
  EXPECT_EQ(ASSERT_VALUE(view.SumCoin()), 1000 * (2 * kBlocks + 1));
  const std::string hash = Hash();
  EXPECT_EQ(ASSERT_VALUE(Import(All())),
            (CardanoImportReport{
                .finished = true, .skipped = kBlocks, .cursor = chain_.blocks().back().point()}));
  EXPECT_EQ(Hash(), hash);
}

TEST_P(CardanoImport, TakesFilesOfAnyNumberOfBlocksInTheirOrder) {
  const CardanoImportReport report = ASSERT_VALUE(
      Import({folder_.Write("a", chain_.Bytes(0, 1)), folder_.Write("none", ""),
              folder_.Write("b", chain_.Bytes(1, 5)), folder_.Write("c", chain_.Bytes(5, 8))}));
  EXPECT_EQ(report.blocks, kBlocks);
  const std::string hash = Hash();
  EngineUnderTest other(GetParam());
  ChainStore store(*other);
  ASSERT_OK(ImportCardano(store, All()));
  EXPECT_EQ(HashOfState(store), hash);
}

TEST_P(CardanoImport, GoesOnWhereItWasStopped) {
  const Files files = All();
  std::uint64_t applied = 0;
  for (bool finished = false; !finished;) {
    const CardanoImportReport report =
        ASSERT_VALUE(Import(files, {.progress = StopAfter(applied + 2)}));
    EXPECT_EQ(report.skipped, applied);
    applied += report.blocks;
    EXPECT_EQ(report.cursor, chain_.blocks()[applied - 1].point());
    EXPECT_EQ(Position(), report.cursor);
    finished = report.finished;
    engine_.Reopen();
    store_ = ChainStore(*engine_);
  }
  EXPECT_EQ(applied, kBlocks);
  EngineUnderTest other(GetParam());
  ChainStore store(*other);
  ASSERT_OK(ImportCardano(store, files));
  EXPECT_EQ(Hash(), HashOfState(store));
}

TEST_P(CardanoImport, GoesOnBehindBlocksThatCanNoLongerBeTakenBack) {
  store_ = ChainStore(*engine_, {.undo_window = 2});
  ASSERT_OK(Import({folder_.Write("some", chain_.Bytes(0, 6))}));
  ASSERT_OK(store_.Prune(1));
  EXPECT_EQ(ASSERT_VALUE(Import(All())).skipped, 6u);
  // Files that begin behind the cursor go on as well.
  EXPECT_EQ(ASSERT_VALUE(Import({folder_.Write("rest", chain_.Bytes(7, 8))})).skipped, 1u);
  EXPECT_EQ(Position(), chain_.blocks().back().point());
}

TEST_P(CardanoImport, IsTakenBackBlockByBlockAndAppliedAgain) {
  std::vector<std::string> hashes{Hash()};
  for (std::size_t i = 0; i < kBlocks; ++i) {
    ASSERT_OK(Import({folder_.Write("one", chain_.Bytes(i, i + 1))}));
    hashes.push_back(Hash());
  }
  for (std::size_t left = kBlocks; left-- > 0;) {
    ASSERT_OK(store_.RollBackBy(1));
    EXPECT_EQ(Hash(), hashes[left]) << left;
  }
  ASSERT_OK(Import(All()));
  EXPECT_EQ(Hash(), hashes.back());
}

TEST_P(CardanoImport, TellsHowManyBytesAreDone) {
  std::uint64_t last = 0;
  const Files files{folder_.Write("a", chain_.Bytes(0, 3)),
                    folder_.Write("b", chain_.Bytes(3, kBlocks))};
  const std::uint64_t all = chain_.Bytes(0, kBlocks).size();
  ASSERT_OK(Import(files, {.progress = [&](std::uint64_t done, std::uint64_t total) {
                     EXPECT_GT(done, last);
                     EXPECT_EQ(total, all);
                     last = done;
                     return true;
                   }}));
  EXPECT_EQ(last, all);
}

TEST_P(CardanoImport, RefusesBlocksThatDoNotFollowEachOther) {
  const auto first = folder_.Write("first", chain_.Bytes(0, 4));
  const auto second = folder_.Write("second", chain_.Bytes(4, kBlocks));
  const auto gap = folder_.Write("gap", chain_.Bytes(0, 2) + chain_.Bytes(3, 4));
  const auto refused = Import({gap});
  ASSERT_ERROR(refused, ErrorCode::precondition_failed);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("block 3 at " + chain_.blocks()[3].point().ToString() +
                        ": expected its parent to be the block before it, " +
                        chain_.blocks()[1].point().ToString() + ", found " +
                        chain_.blocks()[2].hash().ToString()));
  EXPECT_EQ(Position(), chain_.blocks()[1].point()) << "what was applied before stays";
  // In the wrong order the second file's blocks are no children of what is there.
  ASSERT_ERROR(Import({second, first}), ErrorCode::precondition_failed);
  EXPECT_EQ(Position(), chain_.blocks()[1].point());
  EXPECT_EQ(ASSERT_VALUE(Import({first, second})).blocks, kBlocks - 2);
}

TEST_P(CardanoImport, RefusesALedgerThatIsElsewhere) {
  ASSERT_OK(Import(All()));
  const std::string hash = Hash();
  SmallChain other;
  other.Grow({{.outputs = 7}});
  const auto refused = Import({folder_.Write("other", other.Bytes(0, 1))});
  ASSERT_ERROR(refused, ErrorCode::precondition_failed);
  EXPECT_THAT(refused.error().message(),
              HasSubstr("ledger at " + chain_.blocks().back().point().ToString() +
                        ": expected that block in the files, or their first, " +
                        other.blocks()[0].point().ToString() + ", to be its child"));
  EXPECT_EQ(Hash(), hash);
  ChainWriter writer = store_.StartWriter();
  writer.SetCursor(ChainPoint::AtSlot(5));
  ASSERT_OK(writer.Commit());
  EXPECT_ERROR(Import(All()), ErrorCode::precondition_failed) << "no hash to look for";
}

TEST_P(CardanoImport, NamesBlockTransactionAndInputWhereOneIsMissing) {
  const auto middle = folder_.Write("middle", chain_.Bytes(3, kBlocks));
  const auto refused = Import({middle});
  ASSERT_ERROR(refused, ErrorCode::not_found);
  const CardanoBlock& block = chain_.blocks()[3];
  EXPECT_EQ(refused.error().message(), "block 3 at " + block.point().ToString() + ", transaction " +
                                           block.transactions()[0].hash.ToString() +
                                           " (1 of 2), input " +
                                           block.transactions()[0].consumed[0].ToString() +
                                           ": expected an output that is unspent, found none");
  EXPECT_EQ(Position(), Cursor());
  const CardanoImportReport report = ASSERT_VALUE(Import({middle}, {.allow_missing_inputs = true}));
  EXPECT_EQ(report.missing, 1u);
  EXPECT_EQ(report.consumed, 2 * (kBlocks - 3));
}

TEST_P(CardanoImport, RefusesABlockThatSpendsAnOutputTwice) {
  for (const bool may_miss : {false, true}) {
    SmallChain chain;
    const Bytes32 made = chain.Grow({{.outputs = 2}}).transactions()[0].hash;
    SmallTransaction first{.inputs = {{made, 0}}};
    if (may_miss) first.inputs.push_back({Bytes32(), 7});
    chain.Grow({first, {.inputs = {{made, 1}, {made, 0}}}});
    const auto refused =
        Import({folder_.Write("twice", chain.Bytes(0, 2))}, {.allow_missing_inputs = may_miss});
    ASSERT_ERROR(refused, ErrorCode::not_found);
    EXPECT_THAT(refused.error().message(),
                HasSubstr("(2 of 2), input " + OutputReference{made, 0}.ToString()));
    EXPECT_EQ(Position(), chain.blocks()[0].point());
  }
}

TEST_P(CardanoImport, ConsumesTheCollateralOfWhatIsInvalidAndKeepsItsReturn) {
  SmallChain chain;
  const Bytes32 made = chain.Grow({{.outputs = 2}}).transactions()[0].hash;
  const Bytes32 invalid =
      chain.Grow({{.inputs = {{made, 0}}, .outputs = 3, .valid = false}}).transactions()[0].hash;
  ASSERT_OK(Import({folder_.Write("invalid", chain.Bytes(0, 2))}));
  const ChainView view = ASSERT_VALUE(store_.Open());
  const std::vector<OutputReference> references{{made, 0}, {made, 1}, {invalid, 0}, {invalid, 3}};
  const auto outputs = ASSERT_VALUE(view.GetOutputs(references));
  EXPECT_FALSE(outputs[0]);
  EXPECT_TRUE(outputs[1]);
  EXPECT_FALSE(outputs[2]);
  EXPECT_TRUE(outputs[3]);
  const auto record = ASSERT_VALUE(GetCardanoTransaction(view, invalid));
  ASSERT_TRUE(record);
  EXPECT_FALSE(record->valid);
  EXPECT_EQ(record->first_output, 3u);
  EXPECT_EQ(record->outputs, 1u);
}

TEST_P(CardanoImport, KeepsARecordOfEachBlockAndTransaction) {
  ASSERT_OK(Import(All()));
  const ChainView view = ASSERT_VALUE(store_.Open());
  for (std::size_t i = 0; i < kBlocks; ++i) {
    const CardanoBlock& block = chain_.blocks()[i];
    const auto record = ASSERT_VALUE(GetCardanoBlock(view, block.hash()));
    ASSERT_TRUE(record);
    const std::vector<Bytes32> hashes{block.transactions()[0].hash, block.transactions()[1].hash};
    EXPECT_EQ(*record, (CardanoBlockRecord{.era = CardanoEra::babbage,
                                           .number = i,
                                           .slot = 20 * i,
                                           .bytes = block.bytes().size(),
                                           .parent = block.parent(),
                                           .transactions = hashes}));
    const auto transactions = ASSERT_VALUE(GetCardanoTransactions(view, hashes));
    EXPECT_EQ(transactions[1], (CardanoTransactionRecord{.block = block.hash(),
                                                         .slot = 20 * i,
                                                         .index = 1,
                                                         .fee = 170'000,
                                                         .consumed = {{hashes[0], 1}},
                                                         .outputs = 1}));
  }
  EXPECT_EQ(ASSERT_VALUE(GetCardanoBlock(view, Bytes32())), std::nullopt);
  EXPECT_EQ(ASSERT_VALUE(GetCardanoTransaction(view, Bytes32())), std::nullopt);
}

TEST_P(CardanoImport, KeepsNoRecordsWhereNoneAreWanted) {
  ASSERT_OK(Import(All(), {.keep_records = false}));
  const ChainView view = ASSERT_VALUE(store_.Open());
  const ChainStatistics statistics = ASSERT_VALUE(view.Statistics());
  EXPECT_TRUE(statistics.namespaces.empty());
  EXPECT_EQ(statistics.outputs, 2 * kBlocks + 1);
}

TEST_P(CardanoImport, KeepsWhatCameBeforeADamagedBlockAndNamesTheFile) {
  std::string bytes = chain_.Bytes(0, kBlocks);
  bytes.pop_back();
  const auto refused = Import({folder_.Write("cut", bytes)});
  ASSERT_ERROR(refused, ErrorCode::invalid_argument);
  EXPECT_THAT(refused.error().message(), HasSubstr((folder_.path() / "cut").string()));
  EXPECT_EQ(Position(), chain_.blocks()[kBlocks - 2].point());
  EXPECT_EQ(ASSERT_VALUE(Import(All())).blocks, 1u);
}

TEST_P(CardanoImport, ChangesNothingWhereAFileIsNotThere) {
  const auto refused = Import({folder_.Write("a", chain_.Bytes(0, 2)), folder_.path() / "nothing"});
  ASSERT_ERROR(refused, ErrorCode::not_found);
  EXPECT_THAT(refused.error().message(), HasSubstr((folder_.path() / "nothing").string()));
  EXPECT_EQ(Position(), Cursor());
  EXPECT_TRUE(ASSERT_VALUE(Import({})).finished);
}

}  // namespace
}  // namespace talea::cardano
