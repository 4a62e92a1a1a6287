#include <gtest/gtest.h>

#include <string>

#include "talea/histograms.h"

namespace talea {
namespace {

TEST(Histogram, IsWrittenAsItsKind) {
  EXPECT_EQ(Histogram::Learned().ToString(), "learned");
  EXPECT_EQ(Histogram::Fixed(1).ToString(), "fixed(1)");
  EXPECT_EQ(Histogram::Fixed(8).ToString(), "fixed(8)");
}

TEST(Histogram, IsReadAsItIsWritten) {
  for (std::uint8_t bytes = 0; bytes <= 8; ++bytes) {
    const Histogram histogram = {bytes};
    EXPECT_EQ(Histogram::Parse(histogram.ToString()).value(), histogram);
  }
}

TEST(Histogram, IsReadWithAColonToo) {
  EXPECT_EQ(Histogram::Parse("fixed:1").value(), Histogram::Fixed(1));
  EXPECT_EQ(Histogram::Parse("fixed:8").value(), Histogram::Fixed(8));
}

TEST(Histogram, OfAnyOtherTextIsRefused) {
  for (const std::string_view text :
       {"",         "fixed",     "fixed()",    "fixed:",  "fixed(0)",  "fixed:0",   "fixed(9)",
        "fixed:9",  "fixed(02)", "fixed(2",    "fixed2",  "fixed(22)", "fixed( 2)", "fixed(2) ",
        "fixed:2)", "fixed(-1)", "fixed(258)", "Learned", "learned ",  "learned:2"}) {
    const Result<Histogram> parsed = Histogram::Parse(text);
    ASSERT_FALSE(parsed.has_value()) << text;
    EXPECT_EQ(parsed.error().code(), ErrorCode::invalid_argument);
  }
}

TEST(Histogram, SaysWhatWasExpectedAndWhatWasFound) {
  EXPECT_EQ(Histogram::Parse("fixed(9)").error().message(),
            "histogram: expected learned, or fixed(1) to fixed(8), found \"fixed(9)\"");
  EXPECT_EQ(Histogram::Parse(std::string_view("le\0rned", 7)).error().message(),
            "histogram: expected learned, or fixed(1) to fixed(8), found \"le\\x00rned\"");
}

}  // namespace
}  // namespace talea
