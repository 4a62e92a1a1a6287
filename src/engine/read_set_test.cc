#include "talea/read_set.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <ctime>
#include <set>
#include <string>

#include "talea/testing/random.h"

namespace talea {
namespace {

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kBlobs{129, AccessPattern::point, "blobs"};

using Points = std::set<std::pair<std::uint8_t, std::string>>;

Points PointsOf(const ReadSet& reads) {
  Points points;
  for (std::size_t position = 0; position < reads.point_count(); ++position) {
    points.emplace(reads.point(position).keyspace, reads.point(position).key);
  }
  return points;
}

TEST(ReadSet, HoldsPointsAndRanges) {
  ReadSet reads;
  EXPECT_TRUE(reads.empty());
  reads.Add(kRows, "");
  reads.Add(kBlobs, "key");
  EXPECT_FALSE(reads.empty());
  EXPECT_EQ(PointsOf(reads), (Points{{kRows.id, ""}, {kBlobs.id, "key"}}));
  reads.Add(kRows, KeyRange::Prefix("a"));
  ASSERT_EQ(reads.ranges().size(), 1u);
  EXPECT_EQ(reads.ranges()[0].keyspace, kRows.id);
  EXPECT_EQ(reads.ranges()[0].range, KeyRange::Prefix("a"));
  reads.Clear();
  EXPECT_TRUE(reads.empty());
  EXPECT_EQ(reads.point_count(), 0u);
}

TEST(ReadSet, WithARangeAloneIsNotEmpty) {
  ReadSet reads;
  reads.Add(kRows, KeyRange::All());
  EXPECT_FALSE(reads.empty());
}

TEST(ReadSet, LeavesOutRangesWithNoKeys) {
  ReadSet reads;
  reads.Add(kRows, KeyRange::Before(""));
  reads.Add(kRows, *KeyRange::Make("a", "a"));
  EXPECT_TRUE(reads.empty());
}

TEST(ReadSet, HoldsARepeatedRangeOnce) {
  ReadSet reads;
  for (int repeat = 0; repeat < 3; ++repeat) {
    reads.Add(kRows, KeyRange::Prefix("a"));
    reads.Add(kBlobs, KeyRange::Prefix("a"));
    reads.Add(kRows, KeyRange::From("a"));
  }
  EXPECT_EQ(reads.ranges().size(), 3u);
}

TEST(ReadSet, DropsRepeatedPointsInTheLongRun) {
  ReadSet reads;
  for (int repeat = 0; repeat < 100'000; ++repeat)
    reads.Add(kRows, "key " + std::to_string(repeat % 10));
  EXPECT_LE(reads.point_count(), 1024u);
  EXPECT_EQ(PointsOf(reads).size(), 10u);
}

TEST(ReadSet, NeverHoldsManyMoreThanTheDistinctOnes) {
  ReadSet reads;
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (int key = 0; key < 5000; ++key) reads.Add(kRows, std::to_string(key));
  }
  EXPECT_LE(reads.point_count(), 2 * 5000u + 1);
  EXPECT_EQ(PointsOf(reads).size(), 5000u);
}

RC_GTEST_PROP(ReadSet, LosesNoPoint, (std::uint64_t seed)) {
  Random random(seed);
  const std::uint64_t keys = 1 + random.Below(1500);
  ReadSet reads;
  Points expected;
  for (int step = 0; step < 2000; ++step) {
    const Keyspace& keyspace = random.Chance(0.5) ? kRows : kBlobs;
    std::string key = std::to_string(random.Below(keys));
    if (random.Chance(0.1)) key = std::string(1, '\0') + key;
    reads.Add(keyspace, key);
    expected.emplace(keyspace.id, key);
  }
  RC_ASSERT(PointsOf(reads) == expected);
}

TEST(ReadSet, IsAsNewOnceItIsCleared) {
  ReadSet reads;
  for (int key = 0; key < 3000; ++key) reads.Add(kRows, std::to_string(key));
  reads.Clear();
  for (int key = 0; key < 1500; ++key) reads.Add(kRows, "x");
  EXPECT_LE(reads.point_count(), 1024u);
  EXPECT_EQ(PointsOf(reads), (Points{{kRows.id, "x"}}));
}

// Each range was compared with all before it, so a transaction that read 30,000 ranges three times
// spent seconds on this alone.
TEST(ReadSet, TakesManyRangesInLittleTimeAndDropsTheRepeatedOnesInTheLongRun) {
  ReadSet reads;
  std::set<std::string> expected;
  const std::clock_t start = std::clock();  // of the processor: others may be busy
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (int prefix = 0; prefix < 30'000; ++prefix) {
      reads.Add(kRows, KeyRange::Prefix("some longer prefix " + std::to_string(prefix)));
      expected.insert("some longer prefix " + std::to_string(prefix));
    }
  }
  EXPECT_LT(std::clock() - start, 3 * CLOCKS_PER_SEC);
  EXPECT_LE(reads.ranges().size(), 2 * 30'000u + 1);
  std::set<std::string> found;
  for (const ReadSet::Range& range : reads.ranges()) found.insert(range.range.begin());
  EXPECT_EQ(found, expected);
}

}  // namespace
}  // namespace talea
