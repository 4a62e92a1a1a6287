#include "bench/chain_data.h"

#include <gtest/gtest.h>

#include <set>

namespace talea::bench {
namespace {

TEST(OutputRows, HoldsTheSameRowsInAnyOrder) {
  const OutputRows sorted = OutputRows::Sorted(1'000, 100);
  const OutputRows unsorted = OutputRows::Unsorted(1'000, 100);
  std::uint64_t sorted_weight = 0, unsorted_weight = 0;
  for (std::size_t row = 0; row < 1'000; ++row) {
    if (row > 0) {
      EXPECT_LT(sorted.key(row - 1), sorted.key(row));
    }
    EXPECT_EQ(sorted.key(row).size(), kKeyBytes);
    EXPECT_EQ(sorted.value(row).size(), 100u);
    sorted_weight += WeighRow(sorted.key(row), sorted.value(row));
    unsorted_weight += WeighRow(unsorted.key(row), unsorted.value(row));
  }
  EXPECT_EQ(sorted_weight, unsorted_weight);
}

TEST(OutputRows, GivesAnOutputTheReferenceOfItsKey) {
  const OutputRows rows({5, 6}, 60);
  EXPECT_EQ(rows.reference(0), ReferenceTo(5));
  EXPECT_EQ(rows.output(1).reference, ReferenceTo(6));
  EXPECT_EQ(rows.output(1).cbor, rows.value(1).substr(2));
  EXPECT_EQ(WeighOutput(ReferenceTo(6).transaction.view(), rows.output(1).cbor),
            WeighRow(rows.key(1), rows.value(1)));
}

TEST(UtxoWorkload, SpendsOnlyWhatIsThereAndMakesOnlyWhatNeverWas) {
  UtxoWorkload workload(1'000, 1);
  std::set<std::uint64_t> unspent;
  for (std::uint64_t number = 0; number < 1'000; ++number) unspent.insert(number);
  std::uint64_t made = 1'000;
  for (int batch = 0; batch < 20; ++batch) {
    const UtxoWorkload::Batch next = workload.Next(256);
    for (const std::uint64_t number : next.consumed) EXPECT_EQ(unspent.erase(number), 1u);
    for (const std::uint64_t number : next.produced) {
      EXPECT_EQ(number, made++);
      unspent.insert(number);
    }
    EXPECT_EQ(unspent.size(), 1'000u);
  }
}

}  // namespace
}  // namespace talea::bench
