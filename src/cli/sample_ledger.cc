#include "cli/sample_ledger.h"

#include <deque>
#include <random>
#include <string>

#include "talea/chain.h"

namespace talea::cli {
namespace {

constexpr std::uint64_t kSeed = 20'260'102;
constexpr std::uint64_t kSlotsInABlock = 20;
constexpr std::uint64_t kBlocksInAnEpoch = 50;
constexpr std::uint64_t kAddresses = 24;
constexpr std::uint64_t kPools = 5;
constexpr std::uint16_t kEra = 7;

enum class Kind : std::uint64_t { block, transaction, address, pool, epoch };

// In the place of a hash: the same for the same name, and evenly spread.
Bytes32 HashOf(Kind kind, std::uint64_t number) {
  std::mt19937_64 random(kSeed + number * 8 + static_cast<std::uint64_t>(kind));
  Bytes32 hash;
  for (std::uint8_t& byte : hash.bytes) byte = static_cast<std::uint8_t>(random() >> 32);
  return hash;
}

// The first block is number 1.
Cursor PointOf(std::uint64_t number) {
  if (number == 0) return std::nullopt;
  return ChainPoint::Of(number * kSlotsInABlock, HashOf(Kind::block, number));
}

OutputReference OutputOf(std::uint64_t number, std::uint32_t index) {
  return {HashOf(Kind::transaction, number), index};
}

// An unsigned integer in CBOR.
std::string Cbor(std::uint64_t number) {
  std::string cbor = "\x1b";
  for (int shift = 56; shift >= 0; shift -= 8) cbor += static_cast<char>(number >> shift & 0xff);
  return cbor;
}

// A block, with the bytes that it refers to. Each produces three outputs, of which the first is
// spent by the next block, and the second, mostly, a few blocks later.
class SampleBlock {
 public:
  explicit SampleBlock(std::uint64_t number) : random_(kSeed + number) {
    block_.parent = PointOf(number - 1);
    block_.point = *PointOf(number);
    for (std::uint32_t index = 0; index < 3; ++index) Produce(number, index);
    if (number > 1) block_.consumed.push_back(OutputOf(number - 1, 0));
    if (number > 7 && number % 4 != 0) block_.consumed.push_back(OutputOf(number - 7, 1));
    CountForPool(number);
    if (number % kBlocksInAnEpoch == 1) BeginEpoch(number);
  }
  const Block& block() const { return block_; }

 private:
  ByteView Keep(std::string bytes) { return bytes_.emplace_back(std::move(bytes)); }

  void Produce(std::uint64_t number, std::uint32_t index) {
    const std::uint64_t owner = random_() % kAddresses;
    const std::uint64_t coin = 1'000'000 + random_() % 99'000'000;
    // As Cardano's addresses are: a header, the payment part, and for some the stake part.
    const ByteView payment = Keep(std::string(HashOf(Kind::address, owner).view().substr(0, 28)));
    const ByteView stake = Keep(std::string(HashOf(Kind::pool, owner % 3).view().substr(0, 28)));
    const bool staked = owner % 2 == 0;
    const ByteView address = Keep(std::string(staked ? "\x01" : "\x61") + std::string(payment) +
                                  (staked ? std::string(stake) : std::string()));
    Output output{.reference = OutputOf(number, index),
                  .era = kEra,
                  .cbor = Keep(Cbor(coin)),
                  .coin = coin,
                  .tags = {{TagKind::address, address}, {TagKind::payment, payment}}};
    if (staked) output.tags.push_back({TagKind::stake, stake});
    block_.produced.push_back(std::move(output));
  }

  void CountForPool(std::uint64_t number) {
    const std::uint64_t pool = random_() % kPools;
    const Bytes32 key = HashOf(Kind::pool, pool);
    block_.counters.push_back({"pools", key, 1});                   // the blocks that it has made
    block_.entities.push_back({"pools", key, Keep(Cbor(number))});  // the last of them
  }

  void BeginEpoch(std::uint64_t number) {
    const std::uint64_t epoch = number / kBlocksInAnEpoch;
    block_.entities.push_back({"epochs", HashOf(Kind::epoch, epoch), Keep(Cbor(epoch))});
    for (std::uint64_t owner = 0; owner < kAddresses; owner += 2) {
      block_.values.push_back(
          {"rewards", HashOf(Kind::address, owner), Keep(Cbor(random_() % 1'000'000))});
    }
  }

  std::mt19937_64 random_;
  Block block_;
  std::deque<std::string> bytes_;
};

}  // namespace

Status WriteSampleLedger(Database& database) {
  ChainStore chain(database.engine());
  const ChainView view = TALEA_TRY(chain.Open());
  const std::uint64_t newest = view.cursor() ? view.cursor()->slot / kSlotsInABlock : 0;
  for (std::uint64_t number = newest + 1; number <= kSampleBlocks; ++number) {
    TALEA_TRY(chain.Apply(SampleBlock(number).block()));
  }
  return {};
}

}  // namespace talea::cli
