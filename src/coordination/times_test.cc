#include "coordination/times.h"

#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using std::chrono::hours;
using std::chrono::microseconds;
using std::chrono::seconds;

TEST(Times, AreReadAsTheyWereWritten) {
  for (const Timestamp time :
       {Timestamp::min(), Timestamp(seconds(-1)), Timestamp(), Timestamp::max()}) {
    EXPECT_EQ(ASSERT_VALUE(DecodeTime("row", EncodeTime(time))), time);
  }
  EXPECT_ERROR(DecodeTime("row", ""), ErrorCode::corruption);
  EXPECT_ERROR(DecodeTime("row", EncodeTime(Timestamp()) + "x"), ErrorCode::corruption);
}

TEST(Times, LieAheadByAPositiveDurationThatDoesNotOverflow) {
  EXPECT_EQ(ASSERT_VALUE(Later(Timestamp(), seconds(1))), Timestamp(seconds(1)));
  EXPECT_ERROR(Later(Timestamp(), seconds(0)), ErrorCode::invalid_argument);
  EXPECT_ERROR(Later(Timestamp(), seconds(-1)), ErrorCode::invalid_argument);
  EXPECT_ERROR(Later(Timestamp(seconds(1)), microseconds::max()), ErrorCode::invalid_argument);
}

TEST(Times, StopAtTheEndsOfTime) {
  EXPECT_EQ(After(Timestamp::max(), hours(1)), Timestamp::max());
  EXPECT_EQ(Before(Timestamp::min(), hours(1)), Timestamp::min());
  EXPECT_EQ(Before(After(Timestamp(), hours(1)), hours(1)), Timestamp());
}

TEST(Times, AreDatesForPeopleWhereThereIsOne) {
  EXPECT_EQ(Describe(Timestamp()), "1970-01-01 00:00:00 UTC");
  EXPECT_EQ(Describe(Timestamp(seconds(-1))), "1969-12-31 23:59:59 UTC");
  EXPECT_EQ(Describe(Timestamp::max()), "9223372036854775807 microseconds since 1970");
}

}  // namespace
}  // namespace talea
