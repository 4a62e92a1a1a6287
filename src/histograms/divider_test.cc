#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "histograms/learned.h"

namespace talea::histograms {
namespace {

using ::testing::ElementsAre;
using Part = Divider::Part;

std::string Value(std::string_view text) { return Pack({Text(text)}).value(); }
std::string Beginning(std::string_view text) { return std::string("\x02").append(text); }
std::string Behind(std::string_view text) { return Value(text) + '\xff'; }

// So many entries of the value; returns what was said of the last.
bool AddSome(Divider& divider, std::string_view text, int entries) {
  bool heavy = false;
  for (int i = 0; i < entries; ++i) heavy = divider.Add(Value(text));
  return heavy;
}

constexpr std::uint64_t kTarget = 4;
constexpr std::uint64_t kHeavy = 3;

TEST(Divider, LeavesABucketWholeThatHasFewEntries) {
  Divider divider("low", kTarget, kHeavy);
  for (const auto* text : {"a", "b", "c", "d"}) divider.Add(Value(text));
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"low", 4}));
}

TEST(Divider, LeavesAnEmptyBucketWhole) {
  EXPECT_THAT(Divider("low", kTarget, kHeavy).Finish(), ElementsAre(Part{"low", 0}));
}

TEST(Divider, DividesWhereTheTargetIsReachedAtTheShortestBytes) {
  Divider divider("", kTarget, kHeavy);
  for (const auto* text : {"aa", "ab", "ac", "ad", "bx", "by", "caaa", "cbbb", "ccc", "cdd"}) {
    divider.Add(Value(text));
  }
  EXPECT_THAT(divider.Finish(),
              ElementsAre(Part{"", 4}, Part{Beginning("b"), 4}, Part{Beginning("cc"), 2}));
}

TEST(Divider, NeverDividesTheEntriesOfOneValue) {
  Divider divider("", kTarget, kHeavy);
  AddSome(divider, "a", 3);
  AddSome(divider, "b", 3);
  AddSome(divider, "c", 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 6}, Part{Beginning("c"), 1}));
}

TEST(Divider, GivesAHeavyValueAPartOfItsOwn) {
  Divider divider("", kTarget, kHeavy);
  AddSome(divider, "a", 2);
  AddSome(divider, "b", 5);
  AddSome(divider, "c", 2);
  EXPECT_THAT(divider.Finish(),
              ElementsAre(Part{"", 2}, Part{Value("b"), 5}, Part{Behind("b"), 2}));
}

TEST(Divider, SaysOfAValueThatItIsHeavyOnceItIsKnown) {
  Divider divider("", kTarget, kHeavy);
  EXPECT_FALSE(AddSome(divider, "a", 3));
  EXPECT_FALSE(AddSome(divider, "b", 3));
  EXPECT_TRUE(AddSome(divider, "b", 1));
  EXPECT_TRUE(AddSome(divider, "b", 1));
  EXPECT_FALSE(AddSome(divider, "c", 1));
}

TEST(Divider, MakesNoEmptyPartInFrontOfAHeavyValue) {
  Divider divider("low", kTarget, kHeavy);
  AddSome(divider, "b", 4);
  AddSome(divider, "c", 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"low", 4}, Part{Behind("b"), 1}));
}

TEST(Divider, MakesNoEmptyPartBehindAHeavyValue) {
  Divider divider("", kTarget, kHeavy);
  AddSome(divider, "a", 1);
  AddSome(divider, "b", 4);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 1}, Part{Value("b"), 4}));
}

TEST(Divider, MakesNoEmptyPartBetweenHeavyValues) {
  Divider divider("", kTarget, kHeavy);
  AddSome(divider, "a", 1);
  AddSome(divider, "b", 4);
  AddSome(divider, "c", 4);
  AddSome(divider, "d", 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 1}, Part{Value("b"), 4}, Part{Behind("b"), 4},
                                            Part{Behind("c"), 1}));
}

TEST(Divider, BeginsAHeavyValuesPartWithItWhereTheOneInFrontHadJustEnded) {
  Divider divider("", kTarget, kHeavy);
  for (const auto* text : {"aa", "ab", "ac", "ad"}) divider.Add(Value(text));
  AddSome(divider, "bbb", 4);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 4}, Part{Value("bbb"), 4}));
}

TEST(Divider, LeavesABucketWholeThatHasOneHeavyValue) {
  Divider divider(Value("a"), kTarget, kHeavy);
  AddSome(divider, "a", 100);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{Value("a"), 100}));
}

std::string Long(char last) { return std::string(kLongestBoundary, 'x') + last; }

TEST(Divider, GoesOnWhereABoundaryWouldBeTooLong) {
  Divider divider("", kTarget, kHeavy);
  for (const char last : {'a', 'b', 'c', 'd', 'e', 'f'}) divider.Add(Value(Long(last)));
  for (const auto* text : {"y", "z"}) divider.Add(Value(text));
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 6}, Part{Beginning("y"), 2}));
}

TEST(Divider, UsesABoundaryOfTheGreatestLength) {
  // The type code, and what the values have in common with the first byte that differs.
  const std::string common(kLongestBoundary - 2, 'x');
  Divider divider("", kTarget, kHeavy);
  for (const char last : {'a', 'b', 'c', 'd', 'e'}) divider.Add(Value(common + last));
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 4}, Part{Beginning(common + 'e'), 1}));
}

TEST(Divider, HasNoExactPartForAHeavyValueThatIsTooLong) {
  Divider divider("", kTarget, kHeavy);
  AddSome(divider, "a", 1);
  AddSome(divider, Long('a'), 4);
  AddSome(divider, "y", 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 5}, Part{Beginning("y"), 1}));
}

TEST(Divider, BeginsAPartWithAHeavyValueOfTheGreatestLength) {
  // With its type code and its end; the bytes right behind it are too long.
  const std::string text(kLongestBoundary - 2, 'x');
  Divider divider("", kTarget, kHeavy);
  for (const auto* before : {"a", "b", "c", "d"}) divider.Add(Value(before));
  AddSome(divider, text, 4);
  AddSome(divider, "y", 1);
  EXPECT_THAT(divider.Finish(),
              ElementsAre(Part{"", 4}, Part{Value(text), 4}, Part{Beginning("y"), 1}));
}

TEST(Divider, EndsAPartBehindAHeavyValueThatIsTooLongBeforeTheTarget) {
  Divider divider("", 100, kHeavy);
  AddSome(divider, Long('a'), 4);
  AddSome(divider, "y", 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 4}, Part{Beginning("y"), 1}));
}

TEST(Divider, KeepsAShortBoundaryInFrontOfAHeavyValueThatIsTooLong) {
  Divider divider("", kTarget, kHeavy);
  for (const auto* text : {"a", "b", "c", "d"}) divider.Add(Value(text));
  AddSome(divider, Long('a'), 4);
  AddSome(divider, Long('b'), 1);
  EXPECT_THAT(divider.Finish(), ElementsAre(Part{"", 4}, Part{Beginning("x"), 5}));
}

}  // namespace
}  // namespace talea::histograms
