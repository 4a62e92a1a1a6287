#include "histograms/tiling.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

namespace talea::histograms {
namespace {

using testing::ElementsAre, testing::IsEmpty;
using Upper = std::optional<std::string>;

constexpr auto kOpen = std::nullopt;

struct Bucket {
  std::string lower;
  Upper upper;
  std::optional<Span> whole = std::nullopt;
  bool ending = false;
};

Bucket Ending(std::string lower, Upper upper, Span whole) {
  return {std::move(lower), std::move(upper), std::move(whole), true};
}

Bucket Taking(std::string lower, Upper upper, Span whole) {
  return {std::move(lower), std::move(upper), std::move(whole), false};
}

std::vector<std::string> ProblemsOf(const std::vector<Bucket>& buckets) {
  std::vector<std::string> problems;
  const auto note = [&](const Status& status) {
    if (!status) problems.push_back(status.error().message());
  };
  Tiling tiling;
  for (const Bucket& bucket : buckets) {
    note(tiling.Add({bucket.lower, 0},
                    {.upper = bucket.upper, .ending = bucket.ending, .whole = bucket.whole}));
  }
  note(tiling.Finish());
  return problems;
}

TEST(Tiling, IsWellWhereEachBucketBeginsAtTheEndOfTheOneBefore) {
  EXPECT_THAT(ProblemsOf({{"", kOpen}}), IsEmpty());
  EXPECT_THAT(ProblemsOf({{"", "a"}, {"a", "m"}, {"m", kOpen}}), IsEmpty());
}

TEST(Tiling, IsWellWhereBucketsAreDividedOrUnited) {
  EXPECT_THAT(ProblemsOf({{"", "a"},
                          Ending("a", "m", {"a", "m"}),
                          Taking("a", "c", {"a", "m"}),
                          Taking("c", "m", {"a", "m"}),
                          {"m", kOpen}}),
              IsEmpty());
  EXPECT_THAT(ProblemsOf({Ending("", "a", {"", kOpen}), Taking("", kOpen, {"", kOpen}),
                          Ending("a", "m", {"", kOpen}), Ending("m", kOpen, {"", kOpen})}),
              IsEmpty());
  EXPECT_THAT(ProblemsOf({Ending("", "m", {"", "m"}), Taking("", "m", {"", "m"}),
                          Ending("m", kOpen, {"m", kOpen}), Taking("m", kOpen, {"m", kOpen})}),
              IsEmpty());
}

TEST(Tiling, FindsGapsAndOverlaps) {
  EXPECT_THAT(ProblemsOf({{"", "a"}, {"b", kOpen}}),
              ElementsAre("bucket: expected to begin at \"a\", where the one before ends, found "
                          "\"b\""));
  EXPECT_THAT(ProblemsOf({{"", "m"}, {"a", "m"}, {"m", kOpen}}),
              ElementsAre("bucket: expected to begin at \"m\", where the one before ends, found "
                          "\"a\""));
  EXPECT_THAT(ProblemsOf({{"", kOpen}, {"a", kOpen}}),
              ElementsAre("bucket: expected none behind one without an upper boundary, found "
                          "\"a\""));
  EXPECT_THAT(ProblemsOf({{"", "a"}, {"a", "a"}, {"a", kOpen}}),
              ElementsAre("bucket: expected an upper boundary after \"a\", found \"a\""));
}

TEST(Tiling, FindsWhatTheEndsLack) {
  EXPECT_THAT(ProblemsOf({{"a", kOpen}}),
              ElementsAre("bucket: expected to begin at \"\", where the one before ends, found "
                          "\"a\""));
  EXPECT_THAT(ProblemsOf({{"", "a"}}),
              ElementsAre("last bucket: expected no upper boundary, found \"a\""));
}

TEST(Tiling, FindsAGroupThatIsNotCoveredTwice) {
  const Span whole{"", kOpen};
  EXPECT_THAT(ProblemsOf({Ending("", kOpen, whole), Taking("", "m", whole)}),
              ElementsAre("buckets that take their place: expected the last one to have the upper "
                          "boundary none, as the group has, found \"m\""));
  EXPECT_THAT(ProblemsOf({Taking("", "m", whole), Taking("m", kOpen, whole)}),
              ElementsAre("buckets that end: expected the last one to have the upper boundary "
                          "none, as the group has, found \"\""));
  EXPECT_THAT(
      ProblemsOf({Ending("", kOpen, whole), Taking("", "b", whole), Taking("c", kOpen, whole)}),
      ElementsAre("bucket of a group: expected to begin at \"b\", where the one before "
                  "ends, found \"c\""));
}

TEST(Tiling, FindsAGroupThatLiesWhereItDoesNotBelong) {
  EXPECT_THAT(
      ProblemsOf({{"", "b"}, Ending("a", kOpen, {"a", kOpen}), Taking("a", kOpen, {"a", kOpen})}),
      ElementsAre("group of buckets: expected to begin at \"b\", where the one before "
                  "ends, found \"a\""));
  EXPECT_THAT(
      ProblemsOf({Ending("", "m", {"", "m"}), {"m", kOpen}}),
      ElementsAre("buckets that take their place: expected the last one to have the upper boundary "
                  "\"m\", as the group has, found \"\""));
}

}  // namespace
}  // namespace talea::histograms
