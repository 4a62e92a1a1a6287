// Commits that come in the worst moment of a division: after its second transaction has looked, and
// before that is committed.
#include <gtest/gtest.h>

#include "coordination/coordination_for_test.h"
#include "histograms/checks_for_test.h"
#include "histograms/interrupted_engine_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea::histograms {
namespace {

constexpr char kIndex[] = "index";

class ReshapeRace : public testing::Test {
 protected:
  void Add(IndexStore& store, int first, int last) {
    Transaction transaction(engine_);
    for (int number = first; number <= last; ++number)
      ASSERT_OK(store.Add(transaction, kIndex, {number}, 1));
    ASSERT_OK(transaction.Commit());
  }
  void ExpectAllIsWell() {
    EXPECT_FALSE(engine_.pending());
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_.OpenSnapshot());
    Random random(1);
    IndexChecks checks(store_, *snapshot, kIndex, random);
    const Entries entries = ASSERT_VALUE(checks.ReadEntries());
    EXPECT_OK(checks.Check(entries, 20));
  }

  InterruptedEngine engine_;
  IndexStore store_{engine_};
  IndexStore other_{engine_};  // as of another process
};

// It adds nothing to the bucket's counter, so nobody noticed, and both parts were counted wrong.
TEST_F(ReshapeRace, AnEntryThatMovesWithinTheOldBucketIsCountedWhereItGoes) {
  ASSERT_OK(store_.Create(kIndex, {.peek_cap = 4}));
  Add(store_, 11, 18);
  Transaction late(engine_);
  ASSERT_OK(other_.Update(late, kIndex, 1, {18}, {1}));
  const int kEndOfTheDivision = 3;  // after the one that makes the bucket too large, and the first
  engine_.Before(kEndOfTheDivision, [&] { EXPECT_OK(late.Commit()); });
  Add(store_, 5, 5);
  ExpectAllIsWell();
}

// What is not counted yet took entries without a trace, while it was being counted.
TEST_F(ReshapeRace, AnEntryThatComesWhileANewHistogramIsCountedIsNotLost) {
  for (const Histogram& histogram : {Histogram::Fixed(2), Histogram::Learned()}) {
    ASSERT_OK(store_.Create(kIndex, {.histogram = Histogram::Fixed(1), .peek_cap = 4}));
    Add(store_, 1, 600);  // more than are counted at once
    ASSERT_ERROR(store_.Change(kIndex, histogram, [](auto, auto) { return false; }),
                 ErrorCode::precondition_failed);
    Transaction late(engine_);
    ASSERT_OK(other_.Add(late, kIndex, {300}, "late"));
    const int kEndOfThePart = 2;
    engine_.Before(kEndOfThePart, [&] { EXPECT_OK(late.Commit()); });
    ASSERT_OK(store_.Change(kIndex, histogram));
    ExpectAllIsWell();
    ASSERT_OK(store_.Drop(kIndex));
  }
}

}  // namespace
}  // namespace talea::histograms
