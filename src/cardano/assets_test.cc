#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "engine/hex_for_test.h"
#include "talea/cardano.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

OutputValue Stored(CardanoEra era, const std::string& cbor) {
  std::string stored;
  AppendBigEndian16(stored, static_cast<std::uint16_t>(era));
  return OutputValue::FromStored(stored + FromHex(cbor)).value();
}

// 28 bytes, as CBOR.
std::string Policy(const std::string& byte) {
  std::string text = "58 1c";
  for (int i = 0; i < 28; ++i) text += " " + byte;
  return text;
}

const std::string kAddress = "41 61";
// Two policies; one of the quantities is 0, which is none.
const std::string kValue = "82 19 03 e8 a2 " + Policy("0a") + " a2 41 78 01 40 1a 00 0f 42 40 " +
                           Policy("0b") + " a2 41 79 00 42 79 79 1b ff ff ff ff ff ff ff ff";

TEST(CardanoAssets, AreReadFromBothFormsOfAnOutput) {
  const CardanoAsset x{std::string(28, '\x0a'), "x", 1};
  const CardanoAsset unnamed{std::string(28, '\x0a'), "", 1'000'000};
  const CardanoAsset yy{std::string(28, '\x0b'), "yy", ~0ull};
  for (const std::string& cbor :
       {"82 " + kAddress + " " + kValue, "83 " + kAddress + " " + kValue + " 41 00",
        "a2 00 " + kAddress + " 01 " + kValue, "a2 01 " + kValue + " 00 " + kAddress,
        "bf 00 " + kAddress + " 02 82 00 41 00 01 " + kValue + " ff"}) {
    EXPECT_THAT(ASSERT_VALUE(ReadCardanoAssets(Stored(CardanoEra::babbage, cbor))),
                ElementsAre(x, unnamed, yy))
        << cbor;
  }
}

TEST(CardanoAssets, AreNoneWhereThereIsCoinAlone) {
  EXPECT_THAT(ASSERT_VALUE(ReadCardanoAssets(Stored(CardanoEra::byron, "82 41 61 19 03 e8"))),
              IsEmpty());
  EXPECT_THAT(ASSERT_VALUE(ReadCardanoAssets(Stored(CardanoEra::conway, "a2 00 41 61 01 05"))),
              IsEmpty());
  EXPECT_THAT(ASSERT_VALUE(ReadCardanoAssets(Stored(CardanoEra::mary, "82 41 61 82 05 a0"))),
              IsEmpty());
}

TEST(CardanoAssets, OfWhatIsNoOutputAreCorruption) {
  for (const std::string& cbor :
       {std::string(), std::string("01"), std::string("81 41 61"), std::string("a1 00 41 61"),
        std::string("82 41 61 82 05"), std::string("82 41 61 20"),
        "82 41 61 82 05 a1 " + Policy("0a") + " a1 41 78 20"}) {
    const auto read = ReadCardanoAssets(Stored(CardanoEra::mary, cbor));
    ASSERT_ERROR(read, ErrorCode::corruption);
    EXPECT_THAT(read.error().message(), HasSubstr("output of era 4: byte ")) << cbor;
  }
}

// `talea chain show output` looked for the name of an era of number 300, which somebody else's
// ledger may have, far behind the last of the names.
TEST(CardanoEraName, OfANumberThatIsNoneIsUnknown) {
  EXPECT_EQ(Name(CardanoEra::conway), "conway");
  EXPECT_EQ(Name(static_cast<CardanoEra>(8)), "unknown");
  EXPECT_EQ(Name(static_cast<CardanoEra>(65'535)), "unknown");
}

}  // namespace
}  // namespace talea
