#include "server/url.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

TEST(ParseTarget, DividesThePathBeforeItDecodes) {
  const Target target = ASSERT_VALUE(ParseTarget("/v1/a%2Fb/%C3%A9"));
  EXPECT_THAT(target.segments, ElementsAre("v1", "a/b", "é"));
  EXPECT_EQ(target.path, "/v1/a/b/é");
  EXPECT_THAT(target.query, IsEmpty());
}

TEST(ParseTarget, KeepsEmptySegments) {
  EXPECT_THAT(ASSERT_VALUE(ParseTarget("/")).segments, ElementsAre(""));
  EXPECT_THAT(ASSERT_VALUE(ParseTarget("//a/")).segments, ElementsAre("", "a", ""));
}

TEST(ParseTarget, ReadsTheQuery) {
  EXPECT_THAT(ASSERT_VALUE(ParseTarget("/a?x=1&y=a%26b+c&&z#part")).query,
              ElementsAre(Pair("x", "1"), Pair("y", "a&b c"), Pair("z", "")));
}

TEST(ParseTarget, TakesAWholeUrlAsProxiesSendIt) {
  const Target target = ASSERT_VALUE(ParseTarget("http://localhost:1/v1?x=1"));
  EXPECT_EQ(target.path, "/v1");
  EXPECT_THAT(target.query, ElementsAre(Pair("x", "1")));
  EXPECT_EQ(ASSERT_VALUE(ParseTarget("http://localhost")).path, "/");
  EXPECT_THAT(ASSERT_VALUE(ParseTarget("http://localhost?x")).query, ElementsAre(Pair("x", "")));
}

TEST(ParseTarget, TakesTheStarOfOptions) {
  EXPECT_EQ(ASSERT_VALUE(ParseTarget("*")).path, "*");
  EXPECT_THAT(ASSERT_VALUE(ParseTarget("*")).segments, IsEmpty());
}

TEST(ParseTarget, RefusesWhatIsNoPath) {
  for (const char* target : {"", "a", "localhost:80", "ftp://a/b", "?a"}) {
    EXPECT_ERROR(ParseTarget(target), ErrorCode::invalid_argument) << target;
  }
}

TEST(ParseQuery, RefusesMoreFieldsThanTheLimit) {
  std::string query;
  for (std::size_t field = 0; field < kMaxQueryFields; ++field) query += "a=1&";
  EXPECT_EQ(ASSERT_VALUE(ParseQuery(query)).size(), kMaxQueryFields);
  EXPECT_ERROR(ParseQuery(query + "a"), ErrorCode::invalid_argument);
}

TEST(PercentDecode, RefusesAnUnfinishedCodeAndQuotesIt) {
  for (const char* text : {"%", "a%2", "%g0", "%0g", "%%41"}) {
    EXPECT_ERROR(PercentDecode(text), ErrorCode::invalid_argument) << text;
  }
  EXPECT_THAT(PercentDecode("50%zz1").error().message(), HasSubstr("\"%zz\""));
}

TEST(PercentDecode, GivesAnyByteInEitherCase) {
  EXPECT_EQ(ASSERT_VALUE(PercentDecode("%00%fF+")), std::string("\0\xff+", 3));
}

RC_GTEST_PROP(PercentEncode, IsUndoneByDecoding, (const std::string& bytes)) {
  RC_ASSERT(PercentDecode(PercentEncode(bytes)).value() == bytes);
}

}  // namespace
}  // namespace talea
