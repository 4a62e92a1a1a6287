#include "talea/chain_types.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::HasSubstr;

const std::string kDigits = "00112233445566778899aabbccddeeff0123456789abcdef0f1e2d3c4b5a6978";

Bytes32 SomeHash() { return Bytes32::Parse(kDigits).value(); }

TEST(Bytes32, AreThirtyTwoAndNeitherPaddedNorCut) {
  const std::string bytes(32, 'x');
  EXPECT_EQ(ASSERT_VALUE(Bytes32::From(bytes)).view(), bytes);
  for (const std::size_t size : {0, 1, 31, 33, 64}) {
    const Result<Bytes32> found = Bytes32::From(std::string(size, 'x'));
    ASSERT_ERROR(found, ErrorCode::invalid_argument);
    EXPECT_THAT(found.error().message(), HasSubstr("found " + std::to_string(size)));
  }
}

TEST(Bytes32, AreReadFromDigitsOfEitherCaseAndWrittenInLowerCase) {
  EXPECT_EQ(SomeHash().ToString(), kDigits);
  std::string upper = kDigits;
  for (char& c : upper) c = static_cast<char>(std::toupper(c));
  EXPECT_EQ(ASSERT_VALUE(Bytes32::Parse(upper)), SomeHash());
}

TEST(Bytes32, AreNotReadFromAnythingElse) {
  for (const std::string& text :
       {std::string(), kDigits.substr(1), kDigits + "0", kDigits.substr(2) + "0x",
        " " + kDigits.substr(1), kDigits.substr(1) + "g", kDigits.substr(1) + "-"}) {
    EXPECT_ERROR(Bytes32::Parse(text), ErrorCode::invalid_argument) << text;
  }
}

TEST(Bytes32, SortAsTheirBytesDo) {
  EXPECT_LT(ASSERT_VALUE(Bytes32::From(std::string(32, '\x7f'))),
            ASSERT_VALUE(Bytes32::From(std::string(32, '\x80'))));
}

TEST(ChainPoint, IsReadAsItIsWritten) {
  const std::map<std::string, ChainPoint> points{
      {"origin", ChainPoint::Origin()},
      {"0", ChainPoint::AtSlot(0)},
      {"4492800", ChainPoint::AtSlot(4492800)},
      {"18446744073709551615", ChainPoint::AtSlot(~std::uint64_t{0})},
      {"4492800." + kDigits, ChainPoint::Of(4492800, SomeHash())},
  };
  for (const auto& [text, point] : points) {
    EXPECT_EQ(point.ToString(), text);
    EXPECT_EQ(ASSERT_VALUE(ChainPoint::Parse(text)), point);
  }
}

TEST(ChainPoint, IsNotReadFromAnythingElse) {
  for (const std::string& text :
       {std::string(), std::string("Origin"), std::string("origin."), std::string("-1"),
        std::string("+1"), std::string(" 1"), std::string("1 "), std::string("1."),
        std::string("18446744073709551616"), "." + kDigits, "1." + kDigits + "0",
        "1." + kDigits.substr(1), "1.2." + kDigits, "1#" + kDigits}) {
    const Result<ChainPoint> found = ChainPoint::Parse(text);
    ASSERT_ERROR(found, ErrorCode::invalid_argument) << text;
    EXPECT_THAT(found.error().message(), HasSubstr("found " + Quoted(text)));
  }
}

TEST(Cursor, IsDescribedByItsPointOrAsNone) {
  EXPECT_EQ(Describe(Cursor()), "none");
  EXPECT_EQ(Describe(Cursor(ChainPoint::Origin())), "origin");
  EXPECT_EQ(Describe(Cursor(ChainPoint::AtSlot(7))), "7");
}

TEST(OutputReference, IsReadAsItIsWritten) {
  for (const std::uint32_t index : {0u, 7u, ~0u}) {
    const OutputReference reference{SomeHash(), index};
    EXPECT_EQ(reference.ToString(), kDigits + "#" + std::to_string(index));
    EXPECT_EQ(ASSERT_VALUE(OutputReference::Parse(reference.ToString())), reference);
  }
}

TEST(OutputReference, IsNotReadFromAnythingElse) {
  for (const std::string& text : {std::string(), kDigits, kDigits + "#", kDigits + "#-1",
                                  kDigits + "#x", kDigits + "#4294967296", kDigits + "##1",
                                  kDigits + ".1", kDigits.substr(1) + "#1", "#" + kDigits}) {
    EXPECT_ERROR(OutputReference::Parse(text), ErrorCode::invalid_argument) << text;
  }
}

TEST(TagKind, HasANameAndIsFoundByIt) {
  for (const TagKind kind :
       {TagKind::address, TagKind::payment, TagKind::stake, TagKind::policy, TagKind::asset}) {
    EXPECT_EQ(ASSERT_VALUE(ParseTagKind(Name(kind))), kind);
  }
  EXPECT_EQ(Name(TagKind::policy), "policy");
  const Result<TagKind> unknown = ParseTagKind("colour");
  ASSERT_ERROR(unknown, ErrorCode::invalid_argument);
  EXPECT_EQ(unknown.error().message(),
            "kind of tag: expected address, payment, stake, policy, asset, found \"colour\"");
}

TEST(OutputValue, IsAnEraAndTheRest) {
  const OutputValue value = ASSERT_VALUE(OutputValue::FromStored(std::string("\x80\x06\xa1", 3)));
  EXPECT_EQ(value.era(), 0x8006);
  EXPECT_EQ(value.cbor(), "\xa1");
  EXPECT_EQ(ASSERT_VALUE(OutputValue::FromStored(std::string("\0\1", 2))).cbor(), "");
  EXPECT_ERROR(OutputValue::FromStored(""), ErrorCode::corruption);
  EXPECT_ERROR(OutputValue::FromStored("x"), ErrorCode::corruption);
}

}  // namespace
}  // namespace talea
