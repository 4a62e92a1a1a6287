// GoogleTest assertions on a Result. When they fail they show the error's code and message.
//
//   EXPECT_OK(engine->Commit(std::move(request)));
//   EXPECT_ERROR(engine->Commit(std::move(request)), ErrorCode::conflict);
//   std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
#pragma once

#include <gtest/gtest.h>

#include <expected>

#include "talea/result.h"

namespace talea::result_matchers {

template <class T>
testing::AssertionResult Succeeds(const char* expression, const std::expected<T, Error>& result) {
  if (result.has_value()) return testing::AssertionSuccess();
  return testing::AssertionFailure()
         << expression << "\n  expected: success\n  found:    " << result.error();
}

template <class T>
testing::AssertionResult FailsWith(const char* expression, const char*,
                                   const std::expected<T, Error>& result, ErrorCode code) {
  if (!result.has_value() && result.error().code() == code) return testing::AssertionSuccess();
  testing::AssertionResult failure = testing::AssertionFailure();
  failure << expression << "\n  expected: " << code << "\n  found:    ";
  if (result.has_value()) return failure << "success";
  return failure << result.error();
}

}  // namespace talea::result_matchers

#define EXPECT_OK(...) EXPECT_PRED_FORMAT1(::talea::result_matchers::Succeeds, (__VA_ARGS__))
#define ASSERT_OK(...) ASSERT_PRED_FORMAT1(::talea::result_matchers::Succeeds, (__VA_ARGS__))

#define EXPECT_ERROR(expression, code) \
  EXPECT_PRED_FORMAT2(::talea::result_matchers::FailsWith, expression, code)
#define ASSERT_ERROR(expression, code) \
  ASSERT_PRED_FORMAT2(::talea::result_matchers::FailsWith, expression, code)

// The value of a Result, or else a failure and a return from the test, which must be a function of
// type void.
#define ASSERT_VALUE(...)                \
  __extension__({                        \
    auto talea_asserted = (__VA_ARGS__); \
    ASSERT_OK(talea_asserted);           \
    std::move(talea_asserted).value();   \
  })
