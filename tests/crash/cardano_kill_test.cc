// Kills `talea chain import-cardano` at any moment: what is left is the state after one of the
// blocks, byte for byte, and the same command goes on to the same end.
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

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
  EXPECT_TRUE(VerifyDatabase((*database)->engine()).value().well());
  return blocks;
}

TEST_F(CardanoKill, OfAnImportLeavesTheStateAfterABlockAndGoesOn) {
  const int kills = LongTests() ? 200 : 20;
  const std::filesystem::path blocks = Blocks();
  const auto import_into = [&](const std::string& location) {
    return std::vector<std::string>{TALEA_COMMAND, "--db",           location,
                                    "chain",       "import-cardano", blocks.string(),
                                    "--create",    "--json",         "--allow-missing-inputs"};
  };
  // How long it takes, and what it comes to, if nobody disturbs it.
  const auto start = steady_clock::now();
  ASSERT_EQ(KilledProcess(import_into(Location(0))).Wait(), 0);
  const auto whole = std::chrono::duration_cast<microseconds>(steady_clock::now() - start);
  Reference undisturbed(blocks);
  const std::uint64_t all = CheckWhatIsLeft(Location(0), undisturbed);

  Random random(seed_);
  int killed = 0;
  int half_way = 0;
  int finished = 0;
  for (int database = 1; killed < kills && !HasFailure(); ++database) {
    Reference reference(blocks);
    for (std::uint64_t there = 0; there < all && !HasFailure();) {
      SCOPED_TRACE(testing::Message() << "seed " << seed_ << ", kill " << killed);
      KilledProcess process(import_into(Location(database)));
      ASSERT_TRUE(process.started());
      std::this_thread::sleep_for(microseconds(random.Between(0, whole.count())));
      const bool ended = !process.Kill();
      const std::uint64_t before = there;
      there = CheckWhatIsLeft(Location(database), reference);
      EXPECT_TRUE(!ended || there == all) << "it ended by itself, and not at the end";
      if (!ended) ++killed;
      EXPECT_GE(there, before);
      if (there > before && there < all) ++half_way;
    }
    ++finished;
  }
  std::cout << "killed " << killed << " times, " << half_way << " of them half-way, in imports of "
            << all << " blocks of which " << finished << " came to their end\n";
  EXPECT_GT(half_way, 0) << "it was never killed with a part of it imported";
}

}  // namespace
}  // namespace talea::crash
