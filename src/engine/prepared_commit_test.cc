#include "engine/prepared_commit.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "talea/testing/random.h"

namespace talea {
namespace {

using Kind = WriteBatch::Kind;

constexpr Keyspace kRows{128, AccessPattern::scan, "rows"};
constexpr Keyspace kBlobs{129, AccessPattern::point, "blobs"};

CommitRequest RequestOf(WriteBatch batch) {
  CommitRequest request;
  request.batch = std::move(batch);
  return request;
}

// Some share their first 8 bytes, and some end in zeros.
std::string AnyKey(Random& random) {
  std::string key(random.Below(3), static_cast<char>('a' + random.Below(4)));
  if (random.Chance(0.3)) key.append(8, '\0');
  if (random.Chance(0.3)) key.push_back(static_cast<char>(random.Below(2)));
  return key;
}

KeyRange AnyRange(Random& random) {
  const KeyRange from = KeyRange::From(AnyKey(random));
  return random.Chance(0.3) ? from : from.EndingAt(AnyKey(random));
}

WriteBatch AnyBatch(Random& random) {
  WriteBatch batch;
  for (std::uint64_t left = random.Below(12); left > 0; --left) {
    const Keyspace& keyspace = random.Chance(0.5) ? kRows : kBlobs;
    if (random.Chance(0.2)) {
      batch.EraseRange(keyspace, AnyRange(random));
    } else {
      batch.Put(keyspace, AnyKey(random), std::to_string(left));
    }
  }
  return batch;
}

RC_GTEST_PROP(PreparedCommit, SortsItsPointsAndKeepsTheOrderOfThoseToOneKey, (std::uint64_t seed)) {
  Random random(seed);
  const WriteBatch batch = AnyBatch(random);
  const PreparedCommit commit(RequestOf(batch), true);

  std::vector<WriteBatch::Operation> ranges, points;
  for (const auto& operation : batch)
    (operation.kind == Kind::erase_range ? ranges : points).push_back(operation);
  std::ranges::stable_sort(points, [](const auto& a, const auto& b) {
    return std::pair(a.keyspace, a.key) < std::pair(b.keyspace, b.key);
  });
  const auto same = [](const WriteBatch::Operation& a, const WriteBatch::Operation& b) {
    return a.kind == b.kind && a.keyspace == b.keyspace && a.key == b.key && a.value == b.value &&
           a.open_end == b.open_end;
  };
  RC_ASSERT(std::ranges::equal(commit.points, points, same));
  RC_ASSERT(std::ranges::equal(commit.erased_ranges, ranges, same));
}

RC_GTEST_PROP(PreparedCommit, IsOrderedExactlyWhereAnErasedRangeHoldsAWrittenKey,
              (std::uint64_t seed)) {
  Random random(seed);
  const PreparedCommit commit(RequestOf(AnyBatch(random)), false);
  bool overlap = false;
  for (const auto& erased : commit.erased_ranges) {
    for (const auto& point : commit.points) {
      overlap |= point.keyspace == erased.keyspace && erased.Range().Contains(point.key);
    }
  }
  RC_ASSERT(commit.ordered == overlap);
}

RC_GTEST_PROP(PreparedCommit, FindsThePointsWithinARange, (std::uint64_t seed)) {
  Random random(seed);
  const PreparedCommit commit(RequestOf(AnyBatch(random)), false);
  const KeyRange range = AnyRange(random);
  for (const Keyspace& keyspace : {kRows, kBlobs}) {
    const auto within = PointsWithin(commit.points, keyspace.id, range);
    const auto expected = std::ranges::count_if(commit.points, [&](const auto& point) {
      return point.keyspace == keyspace.id && range.Contains(point.key);
    });
    RC_ASSERT(static_cast<std::ptrdiff_t>(within.size()) == expected);
    for (const auto& point : within) {
      RC_ASSERT(point.keyspace == keyspace.id);
      RC_ASSERT(range.Contains(point.key));
    }
  }
}

RC_GTEST_PROP(PreparedCommit, RangesOverlapExactlyWhereTheyShareAKey, (std::uint64_t seed)) {
  Random random(seed);
  const KeyRange erased = AnyRange(random);
  const KeyRange read = AnyRange(random);
  WriteBatch batch;
  batch.EraseRange(kRows, erased);
  KeyRange both = erased.StartingAt(read.begin());
  if (read.end()) both = both.EndingAt(*read.end());
  RC_ASSERT(Overlaps(*batch.begin(), read) == !both.empty());
}

TEST(PreparedCommit, HashesWhatItReadAndIfTrackedWhatItWrites) {
  CommitRequest request;
  request.reads.Add(kRows, "r");
  request.reads.Add(kBlobs, "s");
  request.batch.Put(kBlobs, "b", "");
  request.batch.Put(kRows, "a", "");
  CommitRequest same;
  same.reads = request.reads;
  same.batch = request.batch;

  const PreparedCommit tracked(std::move(request), true);
  const std::vector<std::uint64_t> reads = {HashKey(kRows.id, "r"), HashKey(kBlobs.id, "s")};
  const std::vector<std::uint64_t> writes = {HashKey(kRows.id, "a"), HashKey(kBlobs.id, "b")};
  EXPECT_EQ(tracked.read_hashes, reads);
  EXPECT_EQ(tracked.write_hashes, writes);
  const PreparedCommit untracked(std::move(same), false);
  EXPECT_EQ(untracked.read_hashes, reads);
  EXPECT_TRUE(untracked.write_hashes.empty());
}

TEST(HashKey, DependsOnKeyspaceAndKey) {
  EXPECT_EQ(HashKey(1, "a"), HashKey(1, "a"));
  EXPECT_NE(HashKey(1, "a"), HashKey(2, "a"));
  EXPECT_NE(HashKey(1, "a"), HashKey(1, "b"));
  EXPECT_NE(HashKey(1, ""), HashKey(2, ""));
}

// Range erasures were left out, so that a log of commits that only erase ranges could hold several
// times its bound.
TEST(PreparedCommit, CountsTheMemoryOfEverythingThatTheLogKeeps) {
  WriteBatch batch;
  for (int write = 0; write < 100; ++write) batch.EraseRange(kRows, KeyRange::From("a"));
  const PreparedCommit erasing(RequestOf(std::move(batch)), true);
  EXPECT_GE(erasing.bytes(), sizeof(PreparedCommit) + 100 * sizeof(WriteBatch::Operation));
}

}  // namespace
}  // namespace talea
