#include "json/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace talea {
namespace {

TEST(Json, WritesObjectsAndArrays) {
  EXPECT_EQ(JsonObject().text(), "{}");
  EXPECT_EQ(JsonArray().text(), "[]");
  EXPECT_EQ(JsonObject()
                .Add("rows", JsonArray().Add(1).Add("two").Add(nullptr).Add(true))
                .Add("more", JsonObject().Add("a", 0.5))
                .text(),
            R"({"rows":[1,"two",null,true],"more":{"a":0.5}})");
}

TEST(Json, KeepsEveryDigitOfANumber) {
  EXPECT_EQ(Json(std::numeric_limits<std::uint64_t>::max()).text(), "18446744073709551615");
  EXPECT_EQ(Json(std::numeric_limits<std::int64_t>::min()).text(), "-9223372036854775808");
  EXPECT_EQ(Json(0.1).text(), "0.1");
  EXPECT_EQ(Json(1e300).text(), "1e+300");
  EXPECT_EQ(Json(std::numeric_limits<double>::infinity()).text(), "null");
}

TEST(Json, EscapesText) {
  EXPECT_EQ(Json("a\"b\\c\n\x01").text(), R"("a\"b\\c\n\u0001")");
  EXPECT_EQ(Json("größe").text(), "\"größe\"");
  EXPECT_EQ(Json(std::string("\0\x7f", 2)).text(), R"("\u0000\u007f")");
  EXPECT_EQ(Json("\xff").text(), "\"\ufffd\"");
  EXPECT_EQ(JsonObject().Add("a\"\xff", 1).text(), "{\"a\\\"\ufffd\":1}");
}

TEST(ErrorJson, HasACodeAMessageAndPerhapsAHint) {
  EXPECT_EQ(ErrorJson("closed", "no \"x\"").text(),
            R"({"error":{"code":"closed","message":"no \"x\""}})");
  EXPECT_EQ(ErrorJson("a", "b", "c").text(), R"({"error":{"code":"a","message":"b","hint":"c"}})");
}

}  // namespace
}  // namespace talea
