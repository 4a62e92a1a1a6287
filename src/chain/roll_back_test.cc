#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "coordination/coordination_for_test.h"
#include "talea/chain.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Five blocks, at slots 1 to 5.
class RollBackBy : public testing::Test {
 protected:
  void SetUp() override {
    Cursor parent;
    for (std::uint64_t slot = 1; slot <= 5; ++slot) {
      const ChainPoint point = ChainPoint::AtSlot(slot);
      ASSERT_OK(store_.Apply({.parent = parent, .point = point}));
      parent = point;
    }
  }
  Cursor Now() { return store_.Open()->cursor(); }

  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  ChainStore store_{*engine_};
};

TEST_F(RollBackBy, TakesBackSoManyStepsAndTellsOfEach) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> told;
  const auto progress = [&](std::uint64_t done, std::uint64_t total) {
    told.emplace_back(done, total);
    return true;
  };
  EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(2, progress)), 2u);
  EXPECT_EQ(Now(), ChainPoint::AtSlot(3));
  EXPECT_THAT(told, ElementsAre(std::pair(0, 2), std::pair(1, 2), std::pair(2, 2)));
  EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(3)), 3u);
  EXPECT_EQ(Now(), Cursor());
}

TEST_F(RollBackBy, StopsWhenToldToAndSaysHowFarItCame) {
  const auto once = [](std::uint64_t done, std::uint64_t) { return done < 1; };
  EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(4, once)), 1u);
  EXPECT_EQ(Now(), ChainPoint::AtSlot(4));
}

TEST_F(RollBackBy, ChangesNothingWhereFewerCanBeTakenBack) {
  ASSERT_OK(store_.Prune(3));
  const StoredRows before = ASSERT_VALUE(ReadAllRows(*engine_));
  const auto refused = store_.RollBackBy(4);
  ASSERT_ERROR(refused, ErrorCode::not_found);
  EXPECT_THAT(refused.error().message(), HasSubstr("at most 3 steps"));
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine_)), before);
  EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(3)), 3u);
  EXPECT_EQ(ASSERT_VALUE(store_.RollBackBy(0)), 0u);
  EXPECT_ERROR(store_.RollBackBy(1), ErrorCode::not_found);
}

TEST_F(RollBackBy, IsByAsManyStepsAsAreCountedSinceAPoint) {
  EXPECT_EQ(ASSERT_VALUE(store_.CountStepsSince(ChainPoint::AtSlot(5))), 0u);
  EXPECT_EQ(ASSERT_VALUE(store_.CountStepsSince(ChainPoint::AtSlot(2))), 3u);
  EXPECT_EQ(ASSERT_VALUE(store_.CountStepsSince(std::nullopt)), 5u);
  EXPECT_ERROR(store_.CountStepsSince(ChainPoint::AtSlot(7)), ErrorCode::not_found);
  ASSERT_OK(store_.Prune(3));
  EXPECT_EQ(ASSERT_VALUE(store_.CountStepsSince(ChainPoint::AtSlot(2))), 3u);
  EXPECT_ERROR(store_.CountStepsSince(ChainPoint::AtSlot(1)), ErrorCode::not_found);
}

}  // namespace
}  // namespace talea
