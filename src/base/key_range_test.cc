#include "talea/key_range.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using namespace std::string_literals;

rc::Gen<std::string> AnyKey() {
  return rc::gen::scale(0.1, rc::gen::container<std::string>(
                                 rc::gen::element<char>('\x00', '\x01', 'a', '\xfe', '\xff')));
}

KeyRange AnyRange() {
  std::string begin = *AnyKey();
  std::string end = *AnyKey();
  switch (*rc::gen::inRange(0, 6)) {
    case 0:
      return KeyRange::All();
    case 1:
      return KeyRange::From(begin);
    case 2:
      return KeyRange::Before(end);
    case 3:
      return KeyRange::Prefix(begin);
    case 4:
      return KeyRange::Single(begin);
    default:
      return *KeyRange::Make(std::min(begin, end), std::max(begin, end));
  }
}

TEST(KeyRange, InvertedIsRefusedWithBothEndsNamed) {
  const Result<KeyRange> range = KeyRange::Make("b", "a\xff");
  ASSERT_ERROR(range, ErrorCode::invalid_argument);
  EXPECT_NE(range.error().message().find(R"("b")"), std::string::npos) << range.error();
  EXPECT_NE(range.error().message().find(R"("a\xff")"), std::string::npos) << range.error();
  EXPECT_ERROR(KeyRange::Make("a", ""), ErrorCode::invalid_argument);
}

TEST(KeyRange, WithEqualEndsIsEmpty) {
  const KeyRange range = ASSERT_VALUE(KeyRange::Make("a", "a"));
  EXPECT_TRUE(range.empty());
  EXPECT_FALSE(range.Contains("a"));
  EXPECT_TRUE(KeyRange::Before("").empty());
}

TEST(KeyRange, OfAllReachesTheLastKeyWhateverItIs) {
  EXPECT_FALSE(KeyRange::All().empty());
  EXPECT_TRUE(KeyRange::All().Contains(""));
  EXPECT_TRUE(KeyRange::All().Contains(std::string(1000, '\xff')));
  EXPECT_EQ(KeyRange::All().end(), std::nullopt);
}

TEST(KeyRange, OfAPrefixOfOnlyHighBytesReachesTheEnd) {
  const KeyRange range = KeyRange::Prefix("\xff\xff");
  EXPECT_EQ(range.end(), std::nullopt);
  EXPECT_TRUE(range.Contains("\xff\xff\xff\xff"));
  EXPECT_FALSE(range.Contains("\xff\xfe"));
  EXPECT_EQ(KeyRange::Prefix(""), KeyRange::All());
}

RC_GTEST_PROP(KeyRange, OfAPrefixHoldsWhatStartsWithIt, ()) {
  const std::string prefix = *AnyKey();
  const std::string key = *AnyKey();
  RC_ASSERT(KeyRange::Prefix(prefix).Contains(key) == key.starts_with(prefix));
}

RC_GTEST_PROP(KeyRange, OfASingleKeyHoldsThatOneOnly, ()) {
  const std::string single = *AnyKey();
  const std::string key = *AnyKey();
  RC_ASSERT(KeyRange::Single(single).Contains(key) == (key == single));
  RC_ASSERT(KeyRange::Single(single).Contains(single));
}

RC_GTEST_PROP(KeyRange, IsDividedAtAKeyIntoWhatLiesBeforeAndWhatDoesNot, ()) {
  const KeyRange range = AnyRange();
  const std::string cut = *AnyKey();
  const std::string key = *AnyKey();
  RC_ASSERT((range.StartingAt(cut).Contains(key) == (range.Contains(key) && key >= cut)));
  RC_ASSERT((range.EndingAt(cut).Contains(key) == (range.Contains(key) && key < cut)));
}

RC_GTEST_PROP(KeyRange, IsNeverInverted, ()) {
  const KeyRange range = AnyRange();
  const std::string cut = *AnyKey();
  for (const KeyRange& part : {range, range.StartingAt(cut), range.EndingAt(cut)}) {
    RC_ASSERT((!part.end() || part.begin() <= *part.end()));
    RC_ASSERT(part.begin() >= range.begin());
    RC_ASSERT((!range.end() || (part.end() && *part.end() <= *range.end())));
  }
}

RC_GTEST_PROP(KeyRange, ThatIsEmptyHoldsNoKeyAndAnyOtherHoldsItsBegin, ()) {
  const KeyRange range = AnyRange();
  RC_ASSERT(range.Contains(range.begin()) == !range.empty());
  if (range.empty()) RC_ASSERT(!range.Contains(*AnyKey()));
}

TEST(KeyRange, IsPrintedForPeople) {
  EXPECT_EQ(KeyRange::All().ToString(), R"(["", end))");
  EXPECT_EQ(KeyRange::Prefix("a\x01").ToString(), R"(["a\x01", "a\x02"))");
}

}  // namespace
}  // namespace talea
