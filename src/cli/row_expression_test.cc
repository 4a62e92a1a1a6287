#include "cli/row_expression.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

constexpr Keyspace kPeople{200, AccessPattern::point, "people"};
constexpr Keyspace kVisits{201, AccessPattern::counter, "visits"};

// The first part of the value that the expression finds.
Result<std::optional<Element>> Find(const std::string& expression, const Row& row,
                                    const Keyspace& keyspace = kPeople) {
  auto finder = TALEA_TRY(RowFinder::Make(keyspace, {.value = {expression}, .document = "key"}));
  FoundEntry found = TALEA_TRY(finder.Find(row));
  EXPECT_EQ(found.document, Element(Bytes(row.key)));
  return found.value.at(0);
}

TEST(RowExpression, IsAllOfAKeyOrAValue) {
  EXPECT_EQ(Find("key", {"ada", "x"}), Element(Bytes("ada")));
  EXPECT_EQ(Find("value", {"ada", "x"}), Element(Bytes("x")));
}

TEST(RowExpression, IsAnElementOfATuple) {
  const std::string packed = Pack({"de", 42}).value();
  EXPECT_EQ(Find("key:1", {packed, ""}), Element("de"));
  EXPECT_EQ(Find("value:2", {"x", packed}), Element(42));
  EXPECT_EQ(Find("key:3", {packed, ""}), std::nullopt);
  const auto wrong = Find("key:1", {"\xff", ""});
  ASSERT_ERROR(wrong, ErrorCode::invalid_argument);
  EXPECT_THAT(wrong.error().message(),
              HasSubstr(R"(keyspace "people", key "\xff": key: expected a packed tuple)"));
}

TEST(RowExpression, IsAFieldOfJson) {
  const Row row{"ada", R"({"address":{"city":"London"},"age":36})"};
  EXPECT_EQ(Find("json:address.city", row), Element("London"));
  EXPECT_EQ(Find("json:name", row), std::nullopt);
  EXPECT_ERROR(Find("json:name", {"ada", "{"}), ErrorCode::invalid_argument);
}

TEST(RowExpression, IsFoundInAnyNumberOfRows) {
  auto finder = RowFinder::Make(kPeople, {.value = {"json:age"}, .document = "json:id"});
  ASSERT_OK(finder);
  for (int number = 0; number < 2000; ++number) {
    const std::string value = fmt::format(R"({{"id":"p{0}","tags":[1,2],"age":{0}}})", number);
    const auto found = finder->Find({"key", value});
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_EQ(found->value.at(0), Element(number));
    ASSERT_EQ(found->document, Element(Text(fmt::format("p{}", number))));
  }
}

TEST(RowExpression, IsANumberInACounter) {
  EXPECT_EQ(Find("value", {"/home", std::string_view("\x05\0\0\0\0\0\0\0", 8)}, kVisits),
            Element(5));
  EXPECT_ERROR(Find("value", {"/home", "abc"}, kVisits), ErrorCode::invalid_argument);
}

TEST(RowExpression, IsRefusedWhereItIsNone) {
  for (const char* text : {"", "keys", "key:", "key:0", "key:-1", "key:x", "value:1x", "json",
                           "json:", "json:a..b", "KEY"}) {
    EXPECT_ERROR(RowExpression::Parse("--value", text), ErrorCode::invalid_argument) << text;
  }
}

}  // namespace
}  // namespace talea::cli
