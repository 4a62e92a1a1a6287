// Kills `talea chain import-cardano` at any moment: what is left is the state after one of the
// blocks, byte for byte, and the same command goes on to the same end.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>
#include <utility>

#include "cardano/import_for_test.h"
#include "cardano/real_blocks_testing.h"
#include "talea/cardano_import.h"
#include "talea/database.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/verify.h"
#include "tests/crash/killed_process.h"

namespace talea::crash {
namespace {

using cardano::HashOfState;
using std::chrono::microseconds;
using std::chrono::steady_clock;

// An empty folder, which stays there for a look if the test fails.
class CardanoKill : public testing::Test {
 protected:
  CardanoKill() {
    folder_ = (std::filesystem::temp_directory_path() / "talea-crash-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    std::cout << "TALEA_SEED=" << seed_ << "\n";
  }
  ~CardanoKill() override {
    if (!HasFailure()) std::filesystem::remove_all(folder_);
  }

  // Real blocks where they are there, otherwise small ones.
  std::filesystem::path Blocks() const {
    const std::filesystem::path real = cardano::RealBlocks() / "01836.chunk";
    if (std::filesystem::exists(real)) return real;
    std::cout << "the real blocks are not there: small ones are imported\n";
    const auto chain = cardano::SmallChain::Of(1'000);
    const std::filesystem::path file = std::filesystem::path(folder_) / "blocks";
    std::ofstream(file, std::ios::binary) << chain.Bytes(0, 1'000);
    return file;
  }

  std::string Location(int database) const {
    return "rocksdb:" + folder_ + "/ledger" + std::to_string(database) + "?write-buffer=1M&log=1M";
  }

  static std::vector<std::string> ImportInto(const std::string& location,
                                             const std::filesystem::path& blocks) {
    return {TALEA_COMMAND, "--db",           location,
            "chain",       "import-cardano", blocks.string(),
            "--create",    "--json",         "--allow-missing-inputs"};
  }

  const std::uint64_t seed_ = TestSeed();
  std::string folder_;
};

// The ledger after each number of blocks, in memory, where nobody is killed.
class Reference {
 public:
  explicit Reference(std::filesystem::path file)
      : files_{std::move(file)}, database_(Database::Open("memory:").value()) {}

  // To be asked for more and more blocks.
  std::string HashAfter(std::uint64_t blocks) {
    ChainStore store(database_->engine());
    if (blocks == 0) return HashOfState(store);
    CardanoImportOptions options{.allow_missing_inputs = true};
    options.progress = [blocks, seen = std::uint64_t{0}](std::uint64_t, std::uint64_t) mutable {
      return ++seen < blocks;
    };
    EXPECT_OK(ImportCardano(store, files_, options));
    return HashOfState(store);
  }

 private:
  const std::vector<std::filesystem::path> files_;
  std::unique_ptr<Database> database_;
};

std::uint64_t BlocksIn(const ChainView& view) {
  return view.CountNamespace(CardanoBlockRecord::kNamespace).value().entities;
}

// Compares what is left with the reference; returns how many blocks there are.
std::uint64_t CheckWhatIsLeft(const std::string& location, Reference& reference) {
  const auto database = Database::Open(location, {.create = false});
  if (!database && database.error().code() == ErrorCode::not_found) return 0;  // not yet there
  EXPECT_OK(database);
  if (!database) return 0;
  const ChainStore store((*database)->engine());
  const std::uint64_t blocks = BlocksIn(store.Open().value());
  EXPECT_EQ(HashOfState(store), reference.HashAfter(blocks)) << "after " << blocks << " blocks";
  return blocks;
}

// An import, again and again, until it has come to its end.
struct Ordeal {
  std::vector<std::string> command;
  std::string location;
  std::filesystem::path blocks;
  std::uint64_t all;  // how many blocks there are
};

struct Tally {
  microseconds whole;  // about how long it takes if nobody disturbs it: machines are busy at times
  int killed = 0;
  int half_way = 0;  // with more blocks than before, but not all
};

// The first part of it opens the database, and is hit only now and then.
microseconds SomeMoment(microseconds whole, Random& random) {
  const microseconds least = random.Chance(0.1) ? microseconds(0) : whole / 3;
  return microseconds(random.Between(least.count(), whole.count()));
}

void KillUntilItIsDone(const Ordeal& ordeal, Random& random, Tally& tally) {
  Reference reference(ordeal.blocks);
  for (std::uint64_t there = 0; there < ordeal.all && !testing::Test::HasFailure();) {
    SCOPED_TRACE(testing::Message() << "kill " << tally.killed);
    KilledProcess process(ordeal.command);
    ASSERT_TRUE(process.started());
    std::this_thread::sleep_for(SomeMoment(tally.whole, random));
    const bool ended = !process.Kill();
    const std::uint64_t before = std::exchange(there, CheckWhatIsLeft(ordeal.location, reference));
    EXPECT_GE(there, before);
    EXPECT_TRUE(!ended || there == ordeal.all) << "it ended by itself, and not at the end";
    if (!ended) ++tally.killed;
    if (before < there && there < ordeal.all) ++tally.half_way;
    if (ended) tally.whole -= tally.whole / 5;
    if (!ended && there == before) tally.whole += tally.whole / 10;
  }
  const auto database = ASSERT_VALUE(Database::Open(ordeal.location, {.create = false}));
  EXPECT_TRUE(ASSERT_VALUE(VerifyDatabase(database->engine())).well());
}

TEST_F(CardanoKill, OfAnImportLeavesTheStateAfterABlockAndGoesOn) {
  const int enough = LongTests() ? 200 : 20;
  const std::filesystem::path blocks = Blocks();
  const auto start = steady_clock::now();
  ASSERT_EQ(KilledProcess(ImportInto(Location(0), blocks)).Wait(), 0);
  const auto whole = std::chrono::duration_cast<microseconds>(steady_clock::now() - start);
  Reference undisturbed(blocks);
  const std::uint64_t all = CheckWhatIsLeft(Location(0), undisturbed);

  Random random(seed_);
  Tally tally{.whole = whole};
  int databases = 0;
  while (tally.half_way < enough && !HasFailure()) {
    const std::string location = Location(++databases);
    KillUntilItIsDone({ImportInto(location, blocks), location, blocks, all}, random, tally);
  }
  std::cout << "killed " << tally.killed << " times, " << tally.half_way << " of them half-way, in "
            << databases << " imports of " << all << " blocks\n";
}

}  // namespace
}  // namespace talea::crash
