// A small ledger: people who pay each other, block by block, and an index of their outputs by coin
// that is changed, and taken back, in the same commits.
//
//   example_ledger [LOCATION [BLOCKS]]
//
// LOCATION is such as rocksdb:ledger.db, where nothing is yet; without one all is in memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <iostream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "talea/chain.h"
#include "talea/database.h"
#include "talea/histograms.h"

namespace {

using talea::Block, talea::Bytes32, talea::ChainPoint, talea::ChainStore, talea::ChainView,
    talea::Cursor, talea::Database, talea::IndexStore, talea::Output, talea::OutputReference,
    talea::Result, talea::Status, talea::Tag, talea::TaggedOutput, talea::TagKind,
    talea::Transaction, talea::Tuple, talea::Where;

constexpr std::array<std::string_view, 5> kPeople{"ada", "bob", "eve", "kim", "zoe"};
constexpr std::uint64_t kCoinAtFirst = 1'000;
constexpr std::uint64_t kSlotsInABlock = 20;
constexpr std::string_view kByCoin = "outputs-by-coin";

// Something like a hash: 32 bytes that look like nothing, and differ for different names.
Bytes32 HashOf(std::string_view name, std::uint64_t number) {
  std::seed_seq seed(name.begin(), name.end());
  std::mt19937_64 random(seed);
  random.seed(random() + number);
  Bytes32 hash;
  for (std::uint8_t& byte : hash.bytes) byte = static_cast<std::uint8_t>(random() >> 32);
  return hash;
}

ChainPoint PointOf(std::uint64_t block) {
  return ChainPoint::Of(block * kSlotsInABlock, HashOf("block", block));
}

// In CBOR: an array of the owner's name and the coin.
std::string CborOf(std::string_view owner, std::uint64_t coin) {
  std::string cbor{'\x82', static_cast<char>(0x60 + owner.size())};
  cbor += owner;
  cbor += '\x1b';
  for (int shift = 56; shift >= 0; shift -= 8) cbor += static_cast<char>(coin >> shift & 0xff);
  return cbor;
}

// A block that is being made. It owns the bytes that its outputs refer to.
class BlockMaker {
 public:
  explicit BlockMaker(std::uint64_t number) : transaction_(HashOf("transaction", number)) {
    block_.parent = number == 0 ? Cursor() : PointOf(number - 1);
    block_.point = PointOf(number);
    texts_.reserve(2 * kPeople.size());  // their bytes have to stay where they are
  }

  void Consume(const OutputReference& reference) { block_.consumed.push_back(reference); }

  void Produce(std::string_view owner, std::uint64_t coin) {
    const auto index = static_cast<std::uint32_t>(block_.produced.size());
    block_.produced.push_back({.reference = {transaction_, index},
                               .era = 1,
                               .cbor = texts_.emplace_back(CborOf(owner, coin)),
                               .coin = coin,
                               .tags = {{TagKind::address, owner}}});
  }

  void Register(std::string_view person) {
    block_.entities.push_back({"people", HashOf(person, 0), person});
  }

  void CountPayment(std::string_view from, std::string_view to) {
    block_.counters.push_back({"people", HashOf(from, 0), 1});
    block_.values.push_back({"people", HashOf(from, 0), to});  // whom somebody has ever paid
  }

  const Block& block() const { return block_; }

