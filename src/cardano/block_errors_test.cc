// Blocks that are none: each is refused with what was expected, what was found and where.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cardano/blocks_for_test.h"
#include "talea/cardano.h"

namespace talea::cardano {
namespace {

std::string ErrorOf(const std::string& bytes) {
  const Result<CardanoBlock> block = CardanoBlock::Read(bytes);
  if (block) return "none";
  EXPECT_EQ(block.error().code(), ErrorCode::invalid_argument);
  return block.error().message();
}

// Without the place, which is that of the test's making.
std::string ErrorWithin(const std::string& bytes) {
  const std::string error = ErrorOf(bytes);
  const std::size_t place = error.find("byte ");
  EXPECT_NE(place, std::string::npos) << error;
  return error.substr(0, place) + error.substr(error.find(": ", place) + 2);
}

const BlockWriter kBabbage(CardanoEra::babbage);
const CborWriter& kCbor = kBabbage.cbor;
const std::string kOutput = kBabbage.Output(EnterpriseAddress(), 1);

std::string BodyError(const BlockWriter::Fields& fields) {
  return ErrorWithin(kBabbage.Block({kBabbage.SimpleBody({}), kBabbage.Body(fields)}));
}

std::string OutputError(const std::string& output) {
  return ErrorWithin(kBabbage.Block({kBabbage.SimpleBody({kOutput, output})}));
}

// One block of each form, with something of everything.
std::vector<std::string> AllForms() {
  std::vector<std::string> forms;
  for (const CborLengths lengths : {CborLengths::definite, CborLengths::indefinite}) {
    const BlockWriter byron(CardanoEra::byron, lengths);
    const std::string output =
        byron.cbor.Array({byron.ByronAddress("inside"), byron.cbor.Unsigned(12)});
    forms.push_back(byron.ByronBlock(
        2, 5, {byron.ByronTransaction(byron.ByronBody({byron.ByronInput('i', 2)}, {output}))}));
    forms.push_back(BlockWriter(CardanoEra::byron_boundary, lengths).ByronBoundaryBlock(1));
    const BlockWriter conway(CardanoEra::conway, lengths);
    const CborWriter& cbor = conway.cbor;
    const std::string assets =
        cbor.Map({{cbor.Bytes(std::string(28, 'a')), cbor.Map({{cbor.Bytes("name"), "\x01"}})}});
    const std::string rich =
        conway.OutputOf(BaseAddress(), cbor.Array({cbor.Unsigned(500), assets}));
    const std::string body = conway.Body({{0, cbor.Tagged(258, cbor.Array({conway.Input('i', 0)}))},
                                          {1, cbor.Array({rich})},
                                          {2, cbor.Unsigned(7)},
                                          {13, cbor.Array({conway.Input('c', 0)})},
                                          {16, conway.Output(EnterpriseAddress(), 3)}});
    forms.push_back(conway.Block({body, conway.SimpleBody({rich})}, {0}));
  }
  return forms;
}

TEST(CardanoBlockErrors, ABlockThatEndsEarlyIsRefusedWhereverItEnds) {
  for (const std::string& form : AllForms()) {
    ASSERT_EQ(ErrorOf(form), "none");
    for (std::size_t size = 0; size < form.size(); ++size)
      EXPECT_TRUE(ErrorOf(form.substr(0, size)).ends_with("found the end of the bytes")) << size;
  }
}

TEST(CardanoBlockErrors, NothingMayStandBehindABlock) {
  for (const std::string& form : AllForms()) {
    EXPECT_EQ(ErrorOf(form + "xy"), "byte " + std::to_string(form.size()) +
                                        ": expected the end of the block, found 2 more bytes");
  }
}

TEST(CardanoBlockErrors, ADamagedByteIsRefusedOrReadAsAnother) {
  for (const std::string& form : AllForms()) {
    for (std::size_t at = 0; at < form.size(); ++at) {
      for (const int change : {0x01, 0x20, 0x40, 0x80, 0xff}) {
        std::string damaged = form;
        damaged[at] = static_cast<char>(damaged[at] ^ change);
        const Result<CardanoBlock> block = CardanoBlock::Read(damaged);
        if (!block) {
          EXPECT_TRUE(block.error().message().find("byte ") != std::string::npos)
              << block.error().message();
        }
      }
    }
  }
}

TEST(CardanoBlockErrors, AreOfTheWrapper) {
  EXPECT_EQ(ErrorOf("hello"),
            "byte 0: expected the era and the block, an array of 2, found the end of the bytes");
  EXPECT_EQ(ErrorOf("\x83\x06\x01\x02"),
            "byte 0: expected the era and the block, an array of 2, found an array of 3");
  EXPECT_EQ(ErrorOf("\x82\x08\x80"), "byte 1: expected an era of 0 to 7, found 8");
  EXPECT_EQ(ErrorOf("\x82\xf6\x80"), "byte 1: expected the era, an unsigned integer, found null");
}

TEST(CardanoBlockErrors, AreOfTheParts) {
  const BlockWriter alonzo(CardanoEra::alonzo);
  EXPECT_EQ(ErrorWithin(alonzo.Wrap(kCbor.Array({"\x01", "\x01", "\x01", "\x01"}))),
            "expected the block, an array of 5, found an array of 4");
  const BlockWriter mary(CardanoEra::mary);
  EXPECT_EQ(ErrorWithin(mary.Wrap(kCbor.Array({"\x01", "\x01", "\x01", "\x01", "\x80"}))),
            "expected the block, an array of 4, found an array of 5");
  EXPECT_EQ(ErrorWithin(mary.Wrap(kCbor.Array({mary.Header(), "\x01", "\x01", "\x01"}))),
            "expected the transactions, an array, found the integer 1");
  const std::string header =
      kCbor.Array({kCbor.Array({"\x01", "\x02", kCbor.Bytes("short")}), kCbor.Bytes("signature")});
  EXPECT_EQ(ErrorWithin(mary.Wrap(kCbor.Array({header, "\x80", "\x80", "\x80"}))),
            "expected the parent's hash of 32 bytes, found 5");
}

TEST(CardanoBlockErrors, APlaceBeyondTheTransactionsCannotBeInvalid) {
  EXPECT_EQ(ErrorWithin(kBabbage.Block({kBabbage.SimpleBody({kOutput})}, {0, 1})),
            "expected the place of one of 1 transactions, found 1");
}

TEST(CardanoBlockErrors, AreOfATransactionsBodyAndNameIt) {
  const std::string inputs = kCbor.Array({kBabbage.Input('i', 0)});
  const std::string outputs = kCbor.Array({kOutput});
  EXPECT_EQ(BodyError({{0, inputs}, {1, outputs}}),
            "transaction 1: expected a transaction's body with keys 0, 1 and 2, found none with 2");
  EXPECT_EQ(BodyError({{0, inputs}, {1, outputs}, {2, "\x01"}, {0, inputs}}),
            "transaction 1: expected each key of a transaction's body once, found 0 again");
  EXPECT_EQ(BodyError({{0, "\x01"}}),
            "transaction 1: expected the inputs, an array, found the integer 1");
  EXPECT_EQ(BodyError({{0, kCbor.Array({kCbor.Array({kCbor.Bytes("short"), "\x01"})})}}),
            "transaction 1: expected the input's transaction of 32 bytes, found 5");
  EXPECT_EQ(BodyError({{0, kCbor.Array({kBabbage.Input('i', 0x1'0000'0000)})}}),
            "transaction 1: expected the input's index, at most 4294967295, found 4294967296");
  EXPECT_EQ(BodyError({{2, "\x20"}}),
            "transaction 1: expected the fee, an unsigned integer, found a negative integer");
}

TEST(CardanoBlockErrors, OfAnInvalidTransactionNameIt) {
  BlockWriter::Fields fields = {{0, kCbor.Array({})}, {1, kCbor.Array({})}, {2, "\x01"}};
  fields.emplace_back(16, "\x05");
  EXPECT_EQ(ErrorWithin(kBabbage.Block({kBabbage.SimpleBody({}), kBabbage.Body(fields)}, {1})),
            "transaction 1: expected the output, an array of at least 2, found the integer 5");
}

TEST(CardanoBlockErrors, AreOfAnOutput) {
  EXPECT_EQ(OutputError(kBabbage.Output("\x61", 1)),
            "transaction 0: address: expected at least 29 bytes for kind 6, found 1");
  EXPECT_EQ(OutputError(kBabbage.OutputOf("\x82", kCbor.Text("five"))),
            "transaction 0: expected the value, an unsigned integer or an array of 2, found a text "
            "of 4 bytes");
  EXPECT_EQ(OutputError(kCbor.Map({{"\x01", "\x05"}})),
            "transaction 0: expected an output with an address and a value, found 0 addresses and "
            "1 values");
  const std::string assets = kCbor.Map({{kCbor.Bytes("short"), kCbor.Map({})}});
  EXPECT_EQ(OutputError(kBabbage.OutputOf("\x82", kCbor.Array({"\x05", assets}))),
            "transaction 0: expected the policy of 28 bytes, found 5");
  const BlockWriter alonzo(CardanoEra::alonzo);
  EXPECT_EQ(ErrorWithin(alonzo.Block({alonzo.SimpleBody({kCbor.Map({})})})),
            "transaction 0: expected the output, an array of at least 2, found a map of 0");
}

// A name of 33 bytes, which no asset has, was taken: CardanoAsset says that 32 is the most.
TEST(CardanoBlockErrors, TheNameOfAnAssetMayBeTooLong) {
  const auto with_name = [](std::size_t bytes) {
    const std::string assets =
        kCbor.Map({{kCbor.Bytes(std::string(28, 'a')),
                    kCbor.Map({{kCbor.Bytes(std::string(bytes, 'n')), "\x01"}})}});
    return kBabbage.OutputOf(EnterpriseAddress(), kCbor.Array({kCbor.Unsigned(1), assets}));
  };
  EXPECT_EQ(ErrorOf(kBabbage.Block({kBabbage.SimpleBody({with_name(32)})})), "none");
  EXPECT_EQ(OutputError(with_name(33)),
            "transaction 0: expected the name of an asset of at most 32 bytes, found 33");
}

TEST(CardanoBlockErrors, AreOfByronsParts) {
  const BlockWriter byron(CardanoEra::byron);
  const auto error = [&](const std::string& input, const std::string& output) {
    return ErrorWithin(
        byron.ByronBlock(0, 0, {byron.ByronTransaction(byron.ByronBody({input}, {output}))}));
  };
  const std::string good = kCbor.Array({byron.ByronAddress("inside"), "\x01"});
  EXPECT_EQ(error(byron.ByronInput('i', 0, 1), good),
            "transaction 0: expected an input of kind 0, found 1");
  EXPECT_EQ(error(kCbor.Array({kCbor.Unsigned(0), kCbor.Tagged(23, kCbor.Bytes("x"))}), good),
            "transaction 0: expected the input, tag 24, found tag 23");
  const std::string longer = kCbor.Bytes(byron.Input('i', 0) + "x");
  EXPECT_EQ(error(kCbor.Array({kCbor.Unsigned(0), kCbor.Tagged(24, longer)}), good),
            "transaction 0: expected the end of the input, found 1 more bytes");
  EXPECT_EQ(error(byron.ByronInput('i', 0), kCbor.Array({kCbor.Bytes("x"), "\x01"})),
            "transaction 0: expected the address, an array of 2, found a byte string of 1 bytes");
  EXPECT_EQ(ErrorWithin(byron.ByronBlock(0x1'0000'0000, 0, {})),
            "expected an epoch of 32 bits, found 4294967296");
  EXPECT_EQ(ErrorWithin(byron.ByronBlock(0, 0x1'0000'0000, {})),
            "expected a slot of 32 bits, found 4294967296");
}

}  // namespace
}  // namespace talea::cardano
