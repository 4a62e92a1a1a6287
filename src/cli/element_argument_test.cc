#include "cli/element_argument.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kUuid = "1b4e28ba-2fa1-11d2-883f-0016d3cca427";

TEST(ElementArgument, IsWhatItLooksLike) {
  EXPECT_EQ(ParseElement("London"), Element("London"));
  EXPECT_EQ(ParseElement("42"), Element(42));
  EXPECT_EQ(ParseElement("-42"), Element(-42));
  EXPECT_EQ(ParseElement("0"), Element(0));
  EXPECT_EQ(ParseElement("18446744073709551616"),
            Element(BigInteger::FromDecimal("18446744073709551616").value()));
  EXPECT_EQ(ParseElement("-1.5"), Element(-1.5));
  EXPECT_EQ(ParseElement("1e3"), Element(1000.0));
  EXPECT_EQ(ParseElement("1.5f"), Element(1.5f));
  EXPECT_EQ(ParseElement("inf"), Element(std::numeric_limits<double>::infinity()));
  EXPECT_EQ(ParseElement("-inff"), Element(-std::numeric_limits<float>::infinity()));
  EXPECT_TRUE(std::isnan(ParseElement("nan").value().AsDouble().value()));
  EXPECT_EQ(ParseElement("true"), Element(true));
  EXPECT_EQ(ParseElement("false"), Element(false));
  EXPECT_EQ(ParseElement("null"), Element());
  EXPECT_EQ(ParseElement("0xcafe"), Element(Bytes("\xca\xfe")));
  EXPECT_EQ(ParseElement(kUuid), Element(Uuid::Parse(kUuid).value()));
}

TEST(ElementArgument, IsTextWhereANumberWouldNotComeOutAsItWasWritten) {
  for (const char* word :
       {"007", "-007", "-0", "00.5", "+49", "1e999", "1.2.3", "1f", "-", "", ".5", "Inf",
        "infinity", "--inf", "1 2", "TRUE", "Null", "42nd", "1,5"}) {
    EXPECT_EQ(ParseElement(word), Element(word)) << word;
  }
}

TEST(ElementArgument, IsTextInQuotesWhateverItLooksLike) {
  EXPECT_EQ(ParseElement("\"42\""), Element("42"));
  EXPECT_EQ(ParseElement("\"\""), Element(""));
  EXPECT_EQ(ParseElement(R"("a\"b\\c\n\x41")"), Element("a\"b\\c\nA"));
}

TEST(ElementArgument, SaysWhatIsWrongWithQuotes) {
  for (const auto& [word, expected] :
       {std::pair{R"("a)", "expected a closing quote at character 3"},
        {R"("a"b)", R"(expected nothing more at character 4, found "b")"},
        {R"("\q")", "expected one of"},
        {R"("\x4")", "two hexadecimal digits"},
        {R"("\)", "two hexadecimal digits"}}) {
    const auto parsed = ParseElement(word);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.error().message(), HasSubstr(expected));
  }
  ASSERT_ERROR(ParseElement("0xf"), ErrorCode::invalid_argument);
}

TEST(ElementArgument, TakesAllOfAWordWhereTheTypeIsSaid) {
  EXPECT_EQ(ParseElementAs(ElementType::text, "\"42\""), Element("\"42\""));
  EXPECT_EQ(ParseElementAs(ElementType::text, ""), Element(""));
  EXPECT_EQ(ParseElementAs(ElementType::integer, "007"), Element(7));
  EXPECT_EQ(ParseElementAs(ElementType::float64, "7"), Element(7.0));
  EXPECT_EQ(ParseElementAs(ElementType::float64, "-inf"),
            Element(-std::numeric_limits<double>::infinity()));
  EXPECT_EQ(ParseElementAs(ElementType::float32, "7"), Element(7.0f));
  EXPECT_EQ(ParseElementAs(ElementType::boolean, "true"), Element(true));
  EXPECT_EQ(ParseElementAs(ElementType::bytes, "abc"), Element(Bytes("abc")));
  EXPECT_EQ(ParseElementAs(ElementType::bytes, "0x00"), Element(Bytes(std::string_view("\0", 1))));
  EXPECT_EQ(ParseElementAs(ElementType::uuid, kUuid), Element(Uuid::Parse(kUuid).value()));
}

TEST(ElementArgument, NamesTheTypeThatAWordIsNotOf) {
  for (const auto& [type, word] : {std::pair{ElementType::integer, "4.2"},
                                   {ElementType::integer, ""},
                                   {ElementType::float64, "x"},
                                   {ElementType::float64, "1e999"},
                                   {ElementType::boolean, "1"},
                                   {ElementType::uuid, "1b4e28ba"}}) {
    const auto parsed = ParseElementAs(type, word);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
    EXPECT_EQ(parsed.error().message(),
              "expected " + std::string(Name(type)) + ", found \"" + word + "\"");
  }
}

TEST(ElementArgument, IsConvertedWhereNothingIsLostButPrecision) {
  EXPECT_EQ(ConvertElement(ElementType::float64, Element(7)), Element(7.0));
  EXPECT_EQ(ConvertElement(ElementType::float64, Element(0.1f)),
            Element(static_cast<double>(0.1f)));
  EXPECT_EQ(ConvertElement(ElementType::float32, Element(0.1)), Element(0.1f));
  EXPECT_EQ(ConvertElement(ElementType::text, Element(7)), Element("7"));
  EXPECT_EQ(ConvertElement(ElementType::text, Element(Bytes("abc"))), Element("abc"));
  EXPECT_EQ(ConvertElement(ElementType::bytes, Element("0x00")), Element(Bytes("0x00")));
  EXPECT_EQ(ConvertElement(ElementType::integer, Element("7")), Element(7));
  EXPECT_EQ(ConvertElement(ElementType::integer, Element()), Element());
}

