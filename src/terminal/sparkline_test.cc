#include "terminal/sparkline.h"

#include <gtest/gtest.h>

#include <limits>
#include <vector>

namespace talea {
namespace {

constexpr Screen kUnicode{.terminal = true, .width = 20, .unicode = true};
constexpr Screen kPlain{.width = 20};

std::string Draw(const std::vector<double>& values, const Screen& screen) {
  return DrawSparkline(values, screen);
}

TEST(Sparkline, DrawsOneColumnForEachValue) {
  EXPECT_EQ(Draw({0, 1, 2, 3, 4, 5, 6, 7}, kUnicode), "▁▂▃▄▅▆▇█");
  EXPECT_EQ(Draw({0, 1, 2, 3, 4, 5, 6, 7}, kPlain), "_.-=+*%#");
}

TEST(Sparkline, OfNothingIsNothing) { EXPECT_EQ(Draw({}, kUnicode), ""); }
TEST(Sparkline, OfZerosIsFlat) { EXPECT_EQ(Draw({0, 0, 0}, kUnicode), "▁▁▁"); }
TEST(Sparkline, OfOneValueIsFull) { EXPECT_EQ(Draw({3}, kUnicode), "█"); }
TEST(Sparkline, LittleIsNotNothing) { EXPECT_EQ(Draw({0, 1, 1e9}, kUnicode), "▁▂█"); }
TEST(Sparkline, BeginsAtTheLeastNegativeValue) { EXPECT_EQ(Draw({-7, 0, 7}, kUnicode), "▁▅█"); }

TEST(Sparkline, SurvivesTheLargestNumbersAndLeavesGapsForNone) {
  const double most = std::numeric_limits<double>::max();
  const double nothing = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Draw({-most, nothing, most}, kUnicode), "▁ █");
}

TEST(Sparkline, KeepsThePeaksOfMoreValuesThanColumns) {
  std::vector<double> values(1000, 1);
  values[777] = 100;
  values[778] = std::numeric_limits<double>::quiet_NaN();
  EXPECT_EQ(Draw(values, kPlain), "...............#....");
}

}  // namespace
}  // namespace talea
