#include "terminal/table.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

const Table kKeyspaces{.columns = {{"keyspace"}, {"kind"}, {"rows", Align::right}},
                       .rows = {{"visits", "counter", "1,234"}, {"histograms", "scan", "5"}}};

TEST(Table, AlignsTextLeftAndNumbersRight) {
  EXPECT_EQ(DrawTable(kKeyspaces, {}),
            "keyspace    kind      rows\n"
            "visits      counter  1,234\n"
            "histograms  scan         5\n");
}

TEST(Table, WithoutTitlesHasNoLineForThem) {
  EXPECT_EQ(DrawTable({.columns = {{}, {}}, .rows = {{"a", "b"}}}, {}), "a  b\n");
}

TEST(Table, OfNothingIsItsTitles) {
  EXPECT_EQ(DrawTable({.columns = {{"a"}, {"b"}}, .rows = {}}, {}), "a  b\n");
  EXPECT_EQ(DrawTable({}, {}), "");
}

TEST(Table, CutsTheWidestTextOnATerminal) {
  const Screen narrow{.terminal = true, .width = 24, .unicode = true};
  EXPECT_EQ(DrawTable(kKeyspaces, narrow),
            "keyspace  kind      rows\n"
            "visits    counter  1,234\n"
            "histogr…  scan         5\n");
}

TEST(Table, CutsNothingThatAProgramMayRead) {
  const std::string line = "a cell that is a good deal longer than twenty columns";
  EXPECT_EQ(DrawTable({.columns = {{}}, .rows = {{line}}}, {.width = 20}), line + "\n");
}

TEST(Table, NeverCutsANumber) {
  const Screen narrow{.terminal = true, .width = 20};
  EXPECT_EQ(DrawTable({.columns = {{"name"}, {"bytes", Align::right}},
                       .rows = {{"a long name", "18,446,744,073,709,551,615"}}},
                      narrow),
            "name                       bytes\n"
            "a l~  18,446,744,073,709,551,615\n");
}

TEST(Table, AlignsWideCharacters) {
  EXPECT_EQ(DrawTable({.columns = {{}, {}}, .rows = {{"計数", "a"}, {"e\u0301", "b"}}}, {}),
            "計数  a\n"
            "e\u0301     b\n");
}

TEST(Table, WritesTitlesInBoldWhereThereAreColors) {
  EXPECT_EQ(DrawTable({.columns = {{"a"}}, .rows = {{"b"}}}, {.color = true}),
            "\x1b[1ma\x1b[0m\nb\n");
}

}  // namespace
}  // namespace talea
