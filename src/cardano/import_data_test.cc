// Real blocks, of a test network and of the main one. They are not part of the project: where they
// are not there, these tests are skipped.
#include <gtest/gtest.h>

#include "cardano/import_for_test.h"
#include "cardano/real_blocks_testing.h"
#include "coordination/engines_for_test.h"
#include "talea/cardano_import.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"

namespace talea::cardano {
namespace {

const CardanoImportOptions kInTheMiddle{.allow_missing_inputs = true};

class RealCardanoImport : public testing::TestWithParam<EngineForTest> {
 protected:
  EngineUnderTest engine_{GetParam()};
  ChainStore store_{*engine_};
};

INSTANTIATE_TEST_SUITE_P(, RealCardanoImport,
                         testing::Values(EngineForTest{.name = "memory"},
                                         EngineForTest{.name = "rocksdb", .on_disk = true}),
                         testing::PrintToStringParamName());

std::vector<std::filesystem::path> Found(const std::string& name) { return {RealBlocks() / name}; }

TEST_P(RealCardanoImport, OfABlockOfEachEraIsTakenBackAndAppliedAgain) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  for (const char* name :
       {"byron2", "shelley1", "allegra1", "mary1", "alonzo4", "alonzo27", "babbage4", "conway1"}) {
    SCOPED_TRACE(name);
    const auto files = Found(std::string(name) + ".block");
    const std::string before = HashOfState(store_);
    EXPECT_ERROR(ImportCardano(store_, files), ErrorCode::not_found) << "its inputs are elsewhere";
    const auto report = ASSERT_VALUE(ImportCardano(store_, files, kInTheMiddle));
    EXPECT_EQ(report.blocks, 1u);
    const std::string after = HashOfState(store_);
    ASSERT_OK(store_.RollBack({}));
    EXPECT_EQ(HashOfState(store_), before);
    ASSERT_OK(ImportCardano(store_, files, kInTheMiddle));
    EXPECT_EQ(HashOfState(store_), after);
    ASSERT_OK(store_.RollBack({}));
  }
}

TEST_P(RealCardanoImport, LeavesNothingOfOutputsThatAreSpentInTheirOwnBlock) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  const auto files = Found("alonzo27.block");
  const auto report = ASSERT_VALUE(ImportCardano(store_, files, kInTheMiddle));
  EXPECT_EQ(report.consumed, 39u);
  EXPECT_EQ(report.missing, 37u);
  EXPECT_EQ(report.produced, 47u);
  const ChainView view = ASSERT_VALUE(store_.Open());
  EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), 45u);
}

TEST_P(RealCardanoImport, OfAChunkFindsTheInputsThatTheChunkMade) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  const auto files = Found("01836.chunk");
  const auto report = ASSERT_VALUE(ImportCardano(store_, files, kInTheMiddle));
  EXPECT_EQ(report.blocks, 913u);
  EXPECT_EQ(report.transactions, 834u);
  EXPECT_EQ(report.consumed, 11'290u);
  EXPECT_EQ(report.consumed - report.missing, 549u);
  EXPECT_EQ(report.produced, 1'641u);
  const ChainView view = ASSERT_VALUE(store_.Open());
  const ChainStatistics statistics = ASSERT_VALUE(view.Statistics());
  EXPECT_EQ(statistics.outputs, 1'641u - 549u);
  EXPECT_EQ(statistics.undo_steps, 913u);
}

TEST_P(RealCardanoImport, OfAChunkIsTakenBackBlockByBlockAndAppliedAgain) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  const auto files = Found("01836.chunk");
  const std::string before = HashOfState(store_);
  ASSERT_OK(ImportCardano(store_, files, kInTheMiddle));
  const std::string after = HashOfState(store_);
  for (int blocks = 0; blocks < 913; ++blocks) {
    EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(1)), 1u);
  }
  EXPECT_EQ(HashOfState(store_), before);
  ASSERT_OK(ImportCardano(store_, files, kInTheMiddle));
  EXPECT_EQ(HashOfState(store_), after);
}

TEST_P(RealCardanoImport, OfAChunkComesToTheSameWhereverItIsStopped) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  const auto files = Found("01836.chunk");
  Random random(TestSeed());
  bool finished = false;
  for (std::uint64_t blocks = 1; !finished; blocks += random.Between(1, 90)) {
    CardanoImportOptions options = kInTheMiddle;
    options.progress = [blocks, seen = std::uint64_t{0}](std::uint64_t, std::uint64_t) mutable {
      return ++seen < blocks;
    };
    const auto report = ASSERT_VALUE(ImportCardano(store_, files, options));
    EXPECT_EQ(report.skipped + report.blocks, std::min<std::uint64_t>(blocks, 913));
    finished = report.finished;
    engine_.Reopen();
    store_ = ChainStore(*engine_);
  }
  EngineUnderTest whole(GetParam());
  ChainStore store(*whole);
  ASSERT_OK(ImportCardano(store, files, kInTheMiddle));
  EXPECT_EQ(HashOfState(store_), HashOfState(store));
}

}  // namespace
}  // namespace talea::cardano
