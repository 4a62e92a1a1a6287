#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "base/hex.h"
#include "cardano/blocks_for_test.h"
#include "cardano/import_for_test.h"
#include "cardano/real_blocks_testing.h"
#include "talea/cardano.h"

namespace talea::cardano {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

const BlockWriter kWriter(CardanoEra::babbage);

// A block with an output of this coin and, where it is to be large, so many bytes in another one.
std::string SmallBlock(std::uint64_t coin, std::size_t bytes = 0) {
  const std::string large = kWriter.Output("\x82" + std::string(bytes, 'x'), 1);
  return kWriter.Block({kWriter.SimpleBody({kWriter.Output(EnterpriseAddress(), coin), large})});
}

std::uint64_t CoinOf(const CardanoBlock& block) {
  return block.transactions().at(0).produced.at(0).coin;
}

// The coins of all blocks of a file, and the error at its end, if there is one.
struct Contents {
  std::vector<std::uint64_t> coins;
  std::string error;
};

Contents ReadAll(const std::filesystem::path& path) {
  Result<CardanoFile> file = CardanoFile::Open(path);
  if (!file) return {{}, file.error().message()};
  Contents contents;
  for (;;) {
    const auto block = file->Next();
    if (!block) return {contents.coins, block.error().message()};
    if (*block == nullptr) return contents;
    contents.coins.push_back(CoinOf(**block));
    EXPECT_LE(file->bytes_read(), file->size());
  }
}

std::string Hex(ByteView bytes) {
  std::string digits;
  AppendHex(digits, bytes);
  return digits;
}

class CardanoFileTest : public testing::Test {
 protected:
  BlockFolder folder_;
};

TEST_F(CardanoFileTest, ReadsBlocksThatStandOneBehindTheOther) {
  const std::string bytes = SmallBlock(1) + SmallBlock(2) + SmallBlock(3);
  CardanoFile file = CardanoFile::Open(folder_.Write("chunk", bytes)).value();
  EXPECT_EQ(file.size(), bytes.size());
  EXPECT_EQ(file.bytes_read(), 0);
  EXPECT_EQ(CoinOf(*file.Next().value()), 1);
  EXPECT_EQ(file.bytes_read(), SmallBlock(1).size());
  EXPECT_EQ(CoinOf(*file.Next().value()), 2);
  const CardanoBlock* const last = file.Next().value();
  EXPECT_EQ(last->bytes(), SmallBlock(3));
  EXPECT_EQ(file.bytes_read(), bytes.size());
  EXPECT_EQ(file.Next().value(), nullptr);
  EXPECT_EQ(file.Next().value(), nullptr);
}

TEST_F(CardanoFileTest, ReadsABlockInDigits) {
  const std::string digits = Hex(SmallBlock(4));
  for (const std::string end : {"", "\n", "\r\n", " \n\n"}) {
    CardanoFile file = CardanoFile::Open(folder_.Write("block", digits + end)).value();
    EXPECT_EQ(file.bytes_read(), 0);
    EXPECT_EQ(CoinOf(*file.Next().value()), 4);
    EXPECT_EQ(file.bytes_read(), file.size());
    EXPECT_EQ(file.Next().value(), nullptr);
  }
}

TEST_F(CardanoFileTest, AnEmptyFileHasNoBlocks) {
  EXPECT_EQ(ReadAll(folder_.Write("chunk", "")).error, "");
  EXPECT_TRUE(ReadAll(folder_.Write("chunk", "")).coins.empty());
}

// Blocks that are larger than what is read at once, smaller ones, and ends in all places.
TEST_F(CardanoFileTest, ReadsBlocksOfAllSizes) {
  std::string bytes;
  std::vector<std::uint64_t> coins;
  for (const std::size_t size : {10, 700'000, 100'000, 100'000, 100'000, 50, 300'000, 3'000'000}) {
    coins.push_back(bytes.size());
    bytes += SmallBlock(bytes.size(), size);
  }
  const Contents contents = ReadAll(folder_.Write("chunk", bytes));
  EXPECT_EQ(contents.error, "");
  EXPECT_EQ(contents.coins, coins);
}

TEST_F(CardanoFileTest, SaysWhichBlockIsWrongAndWhereItBegins) {
  const std::string good = SmallBlock(1);
  const auto path = folder_.Write("chunk", good + good + "\x82\x09\x80");
  const Contents contents = ReadAll(path);
  EXPECT_EQ(contents.coins.size(), 2);
  EXPECT_EQ(contents.error, "file \"" + path.string() + "\", block 2 at byte " +
                                std::to_string(2 * good.size()) +
                                ": byte 1: expected an era of 0 to 7, found 9");
}

TEST_F(CardanoFileTest, SaysTheSameWhenAskedAgain) {
  CardanoFile file = CardanoFile::Open(folder_.Write("chunk", "\x82\x09\x80")).value();
  const std::string error = file.Next().error().message();
  EXPECT_EQ(file.Next().error().message(), error);
}

TEST_F(CardanoFileTest, AFileThatEndsWithinABlockIsAnError) {
  const std::string good = SmallBlock(1);
  for (const std::size_t size : {std::size_t{1}, good.size() / 2, good.size() - 1}) {
    const Contents contents = ReadAll(folder_.Write("chunk", good + good.substr(0, size)));
    EXPECT_EQ(contents.coins.size(), 1);
    EXPECT_THAT(contents.error, HasSubstr(": the file ends within it: "));
    EXPECT_THAT(contents.error, EndsWith("found the end of the bytes"));
  }
}

TEST_F(CardanoFileTest, DoesNotReadALengthThatNoBlockHas) {
  const std::string length("\x82\x5b\x00\x00\x00\x00\x7f\xff\xff\xff", 10);
  const Contents contents = ReadAll(folder_.Write("chunk", length + std::string(1000, 'x')));
  EXPECT_THAT(contents.error, HasSubstr("expected a block of at most 16777216 bytes, found one of "
                                        "at least 2147483657: byte 1: "));
}

TEST_F(CardanoFileTest, DoesNotReadABlockWithoutAnEnd) {
  std::string block = "\x82\x06\x9f" + kWriter.Header() + "\x80\x9f";
  while (block.size() < 17 << 20) block += kWriter.cbor.Bytes(std::string(60'000, 'x'));
  const Contents contents = ReadAll(folder_.Write("chunk", block));
  EXPECT_THAT(contents.error, HasSubstr("expected a block of at most 16777216 bytes"));
}

// A block of 19 MiB was read where its first string had made the window longer than 16 MiB: whether
// a block was too long depended on what it was made of.
TEST_F(CardanoFileTest, DoesNotReadABlockThatIsTooLongInPieces) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  EXPECT_EQ(ReadAll(folder_.Write("right", SmallBlock(1, 15 * kMiB))).error, "");
  const auto large = [](std::size_t bytes) {
    return kWriter.Output("\x82" + std::string(bytes, 'x'), 1);
  };
  const std::string block =
      kWriter.Block({kWriter.SimpleBody({large(10 * kMiB), large(9 * kMiB)})});
  EXPECT_THAT(ReadAll(folder_.Write("long", block)).error,
              HasSubstr("expected a block of at most 16777216 bytes, found one of at least "));
}

TEST_F(CardanoFileTest, DigitsMustBeThoseOfOneBlock) {
  const std::string digits = Hex(SmallBlock(4));
  const auto error = [&](const std::string& text) {
    return ReadAll(folder_.Write("block", text)).error;
  };
  EXPECT_THAT(error(digits + digits), EndsWith("more bytes"));
  EXPECT_THAT(error(digits + "0"),
              EndsWith("expected two hexadecimal digits for each byte, found " +
                       std::to_string(digits.size() + 1)));
  EXPECT_THAT(error("82x0" + digits),
              EndsWith("character 2: expected a hexadecimal digit, found \"x\""));
  EXPECT_THAT(error(digits.substr(0, digits.size() - 2)), HasSubstr("the file ends within it"));
}

TEST_F(CardanoFileTest, AFileThatIsNotThereIsAnError) {
  const Result<CardanoFile> file = CardanoFile::Open(folder_.path() / "missing");
  ASSERT_FALSE(file);
  EXPECT_THAT(file.error().message(), HasSubstr("missing"));
}

// Blocks of real networks. The hashes were computed of their headers with another implementation.
struct RealBlock {
  std::string name;
  CardanoEra era;
  std::uint64_t number;
  std::uint64_t slot;
  std::string hash;
  std::size_t transactions;
  std::size_t consumed;
  std::size_t produced;
};

class RealBlockTest : public testing::TestWithParam<RealBlock> {};

TEST_P(RealBlockTest, IsRead) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  const RealBlock& known = GetParam();
  CardanoFile file = CardanoFile::Open(RealBlocks() / (known.name + ".block")).value();
  const CardanoBlock& block = *file.Next().value();
  EXPECT_EQ(block.era(), known.era);
  EXPECT_EQ(block.number(), known.number);
  EXPECT_EQ(block.slot(), known.slot);
  EXPECT_EQ(block.hash().ToString(), known.hash);
  EXPECT_EQ(block.transactions().size(), known.transactions);
  EXPECT_EQ(block.ToBlock({}).consumed.size(), known.consumed);
  EXPECT_EQ(block.ToBlock({}).produced.size(), known.produced);
  EXPECT_EQ(file.Next().value(), nullptr);
}

INSTANTIATE_TEST_SUITE_P(
    CardanoFile, RealBlockTest,
    testing::Values(
        RealBlock{"byron2", CardanoEra::byron, 3239842, 3241381,
                  "5a4f135aac8083df35161afca982d2cbd6c752421ae292ad09735b982d86ce40", 2, 7, 8},
        RealBlock{"shelley1", CardanoEra::shelley, 4662237, 7948610,
                  "7dce9cfd6d44c5eb58eb5200532b3fa04086ee26cbdd712a4dd04f1b1ef90ca5", 4, 5, 6},
        RealBlock{"allegra1", CardanoEra::allegra, 5192804, 18748707,
                  "f23a7dc9c587fc056a25ff88c8a4d0f8a3f86a799b931672ccbc02edbcc63c98", 3, 6, 10},
        RealBlock{"mary1", CardanoEra::mary, 5616812, 27388606,
                  "5ccb2a9061bea6b20353489dfd21ea47787e368c88d00ed381b34759ec8d0eb4", 14, 23, 26},
        RealBlock{"alonzo4", CardanoEra::alonzo, 3098725, 43379666,
                  "48988c263e5bf9bb2130a3716eb8ae172eaf1544cf13be150e457473463f6c52", 6, 8, 11},
        RealBlock{"alonzo27", CardanoEra::alonzo, 3268852, 48844559,
                  "b045c7766e16ef570d6f0a9f2ac32ab1add2d4ee92d4ec34fd3d5302f8ee84ef", 21, 39, 47},
        RealBlock{"babbage4", CardanoEra::babbage, 3709969, 63528520,
                  "2023c3706be3f8822c79f5e65e5d2aa561ceaa6330d412c3341aed45630294a2", 5, 11, 8},
        RealBlock{"conway1", CardanoEra::conway, 1093546, 22075282,
                  "9b51ccd4f161c08382a445684ff3eb788923608acbea283081fa5ccf663fef8d", 1, 1, 1}),
    [](const auto& block) { return block.param.name; });

// What a whole file of blocks comes to.
struct Totals {
  std::size_t blocks = 0;
  std::size_t transactions = 0;
  std::size_t consumed = 0;
  std::size_t produced = 0;
  std::size_t of_the_file = 0;   // consumed outputs that were produced before in the file
  std::size_t of_the_block = 0;  // and those of them that were in the same block
  friend bool operator==(const Totals&, const Totals&) = default;
};

class Tally {
 public:
  void Count(const CardanoBlock& block) {
    ++totals_.blocks;
    std::set<OutputReference> in_block;
    for (const CardanoTransaction& transaction : block.transactions()) {
      ++totals_.transactions;
      totals_.consumed += transaction.consumed.size();
      totals_.produced += transaction.produced.size();
      for (const OutputReference& consumed : transaction.consumed) {
        totals_.of_the_block += in_block.contains(consumed);
        totals_.of_the_file += in_file_.contains(consumed);
      }
      for (const Output& output : transaction.produced) {
        in_block.insert(output.reference);
        in_file_.insert(output.reference);
      }
    }
  }
  const Totals& totals() const { return totals_; }

 private:
  Totals totals_;
  std::set<OutputReference> in_file_;
};

// Hashes of blocks are what the next one names, and those of transactions what inputs name.
TEST(RealBlockChunk, FollowsItselfByTheHashesThatAreComputed) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  CardanoFile file = CardanoFile::Open(RealBlocks() / "01836.chunk").value();
  Tally tally;
  std::optional<Bytes32> last;
  while (const CardanoBlock* block = file.Next().value()) {
    ASSERT_EQ(block->parent(), last.value_or(*block->parent())) << block->point().ToString();
    last = block->hash();
    tally.Count(*block);
  }
  EXPECT_EQ(tally.totals(), (Totals{.blocks = 913,
                                    .transactions = 834,
                                    .consumed = 11'290,
                                    .produced = 1'641,
                                    .of_the_file = 549,
                                    .of_the_block = 24}));
}

TEST(RealBlockChunk, HasBlocksWithOutputsThatTheySpendThemselves) {
  TALEA_SKIP_WITHOUT_REAL_BLOCKS();
  CardanoFile file = CardanoFile::Open(RealBlocks() / "alonzo27.block").value();
  Tally tally;
  tally.Count(*file.Next().value());
  EXPECT_EQ(tally.totals().of_the_block, 2);
}

}  // namespace
}  // namespace talea::cardano
