#include "cli/where_arguments.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;
using Intervals = std::vector<Where::Interval>;

Intervals Of(const Where& where) { return where.Intervals(1).value(); }
Intervals Of(const WhereArguments& arguments) { return Of(ParseWhere(arguments).value()); }

TEST(WhereArguments, AreAllValuesWhereNothingIsSaid) {
  EXPECT_EQ(Of(WhereArguments{}), Of(Where::All()));
}

TEST(WhereArguments, AreTheComparisonsOfTheirNames) {
  EXPECT_EQ(Of({.equal = "42"}), Of(Where::Equal({42})));
  EXPECT_EQ(Of({.in = {"a", "b"}}), Of(Where::In({{"a"}, {"b"}})));
  EXPECT_EQ(Of({.at_least = "a"}), Of(Where::AtLeast({"a"})));
  EXPECT_EQ(Of({.above = "a"}), Of(Where::Above({"a"})));
  EXPECT_EQ(Of({.at_most = "a"}), Of(Where::AtMost({"a"})));
  EXPECT_EQ(Of({.below = "a"}), Of(Where::Below({"a"})));
  EXPECT_EQ(Of({.starts_with = "a"}), Of(Where::StartsWith({"a"})));
  EXPECT_EQ(Of({.null = true}), Of(Where::Equal({nullptr})));
}

TEST(WhereArguments, HaveToHoldTogether) {
  EXPECT_EQ(Of({.at_least = "a", .below = "m"}), Of(Where::Range({"a"}, {"m"})));
  EXPECT_EQ(Of({.equal = "a", .null = true}), Intervals());
}

TEST(WhereArguments, AreTurnedRoundByNot) {
  EXPECT_EQ(Of({.null = true, .negated = true}), Of(!Where::Equal({nullptr})));
  EXPECT_EQ(Of({.at_least = "a", .below = "m", .negated = true}), Of(!Where::Range({"a"}, {"m"})));
  EXPECT_ERROR(ParseWhere({.negated = true}), ErrorCode::invalid_argument);
}

TEST(WhereArguments, TakeTypes) {
  EXPECT_EQ(Of({.equal = "42", .types = "text"}), Of(Where::Equal({"42"})));
  const auto wrong = ParseWhere({.below = "x", .types = "integer"});
  ASSERT_ERROR(wrong, ErrorCode::invalid_argument);
  EXPECT_EQ(wrong.error().message(), "--below: expected integer, found \"x\"");
  EXPECT_ERROR(ParseWhere({.types = "number"}), ErrorCode::invalid_argument);
}

TEST(WhereArguments, NameTheOptionWhoseValueIsWrong) {
  for (const auto& [arguments, option] : {std::pair{WhereArguments{.in = {"a", "(a"}}, "--in: "},
                                          {WhereArguments{.equal = "\"a"}, "--equal: "}}) {
    const auto wrong = ParseWhere(arguments);
    ASSERT_ERROR(wrong, ErrorCode::invalid_argument);
    EXPECT_THAT(wrong.error().message(), HasSubstr(option));
  }
}

}  // namespace
}  // namespace talea::cli
