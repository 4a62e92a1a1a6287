#include "talea/bytes.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace talea {
namespace {

using namespace std::string_literals;

// Short strings of few different bytes, so that prefixes, neighbours and equal ones are common.
rc::Gen<std::string> AnyKey() {
  return rc::gen::scale(0.1, rc::gen::container<std::string>(
                                 rc::gen::element<char>('\x00', '\x01', 'a', '\xfe', '\xff')));
}

TEST(Bytes, AreComparedUnsignedTheShorterFirst) {
  EXPECT_LT(ByteView("\x7f"), ByteView("\x80"));
  EXPECT_LT(ByteView("a"), ByteView("a\x00", 2));
  EXPECT_LT(ByteView(""), ByteView("\x00", 1));
}

TEST(PrefixSuccessor, RaisesTheLastByteThatCanBe) {
  EXPECT_EQ(PrefixSuccessor("a"), "b");
  EXPECT_EQ(PrefixSuccessor("az\xff\xff"), "a{");
  EXPECT_EQ(PrefixSuccessor("\x7f"), "\x80");
  EXPECT_EQ(PrefixSuccessor("a\x00"s), "a\x01");
  EXPECT_EQ(PrefixSuccessor("\xfe\xff"), "\xff");
}

TEST(PrefixSuccessor, IsEmptyWhereNoKeyFollows) {
  EXPECT_EQ(PrefixSuccessor(""), "");
  EXPECT_EQ(PrefixSuccessor("\xff"), "");
  EXPECT_EQ(PrefixSuccessor("\xff\xff\xff"), "");
}

RC_GTEST_PROP(PrefixSuccessor, DividesTheKeysThatStartWithThePrefixFromThoseBeyond, ()) {
  const std::string prefix = *AnyKey();
  const std::string key = *AnyKey();
  const std::string successor = PrefixSuccessor(prefix);
  const bool within = key >= prefix && (successor.empty() || key < successor);
  RC_ASSERT(within == key.starts_with(prefix));
}

RC_GTEST_PROP(KeySuccessor, HasNoKeyBetween, ()) {
  const std::string key = *AnyKey();
  const std::string other = *AnyKey();
  const std::string successor = KeySuccessor(key);
  RC_ASSERT(successor > key);
  RC_ASSERT((other > key) == (other >= successor));
}

TEST(Quoted, LeavesPrintableBytesAndEscapesOthers) {
  EXPECT_EQ(Quoted(""), R"("")");
  EXPECT_EQ(Quoted("events row 7~"), R"("events row 7~")");
  EXPECT_EQ(Quoted("\x00\x1f\x7f\x80\xff"s), R"("\x00\x1f\x7f\x80\xff")");
  EXPECT_EQ(Quoted("a\"b\\c\n"), R"("a\"b\\c\x0a")");
}

TEST(Quoted, CutsLongBytesAndTellsHowManyThereAre) {
  const std::string shown(48, 'x');
  EXPECT_EQ(Quoted(shown), "\"" + shown + "\"");
  EXPECT_EQ(Quoted(shown + "y"), "\"" + shown + "\"... (49 bytes)");
}

RC_GTEST_PROP(Quoted, IsAlwaysPrintable, (std::string bytes)) {
  for (const char byte : Quoted(bytes)) RC_ASSERT((byte >= 0x20 && byte < 0x7f));
}

}  // namespace
}  // namespace talea
