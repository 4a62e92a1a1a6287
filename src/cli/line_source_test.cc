#include "cli/line_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const EntryArguments kCityAndId{.value = {"city"}, .document = "id"};

// "LINE: VALUE DOCUMENT", or "LINE: " and the message of an error, for each line.
std::vector<std::string> Lines(Result<std::unique_ptr<LineSource>> source) {
  EXPECT_OK(source);
  std::vector<std::string> lines;
  while (true) {
    const auto found = (*source)->Next();
    const std::string line = std::to_string((*source)->line()) + ": ";
    if (!found) {
      lines.push_back(line + found.error().message());
      if (found.error().code() != ErrorCode::invalid_argument) return lines;
      continue;
    }
    if (!*found) return lines;
    const auto shown = [](const auto& element) { return element ? element->ToString() : "-"; };
    lines.push_back(line + shown((*found)->value.at(0)) + " " + shown((*found)->document));
  }
}

TEST(CsvSource, FindsColumnsByNameOrByNumber) {
  const std::string text = "id,city\nada,London\n\"bo\nb\",Paris\nxi,Rome\n";
  std::istringstream named(text);
  EXPECT_THAT(
      Lines(CsvSource(named, kCityAndId, true)),
      ElementsAre("2: \"London\" \"ada\"", "3: \"Paris\" \"bo\\x0ab\"", "5: \"Rome\" \"xi\""));
  std::istringstream numbered("ada,London\n");
  EXPECT_THAT(Lines(CsvSource(numbered, {.value = {"2"}, .document = "1"}, false)),
              ElementsAre("1: \"London\" \"ada\""));
}

TEST(CsvSource, NamesTheColumnsThatThereAre) {
  std::istringstream in("id,city\n");
  const auto source = CsvSource(in, {.value = {"town"}, .document = "id"}, true);
  ASSERT_ERROR(source, ErrorCode::invalid_argument);
  EXPECT_EQ(source.error().message(),
            "column \"town\": expected one of \"id\", \"city\", or a number from 1 to 2");
  for (const char* column : {"0", "3", "-1", "1x", ""}) {
    std::istringstream again("id,city\n");
    EXPECT_ERROR(CsvSource(again, {.value = {column}, .document = "id"}, true),
                 ErrorCode::invalid_argument);
  }
  std::istringstream bare("a,b\n");
  EXPECT_ERROR(CsvSource(bare, {.value = {"a"}, .document = "1"}, false),
               ErrorCode::invalid_argument);
  std::istringstream empty("");
  EXPECT_ERROR(CsvSource(empty, kCityAndId, true), ErrorCode::invalid_argument);
}

TEST(CsvSource, RefusesANameThatTwoColumnsHave) {
  std::istringstream in("id,city,city\n");
  const auto source = CsvSource(in, kCityAndId, true);
  ASSERT_ERROR(source, ErrorCode::invalid_argument);
  EXPECT_EQ(source.error().message(),
            "column \"city\": expected a name that one column has, found an ambiguous one; say "
            "which by its number");
  std::istringstream again("id,city,city\nada,London,Paris\n");
  EXPECT_THAT(Lines(CsvSource(again, {.value = {"3"}, .document = "id"}, true)),
              ElementsAre("2: \"Paris\" \"ada\""));
}

TEST(CsvSource, RefusesLinesWithMoreOrFewerFields) {
  std::istringstream in("id,city\nada\nbob,Paris,x\nxi,Rome\n");
  EXPECT_THAT(
      Lines(CsvSource(in, kCityAndId, true)),
      ElementsAre("2: expected 2 fields, as on the first line, found 1",
                  "3: expected 2 fields, as on the first line, found 3", "4: \"Rome\" \"xi\""));
}

TEST(CsvSource, HasNothingWhereALineIsShorterThanAColumnsNumber) {
  std::istringstream in("ada,London\n");
  EXPECT_THAT(Lines(CsvSource(in, {.value = {"3"}, .document = "1"}, false)),
              ElementsAre("1: - \"ada\""));
}

TEST(JsonLinesSource, FindsFields) {
  std::istringstream in(
      "{\"id\":1,\"city\":\"London\"}\n\n  "
      "\n{\"id\":2}\r\n[]\n{\"city\":\n{\"id\":3,\"city\":null}");
  EXPECT_THAT(Lines(JsonLinesSource(in, kCityAndId)),
              ElementsAre("1: \"London\" 1", "4: - 2", "5: - -",
                          HasSubstr("6: character 9: expected JSON"), "7: null 3"));
}

TEST(JsonLinesSource, PassesOverAByteOrderMarkAtTheBeginningAlone) {
  std::istringstream in("\xef\xbb\xbf{\"id\":1,\"city\":2}\n\xef\xbb\xbf{\"id\":2,\"city\":3}\n");
  EXPECT_THAT(Lines(JsonLinesSource(in, kCityAndId)),
              ElementsAre("1: 2 1", HasSubstr("2: character 1: expected JSON")));
}

TEST(JsonLinesSource, RefusesWhatIsNoPath) {
  std::istringstream in("{}");
  EXPECT_ERROR(JsonLinesSource(in, {.value = {"a..b"}, .document = "id"}),
               ErrorCode::invalid_argument);
}

}  // namespace
}  // namespace talea::cli
