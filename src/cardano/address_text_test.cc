#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "base/hex.h"
#include "talea/cardano.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::HasSubstr;

constexpr std::string_view kPayment = "9493315cd92eb5d8c4304e67b7e16ae36d61d34502694657811a2c8e";
constexpr std::string_view kStake = "337b62cfff6403a06a3acbc34f8c46003c69fe79a3628cefa9c47251";
constexpr std::string_view kScript = "c37b1b5dc0669f1d3c61a6fddb2e8fde96be87b881c60bce8e8d542f";
constexpr std::string_view kPointer = "8198bd431b03";  // (2498243, 27, 3)
constexpr const char* kByron =
    "37btjrVyb4KDXBNC4haBVPCrro8AQPHwvCMp3RFhhSVWwfFmZ6wwzSK6JK1hY6wHNmtrpTf1kdbva8TCneM2YsiXT7mrzT"
    "21EacHnPpz5YyUdj64na";

std::string Digits(ByteView bytes) {
  std::string digits;
  AppendHex(digits, bytes);
  return digits;
}

// The test vectors of CIP-19: the parts of an address, and its text.
TEST(AddressText, IsThatOfTheTestVectors) {
  struct Vector {
    std::string hex;
    std::string text;
  };
  const Vector vectors[] = {
      {fmt::format("01{}{}", kPayment, kStake),
       "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2"
       "wywfgse35a3x"},
      {fmt::format("11{}{}", kScript, kStake),
       "addr1z8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2"
       "wywfgs9yc0hh"},
      {fmt::format("21{}{}", kPayment, kScript),
       "addr1yx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerkr0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar"
       "5d2shs2z78ve"},
      {fmt::format("31{}{}", kScript, kScript),
       "addr1x8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gt7r0vd4msrxnuwnccdxlhdjar77j6lg0wypcc9uar"
       "5d2shskhj42g"},
      {fmt::format("41{}{}", kPayment, kPointer),
       "addr1gx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrzqf96k"},
      {fmt::format("51{}{}", kScript, kPointer),
       "addr128phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtupnz75xxcrtw79hu"},
      {fmt::format("61{}", kPayment), "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"},
      {fmt::format("71{}", kScript), "addr1w8phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcyjy7wx"},
      {fmt::format("e1{}", kStake), "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"},
      {fmt::format("f1{}", kScript), "stake178phkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcccycj5"},
      {fmt::format("00{}{}", kPayment, kStake),
       "addr_test1qz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv"
       "2xwl2wywfgs68faae"},
      {fmt::format("10{}{}", kScript, kStake),
       "addr_test1zrphkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gten0d3vllmyqwsx5wktcd8cc3sq835lu7drv"
       "2xwl2wywfgsxj90mg"},
      {fmt::format("20{}{}", kPayment, kScript),
       "addr_test1yz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerkr0vd4msrxnuwnccdxlhdjar77j6lg0wypc"
       "c9uar5d2shsf5r8qx"},
      {fmt::format("30{}{}", kScript, kScript),
       "addr_test1xrphkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gt7r0vd4msrxnuwnccdxlhdjar77j6lg0wypc"
       "c9uar5d2shs4p04xh"},
      {fmt::format("40{}{}", kPayment, kPointer),
       "addr_test1gz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer5pnz75xxcrdw5vky"},
      {fmt::format("50{}{}", kScript, kPointer),
       "addr_test12rphkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtupnz75xxcryqrvmw"},
      {fmt::format("60{}", kPayment),
       "addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz"},
      {fmt::format("70{}", kScript),
       "addr_test1wrphkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcl6szpr"},
      {fmt::format("e0{}", kStake),
       "stake_test1uqehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gssrtvn"},
      {fmt::format("f0{}", kScript),
       "stake_test17rphkx6acpnf78fuvxn0mkew3l0fd058hzquvz7w36x4gtcljw6kf"}};
  for (const auto& [hex, text] : vectors) {
    const std::string address = ASSERT_VALUE(ParseCardanoAddress(text));
    EXPECT_EQ(Digits(address), hex);
    EXPECT_EQ(CardanoAddressText(address), text);
    EXPECT_EQ(ASSERT_VALUE(ParseCardanoAddress(hex)), address);
  }
  const std::string byron = ASSERT_VALUE(ParseCardanoAddress(kByron));
  EXPECT_EQ(Digits(byron.substr(0, 3)), "82d818");
  EXPECT_EQ(CardanoAddressText(byron), kByron);
}

