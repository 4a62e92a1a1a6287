#include "json/valid_utf8.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

TEST(ValidUtf8, KeepsEveryCharacterAndReplacesTheRest) {
  const std::string replacement = "\ufffd";
  EXPECT_EQ(ValidUtf8(""), "");
  EXPECT_EQ(ValidUtf8("größe\n\x01"), "größe\n\x01");
  EXPECT_EQ(ValidUtf8("aé€\xf0\x9f\x98\x80"), "aé€\xf0\x9f\x98\x80");
  EXPECT_EQ(ValidUtf8("a\xff"), "a" + replacement);
  EXPECT_EQ(ValidUtf8("\xc3"), replacement);                           // cut
  EXPECT_EQ(ValidUtf8("\xc0\xaf"), replacement + replacement);         // longer than needed
  EXPECT_EQ(ValidUtf8("\xed\xa0\x80").substr(0, 3), replacement);      // half of a pair
  EXPECT_EQ(ValidUtf8("\xf4\x90\x80\x80").substr(0, 3), replacement);  // beyond Unicode
  EXPECT_EQ(ValidUtf8("\xe2\x28\xa1"), replacement + "(" + replacement);
}

}  // namespace
}  // namespace talea
