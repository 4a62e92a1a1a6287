#include "terminal/bar_chart.h"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>
#include <vector>

#include "terminal/text.h"

namespace talea {
namespace {

constexpr Screen kPlain{.terminal = false, .width = 30};
constexpr Screen kUnicode{.terminal = true, .width = 30, .unicode = true};

std::string Draw(const std::vector<Bar>& bars, const Screen& screen) {
  return DrawBarChart(bars, screen);
}

TEST(BarChart, DrawsEighthsOfAColumn) {
  EXPECT_EQ(Draw({{"visits", 160}, {"pages", 81}, {"undo", 1}, {"none", 0}}, kUnicode),
            "visits  █████████████████  160\n"
            "pages   ████████▋           81\n"
            "undo    ▏                    1\n"
            "none                         0\n");
}

TEST(BarChart, DrawsAsciiWhereThereIsNoMore) {
  EXPECT_EQ(Draw({{"visits", 160}, {"pages", 80}, {"undo", 1}, {"none", 0}}, kPlain),
            "visits  #################  160\n"
            "pages   #########           80\n"
            "undo    #                    1\n"
            "none                         0\n");
}

TEST(BarChart, OfNothingIsNothing) { EXPECT_EQ(Draw({}, kUnicode), ""); }

TEST(BarChart, OfZerosHasNoBars) {
  EXPECT_EQ(Draw({{"a", 0}, {"b", 0}}, kUnicode),
            "a                            0\n"
            "b                            0\n");
}

TEST(BarChart, OfOneValueFillsTheWidth) {
  EXPECT_EQ(Draw({{"a", 7}}, kPlain), "a  ########################  7\n");
}

TEST(BarChart, ShowsTheTextOfAValueInsteadOfItsNumber) {
  EXPECT_EQ(Draw({{"a", 7'000, "7 kB"}}, kPlain), "a  #####################  7 kB\n");
}

TEST(BarChart, DrawsNegativeValuesToTheLeftOfZero) {
  EXPECT_EQ(Draw({{"in", 30}, {"out", -15}, {"lost", -1}}, kUnicode),
            "in          ████████████    30\n"
            "out   ██████               -15\n"
            "lost       ▐                -1\n");
}

TEST(BarChart, OfNegativeValuesAloneReachesLeftOverTheWholeWidth) {
  EXPECT_EQ(Draw({{"a", -2}, {"b", -1}}, kPlain),
            "a  #######################  -2\n"
            "b             ############  -1\n");
}

TEST(BarChart, SurvivesTheLargestNumbers) {
  const double most = std::numeric_limits<double>::max();
  EXPECT_EQ(Draw({{"a", most, "max"}, {"b", -most, "min"}}, kPlain),
            "a             ###########  max\n"
            "b  ###########             min\n");
  EXPECT_EQ(Draw({{"a", 9.2e18}}, kPlain), "a  ####################  9.2 E\n");
}

TEST(BarChart, DrawsNoBarForWhatIsNoNumber) {
  const double infinite = std::numeric_limits<double>::infinity();
  EXPECT_EQ(
      Draw({{"a", infinite}, {"b", std::numeric_limits<double>::quiet_NaN()}, {"c", 2}}, kPlain),
      "a                          inf\n"
      "b                          nan\n"
      "c  ######################    2\n");
}

TEST(BarChart, CutsLongLabelsToFitANarrowScreen) {
  const Screen narrow{.terminal = true, .width = 20, .unicode = true};
  EXPECT_EQ(Draw({{"histograms-counters", 5}, {"undo", 10}}, narrow),
            "histogr…  ███      5\n"
            "undo      ██████  10\n");
}

TEST(BarChart, CutsWideLabelsBetweenCharacters) {
  const Screen narrow{.terminal = true, .width = 20, .unicode = true};
  EXPECT_EQ(Draw({{"計数棒の記録です", 10}}, narrow), "計数棒…   ██████  10\n");
}

TEST(BarChart, KeepsEveryLineWithinTheWidth) {
  for (const std::size_t width : {20U, 21U, 40U, 200U}) {
    const Screen screen{.terminal = true, .width = width, .unicode = true};
    std::istringstream lines(
        Draw({{"a label that is longer than most", 12345678}, {"", -3}, {"b", 1e9}}, screen));
    for (std::string line; std::getline(lines, line);) EXPECT_EQ(TextWidth(line), width) << line;
  }
}

TEST(BarChart, StoredBytesCannotSteerTheTerminal) {
  EXPECT_EQ(Draw({{"\x1b[2Jx\n", 1}}, kPlain), "?[2Jx?  ###################  1\n");
}

TEST(BarChart, ColorsTheBarAlone) {
  const Screen colored{.terminal = true, .width = 20, .color = true};
  EXPECT_EQ(Draw({{"a", 1}}, colored), "a  \x1b[36m##############\x1b[0m  1\n");
}

}  // namespace
}  // namespace talea
