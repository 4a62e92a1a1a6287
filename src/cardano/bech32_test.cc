#include "cardano/bech32.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "talea/testing/result_matchers.h"

namespace talea::cardano {
namespace {

using testing::HasSubstr;

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// Those of BIP-173 that are valid, and what their prefixes are.
TEST(Bech32, ReadsTheTestVectors) {
  const std::string long_prefix =
      "an83characterlonghumanreadablepartthatcontainsthenumber1andtheexcludedcharactersbio";
  const std::pair<std::string, std::string> vectors[] = {
      {"A12UEL5L", "a"},
      {"a12uel5l", "a"},
      {long_prefix + "1tt5tgs", long_prefix},
      {"abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw", "abcdef"},
      {"11" + std::string(82, 'q') + "c8247j", "1"},
      {"split1checkupstagehandshakeupstreamerranterredcaperred2y9e3w", "split"},
      {"?1ezyfcl", "?"}};
  for (const auto& [text, prefix] : vectors) {
    const Bech32 decoded = ASSERT_VALUE(DecodeBech32(text));
    EXPECT_EQ(decoded.prefix, prefix);
    EXPECT_EQ(EncodeBech32(decoded), Lower(text));
  }
  const Bech32 all = ASSERT_VALUE(DecodeBech32("abcdef1qpzry9x8gf2tvdw0s3jn54khce6mua7lmqqqxw"));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(all.groups.at(i), i);
  EXPECT_EQ(all.groups.size(), 32u);
}

// Those that are not, but for the one that is longer than 90 characters.
TEST(Bech32, RefusesTheInvalidTestVectorsAndSaysWhy) {
  const std::pair<std::string, std::string> vectors[] = {
      {"\x20\x31nwldj5", "characters from ! to ~"},
      {"\x7f\x31"
       "axkwrx",
       "characters from ! to ~"},
      {"\x80\x31"
       "eym55h",
       "characters from ! to ~"},
      {"pzry9x0s0muk", "expected a prefix and the digit 1"},
      {"1pzry9x0s0muk", "expected a prefix of 1 to 83 characters, found 0"},
      {"x1b4n0q5v", "found \"b\" at 2"},
      {"li1dgmt3", "expected a checksum of 6 characters, found 5"},
      {"de1lg7wt\xff", "found \"\\xff\" at 8"},
      {"A1G7SGD8", "expected the checksum"},
      {"10a06t8", "expected a prefix of 1 to 83 characters, found 0"},
      {"1qzzfhee", "expected a prefix of 1 to 83 characters, found 0"},
      {"a12UEL5L", "expected letters of one case, found both"},
      {std::string(84, 'a') + "1qqqqqq", "found 84"},
      // Leaked its prefix: g++ 12 forgets the members it has built when TALEA_TRY returns from
      // between the braces of the others.
      {std::string(40, 'a') + "1bqqqqqq", "found \"b\" at 41"}};
  for (const auto& [text, why] : vectors) {
    const auto decoded = DecodeBech32(text);
    ASSERT_ERROR(decoded, ErrorCode::invalid_argument);
    EXPECT_THAT(decoded.error().message(), HasSubstr(why));
  }
}

RC_GTEST_PROP(Bech32, FindsEveryCharacterThatIsWrong, (const std::string& bytes)) {
  const Bech32 decoded{"addr", GroupBytes(bytes)};
  std::string text = EncodeBech32(decoded);
  RC_ASSERT(DecodeBech32(text).value() == decoded);
  const auto place = *rc::gen::inRange<std::size_t>(0, text.size());
  const char other = *rc::gen::elementOf(std::string("qpzry9x8gf2tvdw0s3jn54khce6mua7l"));
  RC_PRE(text[place] != other && text[place] != '1');
  text[place] = other;
  RC_ASSERT(!DecodeBech32(text));
}

RC_GTEST_PROP(GroupedBytes, AreTheSameBytesAgain, (const std::string& bytes)) {
  RC_ASSERT(UngroupBytes(GroupBytes(bytes)) == bytes);
}

TEST(GroupedBytes, AreFilledUpWithZerosAndNoWholeGroup) {
  EXPECT_EQ(GroupBytes("\xff"), (std::vector<std::uint8_t>{31, 28}));
  EXPECT_EQ(UngroupBytes(std::vector<std::uint8_t>{31, 28}), "\xff");
  EXPECT_EQ(UngroupBytes(std::vector<std::uint8_t>{31, 29}), std::nullopt);
  EXPECT_EQ(UngroupBytes(std::vector<std::uint8_t>{31, 28, 0}), std::nullopt);
}

}  // namespace
}  // namespace talea::cardano