TEST(AddressText, IsReadInUpperCaseToo) {
  EXPECT_EQ(ASSERT_VALUE(
                ParseCardanoAddress("STAKE1UYEHKCK0LAJQ8GR28T9UXNUVGCQRC6070X3K9R8048Z8Y5GH6FFGW")),
            ASSERT_VALUE(
                ParseCardanoAddress("E1337B62CFFF6403A06A3ACBC34F8C46003C69FE79A3628CEFA9C47251")));
}

TEST(AddressText, IsHexadecimalDigitsOfWhatIsNoAddress) {
  EXPECT_EQ(CardanoAddressText(std::string("\x02\x01", 2)), "0201");  // of a network there is not
  EXPECT_EQ(CardanoAddressText("\x91\x01"), "9101");                  // of a kind there is not
  EXPECT_EQ(CardanoAddressText("\x82\xd8\x18"), "82d818");            // not all of Byron's
  EXPECT_EQ(CardanoAddressText(""), "");
}

RC_GTEST_PROP(AddressText, IsReadAsItWasWritten, (const std::string& bytes, bool byron)) {
  const std::string address = byron ? "\x82\xd8\x18" + bytes + std::string(30, 'x') : bytes;
  RC_PRE(!address.empty());
  RC_ASSERT(ParseCardanoAddress(CardanoAddressText(address)).value() == address);
}

// A Byron address with one character mistyped was taken for another address, which holds nothing:
// its checksum is inside, in CBOR, and nobody had looked at it.
TEST(AddressText, OfByronIsRefusedWithACharacterMistyped) {
  const std::string right = kByron;
  for (std::size_t i = 0; i < right.size(); ++i) {
    std::string wrong = right;
    wrong[i] = right[i] == 'x' ? 'y' : 'x';
    const auto parsed = ParseCardanoAddress(wrong);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
  }
  const auto parsed = ParseCardanoAddress(right.substr(0, right.size() - 1) + "b");
  ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
  EXPECT_THAT(
      parsed.error().message(),
      HasSubstr("base 58: byte 78: expected the checksum 53249b67 of what stands before it, "
                "found "));
}

// What is on the chain can be named whatever its checksum: in hexadecimal digits.
TEST(AddressText, OfByronWithAWrongChecksumIsHexadecimalDigits) {
  std::string address = ASSERT_VALUE(ParseCardanoAddress(kByron));
  address.back() ^= 1;
  EXPECT_EQ(CardanoAddressText(address), Digits(address));
  EXPECT_EQ(ASSERT_VALUE(ParseCardanoAddress(Digits(address))), address);
}

TEST(AddressText, ThatIsWrongIsRefusedAndToldWhy) {
  const std::pair<std::string, std::string> wrong[] = {
      {"", "expected 1 to 8192 characters, found 0"},
      {std::string(8193, 'a'), "expected 1 to 8192 characters, found 8193"},
      {"abc", "found none of them"},
      {"hello", "found none of them"},
      {std::string(kByron).substr(1), "found none of them"},
      {"stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgv",
       "expected the checksum h6ffgw"},
      {"stake1uyehkck0lajq8gr28t9uxnuvgcqrc607", "expected the checksum"},
      {"Stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw", "letters of one case"},
      // An example of CIP-19's own, whose network is not that of its prefix.
      {"addr1vpu5vlrf4xkxv2qpwngf6cjhtw542ayty80v8dyr49rf5eg0yu80w",
       "expected the prefix addr_test for the header 60, found the prefix \"addr\""}};
  for (const auto& [text, why] : wrong) {
    const auto parsed = ParseCardanoAddress(text);
    ASSERT_ERROR(parsed, ErrorCode::invalid_argument);
    EXPECT_THAT(parsed.error().message(), HasSubstr(why));
  }
}

}  // namespace
}  // namespace talea
