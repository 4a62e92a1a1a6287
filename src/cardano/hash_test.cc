#include "cardano/hash.h"

#include <gtest/gtest.h>

namespace talea::cardano {
namespace {

TEST(Blake2b256, IsThatOfOthers) {
  // b2sum -l 256
  EXPECT_EQ(Blake2b256("").ToString(),
            "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
  EXPECT_EQ(Blake2b256("abc").ToString(),
            "bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319");
  EXPECT_EQ(Blake2b256("a", "bc"), Blake2b256("abc"));
}

}  // namespace
}  // namespace talea::cardano
