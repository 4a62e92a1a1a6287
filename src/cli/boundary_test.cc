#include "cli/boundary.h"

#include <gtest/gtest.h>

#include "talea/tuple.h"

namespace talea::cli {
namespace {

std::string Packed(const Tuple& tuple) { return Pack(tuple).value(); }

TEST(Boundary, IsShownAsTheValueThatItIs) {
  EXPECT_EQ(ShownBoundary(Packed({"London"})), "\"London\"");
  EXPECT_EQ(ShownBoundary(Packed({-300})), "-300");
  EXPECT_EQ(ShownBoundary(Packed({"de", 42})), "(\"de\", 42)");
  EXPECT_EQ(ShownBoundary(Packed({nullptr})), "null");
}

TEST(Boundary, IsShownAsTheLeastValueWhereItBreaksOff) {
  const auto cut = [](const Tuple& tuple, std::size_t bytes) {
    return Packed(tuple).substr(0, bytes);
  };
  EXPECT_EQ(ShownBoundary(cut({"London"}, 4)), "\"Lon\"");
  EXPECT_EQ(ShownBoundary(cut({1025}, 2)), "1024");
  EXPECT_EQ(ShownBoundary(cut({1025}, 1)), "256");
  EXPECT_EQ(ShownBoundary(cut({1.5}, 3)), "1.5");
  EXPECT_EQ(ShownBoundary(cut({"de", "Berlin"}, 7)), "(\"de\", \"Be\")");
}

TEST(Boundary, IsShownAsBytesWhereItIsNothingElse) {
  EXPECT_EQ(ShownBoundary("\xff\xfe"), "\"\\xff\\xfe\"");
}

TEST(Span, IsShownInWords) {
  EXPECT_EQ(ShownSpan("", std::nullopt), "all values");
  EXPECT_EQ(ShownSpan("", Packed({"M"})), "below \"M\"");
  EXPECT_EQ(ShownSpan(Packed({"M"}), std::nullopt), "from \"M\" on");
  EXPECT_EQ(ShownSpan(Packed({"A"}), Packed({"M"})), "from \"A\" to below \"M\"");
  EXPECT_EQ(ShownSpan(Packed({"A"}), PrefixSuccessor(Packed({"A"}))), "= \"A\"");
}

}  // namespace
}  // namespace talea::cli
