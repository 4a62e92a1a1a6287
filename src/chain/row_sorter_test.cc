#include "chain/row_sorter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>

#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

using Rows = std::vector<std::pair<std::string, std::string>>;

// Keys of few bytes, so that many begin alike or are equal, and some that are long.
std::string RandomBytes(Random& random, std::size_t most) {
  std::string bytes(random.Below(most + 1), '\0');
  for (char& byte : bytes) byte = "\0\1a\xff"[random.Below(4)];
  return bytes;
}

Rows RandomRows(Random& random, std::size_t count) {
  Rows rows;
  for (std::size_t row = 0; row < count; ++row) {
    rows.emplace_back(RandomBytes(random, random.Chance(0.2) ? 60 : 10), RandomBytes(random, 40));
  }
  return rows;
}

void Fill(RowSorter& sorter, const Rows& rows) {
  for (const auto& [key, value] : rows) ASSERT_OK(sorter.Add(key, value));
}

// What the sorter gives, those of equal keys in the order of their values.
Rows Drain(RowSorter& sorter) {
  Rows rows;
  for (;;) {
    const Result<std::optional<Row>> row = sorter.Next();
    EXPECT_OK(row);
    if (!row || !*row) break;
    const auto& [key, value] = **row;
    EXPECT_TRUE(rows.empty() || rows.back().first <= key);
    rows.emplace_back(key, value);
  }
  std::ranges::sort(rows);
  return rows;
}

TEST(RowSorter, GivesNothingWhereNothingWasAdded) {
  RowSorter sorter({});
  EXPECT_EQ(Drain(sorter), Rows());
  EXPECT_EQ(ASSERT_VALUE(sorter.Next()), std::nullopt);
}

TEST(RowSorter, SortsLikeTheStandardLibrary) {
  Random random(TestSeed());
  for (int round = 0; round < 60; ++round) {
    // From all in memory, over a few runs, to so many that runs of runs are merged.
    const std::size_t memory = std::size_t{1} << (8 + random.Below(12));
    SCOPED_TRACE(testing::Message()
                 << "seed " << TestSeed() << ", round " << round << ", memory " << memory);
    Rows rows = RandomRows(random, random.Below(3000));
    RowSorter sorter({.memory_bytes = memory});
    ASSERT_NO_FATAL_FAILURE(Fill(sorter, rows));
    std::ranges::sort(rows);
    ASSERT_EQ(Drain(sorter), rows);
  }
}

TEST(RowSorter, MergesRunsOfRuns) {
  Random random(TestSeed());
  Rows rows = RandomRows(random, 64 * 64 + 100);
  RowSorter sorter({.memory_bytes = 1});  // each row is a run
  Fill(sorter, rows);
  std::ranges::sort(rows);
  EXPECT_EQ(Drain(sorter), rows);
}

TEST(RowSorter, SortsInTwoThreadsToo) {
  Random random(TestSeed());
  Rows rows;
  for (int row = 0; row < 200'000; ++row) rows.emplace_back(std::to_string(random.Next()), "");
  RowSorter sorter({});
  Fill(sorter, rows);
  std::ranges::sort(rows);
  EXPECT_EQ(Drain(sorter), rows);
}

TEST(RowSorter, TakesRowsThatAreLargerThanItsMemoryAndItsBuffers) {
  const Rows rows{{"a", std::string(3 << 20, 'v')}, {"b", ""}, {std::string(2 << 20, 'k'), "w"}};
  RowSorter sorter({.memory_bytes = 100});
  Fill(sorter, {rows[2], rows[1], rows[0]});
  EXPECT_EQ(Drain(sorter), rows);
}

TEST(RowSorter, NamesTheFolderThatIsMissing) {
  RowSorter in_memory({.memory_bytes = 1 << 20, .scratch = "/there/is/none"});
  EXPECT_OK(in_memory.Add("a", "b")) << "what fits needs no file";
  RowSorter sorter({.memory_bytes = 1, .scratch = "/there/is/none"});
  const Status added = sorter.Add("a", "b");
  ASSERT_ERROR(added, ErrorCode::io_error);
  EXPECT_NE(added.error().message().find("/there/is/none"), std::string::npos)
      << added.error().message();
}

}  // namespace
}  // namespace talea::chain
