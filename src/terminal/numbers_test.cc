#include "terminal/numbers.h"

#include <gtest/gtest.h>

#include <limits>

namespace talea {
namespace {

using namespace std::chrono_literals;

TEST(ShortNumber, KeepsThreeDigits) {
  EXPECT_EQ(ShortNumber(0), "0");
  EXPECT_EQ(ShortNumber(0.04561), "0.0456");
  EXPECT_EQ(ShortNumber(999.4), "999");
  EXPECT_EQ(ShortNumber(999.6), "1 k");
  EXPECT_EQ(ShortNumber(1'234'567), "1.23 M");
  EXPECT_EQ(ShortNumber(-25'000), "-25 k");
  EXPECT_EQ(ShortNumber(1.5e12), "1.5 T");
  EXPECT_EQ(ShortNumber(9.22e18), "9.22 E");
  EXPECT_EQ(ShortNumber(-std::numeric_limits<double>::infinity()), "-inf");
}

TEST(ShortDuration, CountsInMinutesAndHours) {
  EXPECT_EQ(ShortDuration(0s), "0:00");
  EXPECT_EQ(ShortDuration(59.6s), "1:00");
  EXPECT_EQ(ShortDuration(3599s), "59:59");
  EXPECT_EQ(ShortDuration(3h + 5min), "3:05:00");
}

TEST(ShortBytes, HasAUnitAtEverySize) {
  EXPECT_EQ(ShortBytes(0), "0 B");
  EXPECT_EQ(ShortBytes(999), "999 B");
  EXPECT_EQ(ShortBytes(999.7), "1 kB");
  EXPECT_EQ(ShortBytes(1'234'567), "1.23 MB");
}

TEST(FullNumber, GroupsItsDigits) {
  EXPECT_EQ(FullNumber(std::uint64_t{0}), "0");
  EXPECT_EQ(FullNumber(std::uint64_t{999}), "999");
  EXPECT_EQ(FullNumber(std::uint64_t{1'000}), "1,000");
  EXPECT_EQ(FullNumber(std::int64_t{-100}), "-100");
  EXPECT_EQ(FullNumber(std::int64_t{-123'456}), "-123,456");
  EXPECT_EQ(FullNumber(std::numeric_limits<std::uint64_t>::max()), "18,446,744,073,709,551,615");
  EXPECT_EQ(FullNumber(std::numeric_limits<std::int64_t>::min()), "-9,223,372,036,854,775,808");
}

TEST(Counted, KnowsOneFromMany) {
  EXPECT_EQ(Counted(0, "row"), "0 rows");
  EXPECT_EQ(Counted(1, "row"), "1 row");
  EXPECT_EQ(Counted(1500, "row"), "1,500 rows");
}

}  // namespace
}  // namespace talea