TEST(ElementArgument, IsNotConvertedWhereItWouldBeAnotherThing) {
  for (const auto& [type, element] : {std::pair{ElementType::integer, Element(7.5)},
                                      {ElementType::float32, Element(1e300)},
                                      {ElementType::boolean, Element(1)},
                                      {ElementType::integer, Element(true)},
                                      {ElementType::text, Element(Tuple{1, 2})}}) {
    const auto converted = ConvertElement(type, element);
    ASSERT_ERROR(converted, ErrorCode::invalid_argument);
    EXPECT_THAT(converted.error().message(), HasSubstr(element.ToString()));
  }
}

TEST(TupleArgument, HasSeveralElementsInParentheses) {
  EXPECT_EQ(ParseTuple("de"), (Tuple{"de"}));
  EXPECT_EQ(ParseTuple("(de, 42)"), (Tuple{"de", 42}));
  EXPECT_EQ(ParseTuple("(de,42)"), (Tuple{"de", 42}));
  EXPECT_EQ(ParseTuple("( San José , \"a,b)\" )"), (Tuple{"San José", "a,b)"}));
  EXPECT_EQ(ParseTuple("()"), Tuple());
  EXPECT_EQ(ParseTuple("((1, 2), 3)"), (Tuple{Element(Tuple{1, 2}), 3}));
  EXPECT_EQ(ParseTuple("de,42"), (Tuple{"de,42"}));
}

TEST(TupleArgument, TakesTypes) {
  const ElementType text[] = {ElementType::text};
  EXPECT_EQ(ParseTuple("(de, 42)", text), (Tuple{"(de, 42)"}));
  const ElementType two[] = {ElementType::text, ElementType::float64};
  EXPECT_EQ(ParseTuple("(42, 42)", two), (Tuple{"42", 42.0}));
  EXPECT_EQ(ParseTuple(R"(("a, b", 42))", two), (Tuple{"a, b", 42.0}));
  for (const char* wrong : {"de", "(de)", "(1, 2, 3)", "(1, x)"}) {
    EXPECT_ERROR(ParseTuple(wrong, two), ErrorCode::invalid_argument) << wrong;
  }
}

TEST(TupleArgument, SaysWhereItIsWrong) {
  for (const auto& [argument, expected] :
       {std::pair{"(de", "expected a comma or a closing parenthesis at character 4, found its end"},
        {"(", "expected an element at character 2, found its end"},
        {"(,)", R"(expected an element at character 2, found ",")"},
        {"(1,)", "expected an element at character 4, found \")\""},
        {"(1) ", R"(expected nothing more at character 4, found " ")"},
        {"(\"a\"b)", "expected a comma or a closing parenthesis at character 5"}}) {
    const auto parsed = ParseTuple(argument);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.error().message(), HasSubstr(expected));
  }
}

TEST(TupleArgument, MayNotBeNestedSoDeepThatTheStackEnds) {
  EXPECT_ERROR(ParseTuple(std::string(1'000'000, '(')), ErrorCode::invalid_argument);
}

TEST(TupleArgument, IsParsedToTheSameAgain) {
  for (const Tuple& tuple : std::initializer_list<Tuple>{{"London"},
                                                         {"42"},
                                                         {42},
                                                         {""},
                                                         {" a"},
                                                         {"a, b"},
                                                         {"(a"},
                                                         {"null"},
                                                         {nullptr},
                                                         {"\"a\""},
                                                         {"0x"},
                                                         {Bytes("")},
                                                         {Bytes("\xca\xfe")},
                                                         {1.5f},
                                                         {1e300},
                                                         {"inf", "-inf", "nan", "-nanf"},
                                                         {-HUGE_VAL, HUGE_VAL, HUGE_VALF},
                                                         {true, "true"},
                                                         {"a\nb", 2},
                                                         {Element(Tuple{1})},
                                                         {Element(Tuple{Element(Tuple{})}), "x"},
                                                         {},
                                                         {"San José"},
                                                         {"a\\"}}) {
    EXPECT_EQ(ParseTuple(TupleArgument(tuple)), tuple) << TupleArgument(tuple);
  }
  EXPECT_EQ(TupleArgument({"London"}), "London");
  EXPECT_EQ(TupleArgument({"42"}), "\"42\"");
  EXPECT_EQ(TupleArgument({"nan", std::nan("")}), "(\"nan\", nan)");
}

TEST(Types, AreListedByTheirNames) {
  EXPECT_EQ(ParseTypes("--types", "text,integer"),
            (std::vector{ElementType::text, ElementType::integer}));
  EXPECT_EQ(ParseTypes("--types", ""), std::vector<ElementType>());
  for (const char* wrong : {"txt", "text,", ",", "nested", "text, integer"}) {
    const auto parsed = ParseTypes("--types", wrong);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.error().message(), HasSubstr("--types: expected some of text, bytes, "));
  }
}

}  // namespace
}  // namespace talea::cli
