#include "server/address.h"

#include <gtest/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

TEST(ParseListenAddress, TakesNumericAddressesAndLocalhost) {
  EXPECT_EQ(ASSERT_VALUE(ParseListenAddress("127.0.0.1:7474")), (ListenAddress{"127.0.0.1", 7474}));
  EXPECT_EQ(ASSERT_VALUE(ParseListenAddress("[::1]:0")), (ListenAddress{"::1", 0}));
  EXPECT_EQ(ASSERT_VALUE(ParseListenAddress("localhost:80")), (ListenAddress{"127.0.0.1", 80}));
  EXPECT_EQ(ASSERT_VALUE(ParseListenAddress("0.0.0.0:65535")), (ListenAddress{"0.0.0.0", 65535}));
}

TEST(ParseListenAddress, RefusesWhatIsNone) {
  for (const char* text :
       {"", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:-1", "127.0.0.1:1a",
        "example.org:80", "::1:80", "[::1]80", "[127.0.0.1]:80", "[]:80", ":80", "127.1:80"}) {
    EXPECT_ERROR(ParseListenAddress(text), ErrorCode::invalid_argument) << text;
  }
}

TEST(ListenAddress, IsWrittenAsInAUrl) {
  EXPECT_EQ((ListenAddress{"127.0.0.1", 1}.ToString()), "127.0.0.1:1");
  EXPECT_EQ((ListenAddress{"::1", 1}.ToString()), "[::1]:1");
}

TEST(IsLoopback, KnowsTheWholeNetwork) {
  EXPECT_TRUE(IsLoopback("127.0.0.1"));
  EXPECT_TRUE(IsLoopback("127.255.0.9"));
  EXPECT_TRUE(IsLoopback("::1"));
  EXPECT_FALSE(IsLoopback("0.0.0.0"));
  EXPECT_FALSE(IsLoopback("128.0.0.1"));
  EXPECT_FALSE(IsLoopback("::"));
  EXPECT_FALSE(IsLoopback("localhost"));
}

TEST(IsLoopbackHostHeader, TakesNamesOfThisComputerAlone) {
  for (const char* host :
       {"localhost", "LocalHost:7474", "127.0.0.1", "127.0.0.1:1", "[::1]:1", "[::1]"}) {
    EXPECT_TRUE(IsLoopbackHostHeader(host)) << host;
  }
  for (const char* host : {"", "evil.example", "localhost.evil.example", "127.0.0.1.evil.example:1",
                           "localhost:x", "10.0.0.1", ":7474"}) {
    EXPECT_FALSE(IsLoopbackHostHeader(host)) << host;
  }
}

}  // namespace
}  // namespace talea