 private:
  const Bytes32 transaction_;
  std::vector<std::string> texts_;
  Block block_;
};

// The first block gives everybody something.
void MakeFirst(BlockMaker& maker) {
  for (const std::string_view person : kPeople) {
    maker.Register(person);
    maker.Produce(person, kCoinAtFirst);
  }
}

// In the others somebody pays somebody, from as many outputs as it takes. Returns those.
Result<std::vector<TaggedOutput>> MakePayment(BlockMaker& maker, const ChainView& view,
                                              std::uint64_t number) {
  const std::string_view from = kPeople[number % kPeople.size()];
  const std::string_view to = kPeople[(number + 1 + number / 7 % 4) % kPeople.size()];
  const std::uint64_t coin = 1 + number * 7'919 % 700;
  std::vector<TaggedOutput> spent;
  std::uint64_t sum = 0;
  const auto page = TALEA_TRY(view.ScanTagged({TagKind::address, from}));
  for (const TaggedOutput& output : page.outputs) {
    if (sum >= coin) break;
    sum += output.coin;
    spent.push_back(output);
    maker.Consume(output.reference);
  }
  if (sum == 0) return spent;  // has nothing left
  maker.Produce(to, std::min(coin, sum));
  if (sum > coin) maker.Produce(from, sum - coin);
  maker.CountPayment(from, to);
  return spent;
}

Tuple ValueOf(std::uint64_t coin) { return {static_cast<std::int64_t>(coin)}; }
talea::Element DocumentOf(const OutputReference& reference) {
  return talea::Text(reference.ToString());
}

// The block and the entries of its outputs in one transaction: neither is ever there without the
// other, and the one is not taken back without the other either.
Status ApplyBlock(Database& database, ChainStore& chain, IndexStore& indexes,
                  std::uint64_t number) {
  return database.Transact([&](Transaction& transaction) -> Status {
    const ChainView view = TALEA_TRY(ChainView::Over(transaction));
    BlockMaker maker(number);
    std::vector<TaggedOutput> spent;
    if (number == 0) {
      MakeFirst(maker);
    } else {
      spent = TALEA_TRY(MakePayment(maker, view, number));
    }
    TALEA_TRY(chain.Apply(transaction, maker.block()));
    for (const Output& output : maker.block().produced) {
      TALEA_TRY(
          indexes.Add(transaction, kByCoin, ValueOf(output.coin), DocumentOf(output.reference)));
    }
    for (const TaggedOutput& output : spent) {
      TALEA_TRY(
          indexes.Remove(transaction, kByCoin, ValueOf(output.coin), DocumentOf(output.reference)));
    }
    return {};
  });
}

Result<std::uint64_t> BalanceOf(const ChainView& view, std::string_view person) {
  std::uint64_t sum = 0;
  const auto page = TALEA_TRY(view.ScanTagged({TagKind::address, person}));
  for (const TaggedOutput& output : page.outputs) sum += output.coin;
  return sum;
}

Status Print(const ChainView& view, IndexStore& indexes) {
  const talea::ChainStatistics statistics = TALEA_TRY(view.Statistics());
  std::cout << "At slot " << (view.cursor() ? view.cursor()->slot : 0) << ": " << statistics.coin
            << " coin in " << statistics.outputs << " outputs";
  const auto rich = TALEA_TRY(indexes.Estimate(view.reader(), kByCoin, Where::AtLeast({500})));
  std::cout << ", " << std::llround(rich.estimate) << " of them with 500 or more\n ";
  for (const std::string_view person : kPeople) {
    std::cout << " " << person << " " << TALEA_TRY(BalanceOf(view, person));
  }
  std::cout << "\n";
  return {};
}

// What somebody hears who has followed the ledger up to this point.
Status Follow(const ChainStore& chain, const Cursor& since) {
  talea::ChangeFeed feed = TALEA_TRY(chain.Changes(since));
  while (const auto change = TALEA_TRY(feed.Next())) {
    const auto produced =
        std::ranges::count_if(change->outputs, [](const auto& output) { return !output.before; });
    std::cout << "  slot " << change->point->slot << ": " << produced << " outputs produced, "
              << change->outputs.size() - static_cast<std::size_t>(produced) << " consumed\n";
  }
  return {};
}

Status Run(std::string_view location, std::uint64_t blocks) {
  const auto database = TALEA_TRY(Database::Open(location));
  ChainStore chain(database->engine());
  IndexStore indexes(database->engine());
  TALEA_TRY(indexes.Create(kByCoin));
  for (std::uint64_t number = 0; number < blocks; ++number) {
    TALEA_TRY(ApplyBlock(*database, chain, indexes, number));
  }
  TALEA_TRY(Print(TALEA_TRY(chain.Open()), indexes));

  std::cout << "The last three blocks were on the wrong branch\n";
  const std::uint64_t common = blocks - 4;
  const std::uint64_t steps = TALEA_TRY(chain.RollBack(PointOf(common)));
  std::cout << "  " << steps << " steps taken back\n";
  TALEA_TRY(Print(TALEA_TRY(chain.Open()), indexes));
  for (std::uint64_t number = common + 1; number < blocks; ++number) {
    TALEA_TRY(ApplyBlock(*database, chain, indexes, number));
  }
  std::cout << "Since then\n";
  TALEA_TRY(Follow(chain, PointOf(common)));

  const ChainView now = TALEA_TRY(chain.Open());
  const ChainView then = TALEA_TRY(chain.OpenAt(PointOf(common)));
  std::cout << "ada has " << TALEA_TRY(BalanceOf(now, "ada"))
  << ", and had " << TALEA_TRY(BalanceOf(then, "ada"))
  << " at slot " << then.cursor()->slot << "\n";

  // Every entry is counted, and compared with what the histogram says.
  const auto snapshot = TALEA_TRY(database->OpenSnapshot());
  return indexes.Verify(*snapshot, kByCoin);
}

}  // namespace

int main(int count, char** arguments) {
  const std::uint64_t blocks = count > 2 ? std::strtoull(arguments[2], nullptr, 10) : 200;
  if (blocks < 5) {
    std::cerr << "ledger: expected at least 5 blocks, found " << blocks << "\n";
    return 1;
  }
  if (const Status done = Run(count > 1 ? arguments[1] : "memory:", blocks); !done) {
    std::cerr << "ledger: " << done.error() << "\n";
    return 1;
  }
}
