#include "cli/bytes_argument.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace talea::cli {
namespace {

TEST(BytesArgument, IsTextOrHexadecimalDigits) {
  EXPECT_EQ(ParseBytes("/home").value(), "/home");
  EXPECT_EQ(ParseBytes("").value(), "");
  EXPECT_EQ(ParseBytes("0x").value(), "");
  EXPECT_EQ(ParseBytes("0x00fF").value(), std::string("\x00\xff", 2));
}

TEST(BytesArgument, RefusesWhatIsNoPairOfDigits) {
  for (const char* argument : {"0x1", "0xzz", "0x12-3", "0x 1", "0x+1"}) {
    const Result<std::string> bytes = ParseBytes(argument);
    ASSERT_FALSE(bytes) << argument;
    EXPECT_EQ(bytes.error().code(), ErrorCode::invalid_argument);
  }
  EXPECT_EQ(ParseBytes("0x12-3").error().message(),
            "\"0x12-3\": expected pairs of hexadecimal digits after 0x, found \"-3\" at digit 3; "
            "text that begins with 0x is written in digits too");
}

TEST(BytesArgument, ShowsTextWhereAPersonCanReadIt) {
  EXPECT_EQ(BytesArgument("größe"), "größe");
  EXPECT_EQ(BytesArgument("a\n"), "0x610a");
  EXPECT_EQ(BytesArgument("\xff"), "0xff");
  EXPECT_EQ(BytesArgument("0x12"), "0x30783132");
}

TEST(HexDigits, AreReadInPairsAlone) {
  EXPECT_EQ(ParseHexDigits("").value(), "");
  EXPECT_EQ(ParseHexDigits("00fF").value(), std::string("\x00\xff", 2));
  EXPECT_EQ(HexDigits(std::string("\x00\xff", 2)), "00ff");
  EXPECT_EQ(ParseHexDigits("0x12").error().message(),
            "expected pairs of hexadecimal digits, found \"0x\" at digit 1");
  EXPECT_EQ(ParseHexDigits("123").error().message(),
            "expected pairs of hexadecimal digits, found \"3\" at digit 3");
}

RC_GTEST_PROP(BytesArgument, GivesTheSameBytesAgain, (const std::string& bytes)) {
  RC_ASSERT(ParseBytes(BytesArgument(bytes)).value() == bytes);
}

}  // namespace
}  // namespace talea::cli
