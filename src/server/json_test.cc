#include "server/json.h"

#include <gtest/gtest.h>

#include <limits>

#include "server/utf8.h"

namespace talea {
namespace {

TEST(JsonWriter, SetsCommasBetweenValuesAlone) {
  JsonWriter json;
  json.BeginObject().Key("a").BeginArray().Number(1).Number(-2).EndArray();
  json.Key("b").BeginObject().EndObject().Key("c").Bool(true).Key("d").Null().EndObject();
  EXPECT_EQ(json.Take(), R"({"a":[1,-2],"b":{},"c":true,"d":null})");
}

TEST(JsonWriter, EscapesWhatWouldEndAString) {
  JsonWriter json;
  json.String(std::string("a\"b\\c\n\0", 7));
  EXPECT_EQ(json.Take(), R"("a\"b\\c\u000a\u0000")");
}

TEST(JsonWriter, ReplacesBytesThatAreNoText) {
  JsonWriter json;
  json.String(
      "a\xff"
      "é");
  EXPECT_EQ(json.Take(), "\"a\xef\xbf\xbdé\"");
}

TEST(JsonWriter, WritesNumbersThatReadBackTheSame) {
  JsonWriter json;
  json.BeginArray().Number(0.1).Number(1e300).Number(std::numeric_limits<double>::infinity());
  json.Number(std::numeric_limits<std::uint64_t>::max()).EndArray();
  EXPECT_EQ(json.Take(), "[0.1,1e+300,null,18446744073709551615]");
}

TEST(ErrorJson, HasACodeAndAMessage) {
  EXPECT_EQ(ErrorJson("closed", "no \"x\""),
            "{\"error\":{\"code\":\"closed\",\"message\":\"no \\\"x\\\"\"}}\n");
}

TEST(ValidUtf8, KeepsEveryCharacterAndReplacesTheRest) {
  const std::string replacement = "\xef\xbf\xbd";
  EXPECT_EQ(ValidUtf8("aé€\xf0\x9f\x98\x80"), "aé€\xf0\x9f\x98\x80");
  EXPECT_EQ(ValidUtf8("\xc3"), replacement);                           // cut
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), replacement + replacement);         // longer than needed
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80").substr(0, 3), replacement);      // half of a pair
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80").substr(0, 3), replacement);  // beyond Unicode
  EXPECT_EQ(ValidUtf8("\xe2\x28\xa1"), replacement + "(" + replacement);
}

}  // namespace
}  // namespace talea
