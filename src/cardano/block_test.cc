// What is read of blocks, made for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cardano/blocks_for_test.h"
#include "cardano/hash.h"
#include "talea/cardano.h"

namespace talea::cardano {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Bytes32 Repeated(char letter) { return Bytes32::From(std::string(32, letter)).value(); }

// The tags as text, such as "payment:pp..".
std::vector<std::string> TagsOf(const Output& output) {
  std::vector<std::string> tags;
  for (const Tag& tag : output.tags)
    tags.push_back(std::string(Name(tag.kind)) + ":" + std::string(tag.bytes));
  return tags;
}

// The only output of the only transaction.
Output OnlyOutput(const CardanoBlock& block) {
  EXPECT_EQ(block.transactions().size(), 1);
  EXPECT_EQ(block.transactions().at(0).produced.size(), 1);
  return block.transactions().at(0).produced.at(0);
}

CardanoBlock BlockWithOutput(const BlockWriter& writer, const std::string& output) {
  return CardanoBlock::Read(writer.Block({writer.SimpleBody({output})})).value();
}

class EveryEra : public testing::TestWithParam<CardanoEra> {};

TEST_P(EveryEra, ReadsWhereABlockStandsAndWhatItDoes) {
  const BlockWriter writer(GetParam());
  const std::string output = writer.Output(EnterpriseAddress(), 1'000'000);
  const std::string body = writer.SimpleBody({output, writer.Output(BaseAddress(), 5)});
  const CardanoBlock block = CardanoBlock::Read(writer.Block({body})).value();
  EXPECT_EQ(block.era(), GetParam());
  EXPECT_EQ(block.number(), BlockWriter::kNumber);
  EXPECT_EQ(block.slot(), BlockWriter::kSlot);
  EXPECT_EQ(block.hash(), Blake2b256(writer.Header()));
  EXPECT_EQ(block.parent(), Repeated('p'));
  EXPECT_EQ(block.point(), ChainPoint::Of(block.slot(), block.hash()));

  ASSERT_EQ(block.transactions().size(), 1);
  const CardanoTransaction& transaction = block.transactions().front();
  EXPECT_EQ(transaction.hash, Blake2b256(body));
  EXPECT_TRUE(transaction.valid);
  EXPECT_EQ(transaction.fee, 7);
  EXPECT_THAT(transaction.consumed, ElementsAre(OutputReference{Repeated('i'), 0}));
  ASSERT_EQ(transaction.produced.size(), 2);
  EXPECT_EQ(transaction.produced[0].reference, (OutputReference{transaction.hash, 0}));
  EXPECT_EQ(transaction.produced[1].reference, (OutputReference{transaction.hash, 1}));
  EXPECT_EQ(transaction.produced[0].era, static_cast<std::uint16_t>(GetParam()));
  EXPECT_EQ(transaction.produced[0].cbor, output);
  EXPECT_EQ(transaction.produced[0].coin, 1'000'000);
}

INSTANTIATE_TEST_SUITE_P(CardanoBlock, EveryEra,
                         testing::Values(CardanoEra::shelley, CardanoEra::allegra, CardanoEra::mary,
                                         CardanoEra::alonzo, CardanoEra::babbage,
                                         CardanoEra::conway),
                         [](const auto& era) { return std::string(Name(era.param)); });

TEST(CardanoBlock, TheFirstOfANetworkHasNoParent) {
  const BlockWriter writer(CardanoEra::mary);
  const CborWriter& cbor = writer.cbor;
  const std::string header = cbor.Array(
      {cbor.Array({cbor.Unsigned(0), cbor.Unsigned(20), cbor.Null()}), cbor.Bytes("signature")});
  const std::string bytes =
      writer.Wrap(cbor.Array({header, cbor.Array({}), cbor.Array({}), cbor.Map({})}));
  EXPECT_EQ(CardanoBlock::Read(bytes).value().parent(), std::nullopt);
}

TEST(CardanoBlock, OutputsAreFoundByTheirAddressAndWhatIsInIt) {
  const BlockWriter writer(CardanoEra::alonzo);
  const std::string payment = "payment:" + std::string(28, 'p');
  const std::string stake = "stake:" + std::string(28, 's');
  const auto tags = [&](const std::string& address) {
    const CardanoBlock block = BlockWithOutput(writer, writer.Output(address, 1));
    return TagsOf(OnlyOutput(block));
  };
  EXPECT_THAT(tags(BaseAddress()), ElementsAre("address:" + BaseAddress(), payment, stake));
  EXPECT_THAT(tags(PointerAddress()), ElementsAre("address:" + PointerAddress(), payment));
  EXPECT_THAT(tags(EnterpriseAddress()), ElementsAre("address:" + EnterpriseAddress(), payment));
  EXPECT_THAT(tags("\x82\xd8"), ElementsAre("address:\x82\xd8"));
}

TEST(CardanoBlock, OutputsAreFoundByTheirAssetsAndPoliciesEachOnce) {
  const BlockWriter writer(CardanoEra::mary);
  const CborWriter& cbor = writer.cbor;
  const std::string a(28, 'a');
  const std::string b(28, 'b');
  const std::string c(28, 'c');
  const std::string assets = cbor.Map(
      {{cbor.Bytes(b), cbor.Map({{cbor.Bytes(""), cbor.Unsigned(3)}})},
       {cbor.Bytes(a), cbor.Map({{cbor.Bytes("two"), "\x01"}, {cbor.Bytes("one"), "\x02"}})},
       {cbor.Bytes(c), cbor.Map({{cbor.Bytes("none of it"), cbor.Unsigned(0)}})},
       {cbor.Bytes(b), cbor.Map({{cbor.Bytes(""), cbor.Unsigned(4)}})}});
  const std::string value = cbor.Array({cbor.Unsigned(9), assets});
  const CardanoBlock block = BlockWithOutput(writer, writer.OutputOf("\x82", value));
  const Output output = OnlyOutput(block);
  EXPECT_EQ(output.coin, 9);
  EXPECT_THAT(TagsOf(output),
              ElementsAre("address:\x82", "policy:" + a, "policy:" + b, "asset:" + a + "one",
                          "asset:" + a + "two", "asset:" + b));
}

TEST(CardanoBlock, OutputsSinceBabbageMayBeMaps) {
  const BlockWriter writer(CardanoEra::babbage);
  const CborWriter& cbor = writer.cbor;
  const std::string datum = cbor.Array({"\x01", cbor.Tagged(24, cbor.Bytes("datum"))});
  const std::string output = cbor.Map({{"\x01", cbor.Unsigned(5)},
                                       {"\x02", datum},
                                       {cbor.Unsigned(0), cbor.Bytes(EnterpriseAddress())}});
  const CardanoBlock block = BlockWithOutput(writer, output);
  EXPECT_EQ(OnlyOutput(block).cbor, output);
  EXPECT_EQ(OnlyOutput(block).coin, 5);
  EXPECT_THAT(TagsOf(OnlyOutput(block)),
              ElementsAre("address:" + EnterpriseAddress(), "payment:" + std::string(28, 'p')));
}

TEST(CardanoBlock, TagsAreInOrderWhateverTheOrderOfAnOutputsKeys) {
  const BlockWriter writer(CardanoEra::babbage);
  const CborWriter& cbor = writer.cbor;
  const std::string policy(28, 'a');
  const std::string assets =
      cbor.Map({{cbor.Bytes(policy), cbor.Map({{cbor.Bytes("x"), "\x01"}})}});
  const std::string output = cbor.Map({{"\x01", cbor.Array({"\x05", assets})},
                                       {cbor.Unsigned(0), cbor.Bytes(EnterpriseAddress())}});
  const CardanoBlock block = BlockWithOutput(writer, output);
  EXPECT_THAT(TagsOf(OnlyOutput(block)),
              ElementsAre("address:" + EnterpriseAddress(), "payment:" + std::string(28, 'p'),
                          "policy:" + policy, "asset:" + policy + "x"));
}

TEST(CardanoBlock, PassesOverWhatStandsBehindTheValueOfAnOutput) {
  const BlockWriter writer(CardanoEra::alonzo);
  const CborWriter& cbor = writer.cbor;
  const std::string output =
      cbor.Array({cbor.Bytes(EnterpriseAddress()), "\x05", cbor.Bytes("hash of a datum")});
  const CardanoBlock block = BlockWithOutput(writer, output);
  EXPECT_EQ(OnlyOutput(block).cbor, output);
}

// A transaction with two inputs, two outputs and collateral; the return is left to the tests.
BlockWriter::Fields BodyWithCollateral(const BlockWriter& writer) {
  const CborWriter& cbor = writer.cbor;
  const std::string output = writer.Output(EnterpriseAddress(), 1);
  return {{0, cbor.Array({writer.Input('i', 0), writer.Input('j', 1)})},
          {1, cbor.Array({output, output})},
          {2, cbor.Unsigned(7)},
          {13, cbor.Array({writer.Input('c', 3)})}};
}

TEST(CardanoBlock, AnInvalidTransactionConsumesItsCollateralAndProducesWhatIsReturned) {
  const BlockWriter writer(CardanoEra::babbage);
  BlockWriter::Fields fields = BodyWithCollateral(writer);
  const std::string returned = writer.Output(BaseAddress(), 50);
  fields.emplace_back(16, returned);
  fields.emplace_back(17, writer.cbor.Unsigned(9));
  const std::string body = writer.Body(fields);
  const std::string valid = writer.SimpleBody({writer.Output(EnterpriseAddress(), 2)});
  const CardanoBlock block = CardanoBlock::Read(writer.Block({valid, body}, {1})).value();

  ASSERT_EQ(block.transactions().size(), 2);
  EXPECT_TRUE(block.transactions()[0].valid);
  EXPECT_EQ(block.transactions()[0].produced.size(), 1);
  const CardanoTransaction& invalid = block.transactions()[1];
  EXPECT_FALSE(invalid.valid);
  EXPECT_EQ(invalid.hash, Blake2b256(body));
  EXPECT_THAT(invalid.consumed, ElementsAre(OutputReference{Repeated('c'), 3}));
  ASSERT_EQ(invalid.produced.size(), 1);
  EXPECT_EQ(invalid.produced[0].reference, (OutputReference{invalid.hash, 2}));
  EXPECT_EQ(invalid.produced[0].cbor, returned);
  EXPECT_EQ(invalid.produced[0].coin, 50);
  EXPECT_EQ(invalid.produced[0].tags.size(), 3);
}

TEST(CardanoBlock, AnInvalidTransactionWithoutAReturnProducesNothing) {
  const BlockWriter writer(CardanoEra::alonzo);
  const std::string body = writer.Body(BodyWithCollateral(writer));
  const CardanoBlock block = CardanoBlock::Read(writer.Block({body}, {0})).value();
  EXPECT_THAT(block.transactions()[0].consumed, ElementsAre(OutputReference{Repeated('c'), 3}));
  EXPECT_THAT(block.transactions()[0].produced, IsEmpty());
}

TEST(CardanoBlock, TheIndexOfAReturnDoesNotDependOnTheOrderOfKeys) {
  const BlockWriter writer(CardanoEra::babbage);
  BlockWriter::Fields fields = BodyWithCollateral(writer);
  fields.insert(fields.begin(), {16, writer.Output(BaseAddress(), 50)});
  const CardanoBlock block = CardanoBlock::Read(writer.Block({writer.Body(fields)}, {0})).value();
  EXPECT_EQ(OnlyOutput(block).reference.index, 2);
}

TEST(CardanoBlock, AValidTransactionLeavesItsCollateralAlone) {
  const BlockWriter writer(CardanoEra::babbage);
  BlockWriter::Fields fields = BodyWithCollateral(writer);
  fields.emplace_back(16, writer.Output(BaseAddress(), 50));
  fields.emplace_back(18, writer.cbor.Array({writer.Input('r', 0)}));
  const CardanoBlock block = CardanoBlock::Read(writer.Block({writer.Body(fields)})).value();
  EXPECT_THAT(block.transactions()[0].consumed,
              ElementsAre(OutputReference{Repeated('i'), 0}, OutputReference{Repeated('j'), 1}));
  EXPECT_EQ(block.transactions()[0].produced.size(), 2);
}

TEST(CardanoBlock, ReadsSetsWithTheirTagAndTakesEachInputOnce) {
  const BlockWriter writer(CardanoEra::conway);
  const CborWriter& cbor = writer.cbor;
  const std::string inputs = cbor.Tagged(
      258, cbor.Array({writer.Input('z', 0), writer.Input('a', 1), writer.Input('z', 0)}));
  const std::string body = writer.Body({{0, inputs}, {1, cbor.Array({})}, {2, "\x01"}});
  const CardanoBlock block = CardanoBlock::Read(writer.Block({body})).value();
  EXPECT_THAT(block.transactions()[0].consumed,
              ElementsAre(OutputReference{Repeated('z'), 0}, OutputReference{Repeated('a'), 1}));
}

TEST(CardanoBlock, ReadsWhatHasNoLengthsAtItsFronts) {
  const BlockWriter writer(CardanoEra::conway, CborLengths::indefinite);
  const CborWriter& cbor = writer.cbor;
  const std::string assets = cbor.Map(
      {{cbor.Bytes(std::string(28, 'a')), cbor.Map({{cbor.Bytes("name"), cbor.Unsigned(1)}})}});
  const std::string output = cbor.Map({{cbor.Unsigned(0), cbor.Bytes(BaseAddress())},
                                       {cbor.Unsigned(1), cbor.Array({cbor.Unsigned(5), assets})}});
  BlockWriter::Fields fields = BodyWithCollateral(writer);
  fields.emplace_back(16, output);
  const std::string body = writer.Body(fields);
  const std::string bytes = writer.Block({body, writer.SimpleBody({output})}, {0});
  CardanoBlock read = CardanoBlock::Read(bytes).value();
  const CardanoBlock block = std::move(read);  // and its views stay what they were
  EXPECT_EQ(block.hash(), Blake2b256(writer.Header()));
  EXPECT_EQ(block.parent(), Repeated('p'));
  ASSERT_EQ(block.transactions().size(), 2);
  EXPECT_EQ(block.transactions()[0].hash, Blake2b256(body));
  EXPECT_THAT(block.transactions()[0].consumed, ElementsAre(OutputReference{Repeated('c'), 3}));
  for (const CardanoTransaction& transaction : block.transactions()) {
    ASSERT_EQ(transaction.produced.size(), 1);
    EXPECT_EQ(transaction.produced[0].cbor, output);
    EXPECT_THAT(TagsOf(transaction.produced[0]),
                ElementsAre("address:" + BaseAddress(), "payment:" + std::string(28, 'p'),
                            "stake:" + std::string(28, 's'), "policy:" + std::string(28, 'a'),
                            "asset:" + std::string(28, 'a') + "name"));
  }
}

TEST(CardanoBlock, ReadsByronsBoundaryBlocks) {
  const BlockWriter writer(CardanoEra::byron_boundary);
  const CborWriter& cbor = writer.cbor;
  const CardanoBlock block = CardanoBlock::Read(writer.ByronBoundaryBlock(3)).value();
  const std::string header =
      writer.ByronHeader(cbor.Array({cbor.Unsigned(3), cbor.Array({cbor.Unsigned(4)})}));
  EXPECT_EQ(block.era(), CardanoEra::byron_boundary);
  EXPECT_EQ(block.slot(), 3 * 21'600);
  EXPECT_EQ(block.number(), BlockWriter::kNumber);
  EXPECT_EQ(block.hash(), Blake2b256(std::string("\x82\x00", 2) + header));
  EXPECT_EQ(block.parent(), Repeated('p'));
  EXPECT_THAT(block.transactions(), IsEmpty());
}

TEST(CardanoBlock, ReadsByronsTransactions) {
  for (const CborLengths lengths : {CborLengths::definite, CborLengths::indefinite}) {
    const BlockWriter writer(CardanoEra::byron, lengths);
    const std::string address = writer.ByronAddress("inside");
    const std::string output = writer.cbor.Array({address, writer.cbor.Unsigned(12)});
    const std::string body = writer.ByronBody({writer.ByronInput('i', 2)}, {output, output});
    const CardanoBlock block =
        CardanoBlock::Read(writer.ByronBlock(2, 5, {writer.ByronTransaction(body)})).value();
    EXPECT_EQ(block.slot(), 2 * 21'600 + 5);
    EXPECT_EQ(block.number(), BlockWriter::kNumber);
    ASSERT_EQ(block.transactions().size(), 1);
    const CardanoTransaction& transaction = block.transactions()[0];
    EXPECT_EQ(transaction.hash, Blake2b256(body));
    EXPECT_EQ(transaction.fee, 0);
    EXPECT_THAT(transaction.consumed, ElementsAre(OutputReference{Repeated('i'), 2}));
    ASSERT_EQ(transaction.produced.size(), 2);
    EXPECT_EQ(transaction.produced[1].reference, (OutputReference{transaction.hash, 1}));
    EXPECT_EQ(transaction.produced[1].era, 1);
    EXPECT_EQ(transaction.produced[1].cbor, output);
    EXPECT_EQ(transaction.produced[1].coin, 12);
    EXPECT_THAT(TagsOf(transaction.produced[1]), ElementsAre("address:" + address));
  }
}

TEST(CardanoBlock, BecomesTheBlockOfALedger) {
  const BlockWriter writer(CardanoEra::shelley);
  const std::string body = writer.SimpleBody({writer.Output(BaseAddress(), 5)});
  const CardanoBlock read = CardanoBlock::Read(writer.Block({body, body})).value();
  const Block block = read.ToBlock(ChainPoint::AtSlot(3));
  EXPECT_EQ(block.parent, ChainPoint::AtSlot(3));
  EXPECT_EQ(block.point, read.point());
  EXPECT_EQ(block.consumed.size(), 2);
  ASSERT_EQ(block.produced.size(), 2);
  EXPECT_EQ(block.produced[0].tags, read.transactions()[0].produced[0].tags);
}

}  // namespace
}  // namespace talea::cardano
