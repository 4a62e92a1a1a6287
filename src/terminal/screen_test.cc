#include "terminal/screen.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

ScreenFacts Terminal() {
  return {.terminal = true, .columns = 120, .locale = "de_DE.UTF-8", .term = "xterm"};
}

TEST(Screen, OfATerminalHasItsWidthAndBlocksAndColors) {
  const Screen screen = DescribeScreen(Terminal());
  EXPECT_TRUE(screen.terminal);
  EXPECT_EQ(screen.width, 120);
  EXPECT_TRUE(screen.unicode);
  EXPECT_TRUE(screen.color);
}

TEST(Screen, OfAPipeIsPlain) {
  ScreenFacts pipe = Terminal();
  pipe.terminal = false;
  const Screen screen = DescribeScreen(pipe);
  EXPECT_FALSE(screen.terminal || screen.unicode || screen.color);
  EXPECT_EQ(screen.width, 80);
}

TEST(Screen, IsAsciiWhereTheLocaleIsNotUtf8) {
  for (const char* locale : {"", "C", "POSIX", "de_DE.ISO-8859-1"}) {
    ScreenFacts facts = Terminal();
    facts.locale = locale;
    EXPECT_FALSE(DescribeScreen(facts).unicode) << locale;
  }
}

TEST(Screen, HasNoColorsWhereTheyAreUnwantedOrUnknown) {
  ScreenFacts unwanted = Terminal();
  unwanted.no_color = true;
  EXPECT_FALSE(DescribeScreen(unwanted).color);
  for (const char* term : {"", "dumb"}) {
    ScreenFacts unknown = Terminal();
    unknown.term = term;
    EXPECT_FALSE(DescribeScreen(unknown).color) << term;
  }
}

TEST(Screen, IsEightyWideWhereTheTerminalDoesNotTellAndNeverTooNarrow) {
  ScreenFacts facts = Terminal();
  facts.columns.reset();
  EXPECT_EQ(DescribeScreen(facts).width, 80);
  facts.columns = 3;
  EXPECT_EQ(DescribeScreen(facts).width, 20);
}

TEST(Screen, DressesTextOnlyWhereThereAreColors) {
  EXPECT_EQ(Screen{}.Bold("a"), "a");
  EXPECT_EQ(Screen{.color = true}.Bold("a"), "\x1b[1ma\x1b[0m");
  EXPECT_EQ(Screen{.color = true}.Colored(""), "");
}

}  // namespace
}  // namespace talea
