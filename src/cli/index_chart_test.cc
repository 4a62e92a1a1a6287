#include "cli/index_chart.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
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

TEST(EqualSpans, BeginWithRoundNumbers) {
  EXPECT_THAT(Shown(EqualSpans(0, 9, 5)), ElementsAre("0", "2", "4", "6", "8"));
  EXPECT_THAT(Shown(EqualSpans(3, 114, 20)),
              ElementsAre("0", "10", "20", "30", "40", "50", "60", "70", "80", "90", "100", "110"));
  EXPECT_THAT(Shown(EqualSpans(-1, 1, 20)), ElementsAre("-1", "0", "1"));
  EXPECT_THAT(Shown(EqualSpans(-7, 7, 4)), ElementsAre("-10", "-5", "0", "5"));
  EXPECT_THAT(Shown(EqualSpans(0.1, 0.95, 5)), ElementsAre("0.0", "0.2", "0.4", "0.6", "0.8"));
  EXPECT_THAT(Shown(EqualSpans(-3.5, 11.0, 4)), ElementsAre("-5.0", "0.0", "5.0", "10.0"));
}

TEST(EqualSpans, ReachOverAllIntegers) {
  constexpr auto least = std::numeric_limits<std::int64_t>::min();
  constexpr auto greatest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [first, last] : {std::pair{least, greatest},
                                    {least, least + 1},
                                    {greatest - 1, greatest},
                                    {least, std::int64_t{-1}},
                                    {std::int64_t{0}, greatest}}) {
    const auto spans = EqualSpans(first, last, 20);
    ASSERT_FALSE(spans.empty());
    EXPECT_LE(spans.size(), 21u);
    EXPECT_TRUE(std::ranges::is_sorted(spans));
    EXPECT_LE(spans.front(), Element(first));
    EXPECT_LE(spans.back(), Element(last));
  }
}

RC_GTEST_PROP(EqualSpans, CoverWhatIsBetween, (std::int64_t first, std::int64_t last, bool whole)) {
  RC_PRE(first < last);
  const Element begin = whole ? Element(first) : Element(static_cast<double>(first) / 1000);
  const Element end = whole ? Element(last) : Element(static_cast<double>(last) / 1000);
  const auto spans = EqualSpans(begin, end, 20);
  if (spans.empty()) RC_DISCARD("too close to each other");
  RC_ASSERT(spans.size() <= 21u);
  RC_ASSERT(std::ranges::is_sorted(spans));
  RC_ASSERT(spans.front() <= begin);
  RC_ASSERT(spans.back() <= end);
}

TEST(EqualSpans, AreNoneWhereDoublesAreTooCloseOrTooFar) {
  EXPECT_TRUE(EqualSpans(1e15, 1e15 + 1, 20).empty());
  for (const auto& [first, last] : {std::pair{-1e308, 1e308}, {5e-324, 1e-323}, {1e-300, 2e-300}}) {
    const auto spans = EqualSpans(first, last, 20);
    EXPECT_LE(spans.size(), 21u);
    EXPECT_TRUE(std::ranges::is_sorted(spans));
  }
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
              ElementsAre("the least 2", "\"c\" 2", "\"e\" 2", "\"g\" 2"));
}

TEST(JoinedBuckets, LeaveALargeOneAlone) {
  EXPECT_THAT(Shown(JoinedBuckets(Buckets({1, 1, 100, 1, 1}), 10)),
              ElementsAre("the least 2", "\"c\" 100", "\"d\" 2"));
}

TEST(JoinedBuckets, AreNotMoreThanAskedFor) {
  for (std::size_t most = 2; most < 20; ++most) {
    const auto bars =
        JoinedBuckets(Buckets({5, 1, 90, 7, 3, 60, 2, 2, 2, 8, 9, 70, 1, 1, 1, 1, 40}), most);
    EXPECT_LE(bars.size(), most);
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
