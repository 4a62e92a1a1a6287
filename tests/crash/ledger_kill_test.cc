// Kills a process that applies blocks, and one that imports a ledger, at any moment: what is left
// is the state after one of the blocks, byte for byte, and it can go on.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iostream>
#include <thread>

#include "talea/chain_transfer.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "tests/crash/killed_process.h"
#include "tests/crash/ledger_workload.h"

namespace talea::crash {
namespace {

using std::chrono::microseconds;

// An empty folder, which stays there for a look if the test fails.
class LedgerKill : public testing::Test {
 protected:
  LedgerKill() {
    folder_ = (std::filesystem::temp_directory_path() / "talea-crash-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) std::abort();
    std::cout << "TALEA_SEED=" << seed_ << "\n";
  }
  ~LedgerKill() override {
    if (!HasFailure()) std::filesystem::remove_all(folder_);
  }

  std::string Location() const { return "rocksdb:" + folder_ + "/ledger?write-buffer=1M&log=1M"; }

  const std::uint64_t seed_ = TestSeed();
  std::string folder_;
};

// Lets the writer run until some moment: while it opens the database, or some steps later and a bit
// more. Returns what it was about to do.
std::optional<Intention> RunAndKill(KilledProcess& writer, Random& random) {
  const auto steps = random.Chance(0.2) ? 0 : random.Between(1, 60);
  const microseconds pause(random.Between(0, steps == 0 ? 40'000 : 2'000));
  std::optional<Intention> last;
  for (std::int64_t step = 0; step < steps; ++step) {
    last = writer.Next<Intention>();
    if (!last) break;
  }
  std::this_thread::sleep_for(pause);
  EXPECT_TRUE(writer.Kill()) << "the writer ended by itself";
  while (const auto more = writer.Next<Intention>()) last = more;
  return last;
}

// Returns the number of the newest block.
std::uint64_t CheckWhatIsLeft(LedgerWorkload& workload, const std::vector<std::string>& hashes,
                              const std::optional<Intention>& last, std::uint64_t before) {
  const auto newest = workload.Newest();
  EXPECT_OK(newest);
  if (!newest) return before;
  const auto [from, to] = last.value_or(Intention{before, before});
  EXPECT_GE(*newest, std::min(from, to));
  EXPECT_LE(*newest, std::max(from, to));
  EXPECT_EQ(workload.StateHash().value(), hashes[*newest]) << "at block " << *newest;
  EXPECT_EQ(workload.FindProblem().value(), "") << "at block " << *newest;
  return *newest;
}

TEST_F(LedgerKill, LeavesTheStateOfItsCursorAndGoesOn) {
  const int rounds = LongTests() ? 200 : 20;
  const std::vector<std::string> hashes = ASSERT_VALUE(RecordHashes());
  Random random(seed_);
  std::uint64_t newest = 0;
  std::uint64_t furthest = 0;
  for (int round = 0; round < rounds && !HasFailure(); ++round) {
    SCOPED_TRACE(testing::Message() << "seed " << seed_ << ", kill " << round);
    KilledProcess writer({TALEA_LEDGER_WRITER, Location(), std::to_string(random.Next())});
    ASSERT_TRUE(writer.started());
    const std::optional<Intention> last = RunAndKill(writer, random);
    const auto workload = ASSERT_VALUE(LedgerWorkload::Open(Location()));
    newest = CheckWhatIsLeft(*workload, hashes, last, newest);
    furthest = std::max(furthest, newest);
  }
  std::cout << "killed last at block " << newest << ", and at " << furthest << " at the furthest\n";
  const auto workload = ASSERT_VALUE(LedgerWorkload::Open(Location()));
  for (; newest < kBlocks; ++newest) ASSERT_OK(workload->ApplyAfter(newest));
  EXPECT_EQ(ASSERT_VALUE(workload->StateHash()), hashes[kBlocks]);
  EXPECT_EQ(ASSERT_VALUE(workload->FindProblem()), "");
}

// A ledger with so many outputs, exported to a file. Returns its state hash.
Result<std::string> ExportLarge(const std::filesystem::path& file, std::uint64_t outputs) {
  const auto database = TALEA_TRY(Database::Open("memory:"));
  ChainStore chain(database->engine());
  constexpr std::uint64_t in_one_block = 1'000;
  const std::string cbor(100, 'x');
  Cursor parent;
  for (std::uint64_t first = 0; first < outputs; first += in_one_block) {
    Block block{.parent = parent, .point = ChainPoint::AtSlot(first)};
    for (std::uint64_t number = first; number < first + in_one_block; ++number) {
      Random random(number);
      Output output{.cbor = cbor, .coin = number};
      for (std::uint8_t& byte : output.reference.transaction.bytes) {
        byte = static_cast<std::uint8_t>(random.Next());
      }
      block.produced.push_back(std::move(output));
    }
    TALEA_TRY(chain.Apply(block, {.outputs_are_new = true}));
    parent = block.point;
  }
  const ChainView view = TALEA_TRY(chain.Open());
  return TALEA_TRY(ExportChain(view, file))
  .state_hash;
}

TEST_F(LedgerKill, OfAnImportLeavesNothingHalfAndGoesOn) {
  const std::filesystem::path file = std::filesystem::path(folder_) / "export";
  const std::string hash = ASSERT_VALUE(ExportLarge(file, 40'000));
  const std::vector<std::string> import{TALEA_COMMAND, "--quiet", "--db",     Location(), "chain",
                                        "import",      file,      "--create", "--json"};
  // Each time a bit later, so that every part of it is hit until it once comes to its end.
  int unfinished = 0;
  int status = -1;
  for (microseconds pause{2'000}; status != 0 && !HasFailure(); pause += pause / 4) {
    KilledProcess process(import);
    ASSERT_TRUE(process.started());
    std::this_thread::sleep_for(pause);
    status = process.Kill() ? -1 : 0;
    const auto database = Database::Open(Location(), {.create = false});
    if (!database && database.error().code() == ErrorCode::not_found) continue;  // not yet there
    ASSERT_OK(database);
    const auto view = ChainStore((*database)->engine()).Open();
    if (!view) {
      EXPECT_EQ(view.error().code(), ErrorCode::precondition_failed) << view.error();
      ++unfinished;
    } else if (view->cursor()) {
      EXPECT_EQ(ASSERT_VALUE(view->StateHash()), hash);
      status = 0;
    } else {
      EXPECT_EQ(ASSERT_VALUE(view->CountOutputs()), 0u);
    }
  }
  EXPECT_GT(unfinished, 0) << "it was never killed with a part of it imported";
  const auto database = ASSERT_VALUE(Database::Open(Location(), {.create = false}));
  const ChainView view = ASSERT_VALUE(ChainStore(database->engine()).Open());
  EXPECT_EQ(ASSERT_VALUE(view.StateHash()), hash);
}

}  // namespace
}  // namespace talea::crash
