#include "talea/uuid.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

TEST(Uuid, ReadsAndWritesItsUsualForm) {
  const Uuid uuid = *Uuid::Parse("1b4e28ba-2fa1-11D2-883F-0016d3cca427");
  EXPECT_EQ(uuid.bytes[0], 0x1b);
  EXPECT_EQ(uuid.bytes[15], 0x27);
  EXPECT_EQ(uuid.ToString(), "1b4e28ba-2fa1-11d2-883f-0016d3cca427");
}

TEST(Uuid, RefusesAnyOtherForm) {
  for (const std::string_view text :
       {"", "1b4e28ba2fa111d2883f0016d3cca427", "1b4e28ba-2fa1-11d2-883f-0016d3cca42",
        "1b4e28ba-2fa1-11d2-883f-0016d3cca4277", "1b4e28ba-2fa1-11d2-883f-0016d3cca42g",
        "1b4e28ba-2fa1-11d2-883f+0016d3cca427", "-b4e28ba-2fa1-11d2-883f-0016d3cca427",
        "1b4e28ba--fa1-11d2-883f-0016d3cca427"}) {
    EXPECT_FALSE(Uuid::Parse(text)) << text;
  }
  EXPECT_EQ(Uuid::Parse("x").error(),
            Error(ErrorCode::invalid_argument,
                  "UUID: expected 8-4-4-4-12 hexadecimal digits, found \"x\""));
}

TEST(Uuid, SortsByItsBytes) {
  EXPECT_LT((Uuid{{0x7f}}), (Uuid{{0x80}}));
  EXPECT_LT((Uuid{{0, 0xff}}), (Uuid{{1, 0}}));
}

}  // namespace
}  // namespace talea
