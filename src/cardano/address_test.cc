#include "cardano/address.h"

#include <gtest/gtest.h>

#include <string>

#include "cardano/blocks_for_test.h"

namespace talea::cardano {
namespace {

const std::string kPayment(28, 'p');
const std::string kStake(28, 's');

TEST(CredentialsOf, BaseAddressesHaveBoth) {
  for (const char kind : {'\x00', '\x11', '\x20', '\x31'}) {
    const std::string address = kind + kPayment + kStake;
    const Credentials found = CredentialsOf(address).value();
    EXPECT_EQ(found.payment, kPayment);
    EXPECT_EQ(found.stake, kStake);
  }
}

TEST(CredentialsOf, PassesOverBytesBehindABaseAddress) {
  EXPECT_EQ(CredentialsOf(BaseAddress() + "more").value().stake, kStake);
}

TEST(CredentialsOf, PointerAndEnterpriseAddressesHaveNoStake) {
  for (const std::string& address : {PointerAddress(), EnterpriseAddress()}) {
    const Credentials found = CredentialsOf(address).value();
    EXPECT_EQ(found.payment, kPayment);
    EXPECT_EQ(found.stake, "");
  }
}

TEST(CredentialsOf, ByronAddressesHaveNeither) {
  const Credentials found = CredentialsOf("\x82\xd8\x18").value();
  EXPECT_EQ(found.payment, "");
  EXPECT_EQ(found.stake, "");
}

TEST(CredentialsOf, RefusesWhatIsNoAddressOfAnOutput) {
  const auto error = [](const std::string& address) {
    const Result<Credentials> found = CredentialsOf(address);
    return found ? "none" : found.error().message();
  };
  EXPECT_EQ(error(""), "address: expected a byte at least, found none");
  EXPECT_EQ(error("\x01" + kPayment), "address: expected at least 57 bytes for kind 0, found 29");
  EXPECT_EQ(error("\x61"), "address: expected at least 29 bytes for kind 6, found 1");
  EXPECT_EQ(error("\xe1" + kStake),
            "address: expected one of an output, of kind 0 to 8, found kind 14");
}

}  // namespace
}  // namespace talea::cardano
