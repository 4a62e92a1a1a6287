#include "talea/result.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>
#include <sstream>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

constexpr ErrorCode kAllCodes[] = {ErrorCode::invalid_argument, ErrorCode::not_found,
                                   ErrorCode::already_exists,   ErrorCode::precondition_failed,
                                   ErrorCode::too_large,        ErrorCode::conflict,
                                   ErrorCode::snapshot_expired, ErrorCode::outcome_unknown,
                                   ErrorCode::timed_out,        ErrorCode::unavailable,
                                   ErrorCode::closed,           ErrorCode::corruption,
                                   ErrorCode::io_error,         ErrorCode::unsupported};

Result<std::unique_ptr<int>> Half(int number) {
  if (number % 2 == 0) return std::make_unique<int>(number / 2);
  return Fail(ErrorCode::invalid_argument, "half: expected an even number");
}

Result<std::string> Quarter(int number) {
  const std::unique_ptr<int> half = TALEA_TRY(Half(number));
  return std::to_string(*TALEA_TRY(Half(*half)));
}

Status CheckQuarter(int number) {
  TALEA_TRY(Quarter(number));
  return {};
}

Result<int> QuarterInOneExpression(int number) {
  return *TALEA_TRY(Half(*TALEA_TRY(Half(number))));
}

TEST(ErrorCode, HasANameOfItsOwn) {
  std::set<std::string_view> names;
  for (const ErrorCode code : kAllCodes) {
    EXPECT_NE(Name(code), "unknown");
    EXPECT_TRUE(names.insert(Name(code)).second) << Name(code);
  }
  EXPECT_EQ(names.size(), static_cast<std::size_t>(ErrorCode::unsupported) + 1);
  EXPECT_EQ(Name(ErrorCode::snapshot_expired), "snapshot_expired");
}

// A retry after one of these finds nothing applied. An unknown outcome may have been applied, and
// counting it again would count it twice.
TEST(Error, IsRetryableOnlyWhereNothingWasAppliedAndTheCausePasses) {
  const std::set<ErrorCode> retryable = {ErrorCode::conflict, ErrorCode::snapshot_expired,
                                         ErrorCode::timed_out, ErrorCode::unavailable};
  for (const ErrorCode code : kAllCodes) {
    EXPECT_EQ(Error(code, "").retryable(), retryable.contains(code)) << code;
  }
}

TEST(Error, IsPrintedWithItsCodeAndMessage) {
  std::ostringstream out;
  out << Error(ErrorCode::not_found, "file \"a\": no such file");
  EXPECT_EQ(out.str(), "not_found: file \"a\": no such file");
}

TEST(Try, GivesTheValueEvenOneThatCanOnlyBeMoved) {
  EXPECT_EQ(ASSERT_VALUE(Quarter(12)), "3");
  EXPECT_EQ(ASSERT_VALUE(QuarterInOneExpression(12)), 3);
  EXPECT_OK(CheckQuarter(12));
}

TEST(Try, ReturnsTheErrorAsItIs) {
  const Error expected(ErrorCode::invalid_argument, "half: expected an even number");
  for (const int number : {7, 14}) {
    EXPECT_EQ(Quarter(number).error(), expected);
    EXPECT_EQ(QuarterInOneExpression(number).error(), expected);
    EXPECT_EQ(CheckQuarter(number).error(), expected);
  }
}

TEST(Status, SucceedsUnlessToldOtherwise) {
  EXPECT_OK(Status());
  EXPECT_ERROR(Status(Fail(ErrorCode::closed, "")), ErrorCode::closed);
}

}  // namespace
}  // namespace talea
