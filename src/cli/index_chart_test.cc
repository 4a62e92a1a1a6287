#include "cli/index_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

namespace talea::cli {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

std::vector<std::string> Shown(const std::vector<Element>& elements) {
  std::vector<std::string> shown;
  for (const Element& element : elements) shown.push_back(element.ToString());
  return shown;
}

std::vector<std::string> Shown(const std::vector<Bar>& bars) {
  std::vector<std::string> shown;
  for (const Bar& bar : bars) shown.push_back(bar.label + " " + bar.text);
  return shown;
}

// Buckets that begin with nothing, "b", "c" and so on.
std::vector<IndexBucket> Buckets(const std::vector<std::int64_t>& counts) {
  std::vector<IndexBucket> buckets;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto lower = [](std::size_t place) {
      const std::string letter(1, static_cast<char>('a' + place));
      return Pack({Text(letter)}).value();
    };
    buckets.push_back({.lower = i == 0 ? "" : lower(i),
                       .upper = i + 1 == counts.size() ? std::nullopt : std::optional(lower(i + 1)),
                       .count = counts[i]});
  }
  return buckets;
}

TEST(EqualSpans, OfIntegersBeginWithIntegers) {
  EXPECT_THAT(Shown(EqualSpans(0, 9, 5)), ElementsAre("0", "2", "4", "6", "8"));
  EXPECT_THAT(Shown(EqualSpans(0, 10, 5)), ElementsAre("0", "3", "6", "9"));
  EXPECT_THAT(Shown(EqualSpans(-1, 1, 20)), ElementsAre("-1", "0", "1"));
}

TEST(EqualSpans, ReachOverAllIntegers) {
  const auto spans = EqualSpans(std::numeric_limits<std::int64_t>::min(),
                                std::numeric_limits<std::int64_t>::max(), 20);
  ASSERT_THAT(spans, SizeIs(20));
  EXPECT_TRUE(std::ranges::is_sorted(spans));
  EXPECT_EQ(spans.front(), Element(std::numeric_limits<std::int64_t>::min()));
}

TEST(EqualSpans, OfDoublesDivideTheirDistance) {
  EXPECT_THAT(Shown(EqualSpans(0.0, 1.0, 4)), ElementsAre("0.0", "0.25", "0.5", "0.75"));
  EXPECT_THAT(EqualSpans(-1e308, 1e308, 20), SizeIs(20));
}

TEST(EqualSpans, AreOfNumbersOfOneKindAlone) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(EqualSpans(1, 2.0, 20).empty());
  EXPECT_TRUE(EqualSpans("a", "b", 20).empty());
  EXPECT_TRUE(EqualSpans(1, 1, 20).empty());
  EXPECT_TRUE(EqualSpans(0.0, infinity, 20).empty());
  EXPECT_TRUE(EqualSpans(-infinity, infinity, 20).empty());
}

TEST(JoinedBuckets, HaveAboutEqualShares) {
  EXPECT_THAT(Shown(JoinedBuckets(Buckets({1, 1, 1, 1, 1, 1, 1, 1}), 4)),
              ElementsAre("the first 4", "\"e\" 4"));
}

TEST(JoinedBuckets, LeaveALargeOneAlone) {
  EXPECT_THAT(Shown(JoinedBuckets(Buckets({1, 1, 100, 1, 1}), 10)),
              ElementsAre("the first 2", "\"c\" 100", "\"d\" 2"));
}

TEST(JoinedBuckets, AreNotMoreThanAskedFor) {
  for (std::size_t most = 2; most < 20; ++most) {
    const auto bars =
        JoinedBuckets(Buckets({5, 1, 90, 7, 3, 60, 2, 2, 2, 8, 9, 70, 1, 1, 1, 1, 40}), most);
    EXPECT_LE(bars.size(), most + 1);
    double total = 0;
    for (const Bar& bar : bars) total += bar.value;
    EXPECT_EQ(total, 303);
  }
}

TEST(JoinedBuckets, AreNoneOfNone) { EXPECT_TRUE(JoinedBuckets({}, 20).empty()); }

TEST(JoinedBuckets, NameAValueThatHasABucketOfItsOwn) {
  const std::string lower = Pack({"x"}).value();
  const IndexBucket bucket{.lower = lower, .upper = lower + '\xff', .count = 3};
  EXPECT_THAT(Shown(JoinedBuckets(std::span(&bucket, 1), 20)), ElementsAre("= \"x\" 3"));
}

}  // namespace
}  // namespace talea::cli
