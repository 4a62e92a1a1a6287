#include "cli/json_fields.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

Result<std::optional<Element>> Read(std::string_view document, std::string_view path) {
  JsonFieldReader reader;
  const JsonPath paths[] = {JsonPath::Parse(path).value()};
  return TALEA_TRY(reader.Read(document, paths))
  .at(0);
}

TEST(JsonFields, HaveTheTypesOfJson) {
  EXPECT_EQ(Read(R"({"a":"London"})", "a"), Element("London"));
  EXPECT_EQ(Read(R"({"a":42})", "a"), Element(42));
  EXPECT_EQ(Read(R"({"a":18446744073709551615})", "a"), Element(18446744073709551615u));
  EXPECT_EQ(Read(R"({"a":4.0})", "a"), Element(4.0));
  EXPECT_EQ(Read(R"({"a":18446744073709551616})", "a"), Element(18446744073709551616.0));
  EXPECT_EQ(Read(R"({"a":true})", "a"), Element(true));
  EXPECT_EQ(Read(R"({"a":null})", "a"), Element());
  EXPECT_EQ(Read(R"({"a":"\u00e9\n"})", "a"), Element("é\n"));
}

TEST(JsonFields, AreReadFromAnyNumberOfDocuments) {
  JsonFieldReader reader;
  const JsonPath paths[] = {JsonPath::Parse("a.b").value()};
  for (int number = 0; number < 2000; ++number) {
    // Some of them larger than what the reader keeps, and some in error half way.
    const std::string filler(number % 100 == 0 ? 100'000 : 10, 'x');
    const std::string document = fmt::format(R"({{"x":["{}"],"a":{{"b":{}}}}})", filler, number);
    const auto elements = reader.Read(document, paths);
    ASSERT_TRUE(elements) << elements.error().message();
    ASSERT_EQ(elements->at(0), Element(number));
    ASSERT_FALSE(reader.Read(document.substr(0, document.size() - 1), paths));
  }
}

TEST(JsonFields, AreNotNumbersThatNoDoubleCanHold) {
  for (const char* document : {R"({"a":1e400})", R"({"a":-1e400})"}) {
    const auto read = Read(document, "a");
    ASSERT_ERROR(read, ErrorCode::invalid_argument);
    EXPECT_EQ(read.error().message(),
              "\"a\": expected a number that a double can hold, found one that is too large");
  }
  EXPECT_EQ(Read(R"({"a":1e400,"b":1})", "b"), Element(1));
}

TEST(JsonFields, AreFoundWithinOthers) {
  constexpr const char* document = R"( {"a":{"b.c":[{"d":1},2]},"b":3} )";
  EXPECT_EQ(Read(document, "a.b\\.c.0.d"), Element(1));
  EXPECT_EQ(Read(document, "a.b\\.c.1"), Element(2));
  EXPECT_EQ(Read("[5]", "0"), Element(5));
}

TEST(JsonFields, AreAbsentWhereThereIsNothing) {
  for (const char* path : {"b", "a.x", "a.b.c", "c.1", "c.x", "c.-1"}) {
    EXPECT_EQ(Read(R"({"a":{"b":1},"c":[1]})", path), std::nullopt) << path;
  }
  EXPECT_EQ(Read("3", "a"), std::nullopt);
}

TEST(JsonFields, AreValuesAndNothingLarger) {
  const auto found = Read(R"({"a":{"b":{}}})", "a.b");
  ASSERT_ERROR(found, ErrorCode::invalid_argument);
  EXPECT_THAT(found.error().message(), HasSubstr("\"a.b\": expected text, a number, true, false or "
                                                 "null, found an object"));
  EXPECT_ERROR(Read(R"({"a":[]})", "a"), ErrorCode::invalid_argument);
}

TEST(JsonFields, NameTheCharacterWhereADocumentIsNoJson) {
  for (const auto& [document, expected] :
       {std::pair{R"({"a":1)", "character 7: expected JSON, found the end"},
        {R"({"a":x})", "character 6: expected JSON, found \"x\""},
        {R"({"a":1} {})", "character 9: expected JSON, found \"{\""},
        {"", "character 1: expected JSON, found the end"},
        {"{\"a\":\"\xff\"}", "expected JSON, found \"\\xff\""}}) {
    const auto found = Read(document, "a");
    ASSERT_ERROR(found, ErrorCode::invalid_argument);
    EXPECT_THAT(found.error().message(), HasSubstr(expected));
  }
}

TEST(JsonFields, MayNotBeNestedSoDeepThatTheStackEnds) {
  EXPECT_ERROR(Read(std::string(1'000'000, '['), "a"), ErrorCode::invalid_argument);
}

TEST(JsonFields, CanBeReadFromOneDocumentAfterTheOther) {
  JsonFieldReader reader;
  const JsonPath paths[] = {JsonPath{{"a"}}, JsonPath{{"b"}}};
  using Found = std::vector<std::optional<Element>>;
  EXPECT_EQ(reader.Read(R"({"a":1,"b":2})", paths), (Found{Element(1), Element(2)}));
  EXPECT_ERROR(reader.Read("{", paths), ErrorCode::invalid_argument);
  EXPECT_EQ(reader.Read(R"({"b":3})", paths), (Found{std::nullopt, Element(3)}));
}

TEST(JsonPath, RefusesStepsThatHaveNoName) {
  for (const char* path : {"", ".", "a.", ".a", "a..b"}) {
    EXPECT_ERROR(JsonPath::Parse(path), ErrorCode::invalid_argument) << path;
  }
}

}  // namespace
}  // namespace talea::cli
