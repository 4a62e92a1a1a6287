#include "cardano/base58.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "engine/hex_for_test.h"

namespace talea::cardano {
namespace {

// Those of the draft for base 58 (draft-msporny-base58).
TEST(Base58, ReadsAndWritesTheTestVectors) {
  const std::pair<std::string, std::string> vectors[] = {
      {"Hello World!", "2NEpo7TZRRrLZSi2U"},
      {"The quick brown fox jumps over the lazy dog.",
       "USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z"},
      {FromHex("00 00 28 7f b4 cd"), "11233QC4"},
      {"", ""},
      {std::string(3, '\0'), "111"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(EncodeBase58(bytes), text);
    EXPECT_EQ(DecodeBase58(text), bytes);
  }
}

TEST(Base58, HasNoDigitsThatLookAlike) {
  for (const char* text : {"0", "O", "I", "l", "2NEpo7TZRRrLZSi2U ", "_"}) {
    EXPECT_EQ(DecodeBase58(text), std::nullopt) << text;
  }
}

RC_GTEST_PROP(Base58, IsReadAsItWasWritten, (const std::string& bytes)) {
  RC_ASSERT(DecodeBase58(EncodeBase58(bytes)) == bytes);
}

}  // namespace
}  // namespace talea::cardano
