// Bulk ingest: in memory, on RocksDB and under both simulation profiles, of which the cluster's has
// no files.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "chain/import_mark.h"
#include "chain/ledger_checks_for_test.h"
#include "talea/chain_transfer.h"
#include "talea/rocksdb_engine.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea::chain {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLittleMemory = 2000;

class FolderForTest {
 public:
  FolderForTest() : path_((fs::temp_directory_path() / "talea-bulk-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) std::abort();
  }
  ~FolderForTest() { fs::remove_all(path_); }
  fs::path operator/(const char* name) const { return fs::path(path_) / name; }

 private:
  std::string path_;
};

class ListedOutputs final : public OutputSource {
 public:
  explicit ListedOutputs(std::vector<TestOutput> outputs, std::optional<Error> end = {})
      : outputs_(std::move(outputs)), end_(std::move(end)) {}

  Result<std::optional<Output>> Next() override {
    if (next_ < outputs_.size()) {
      current_ = outputs_[next_++];  // what the last call gave is overwritten, as it may be
      return current_.view();
    }
    if (end_) return std::unexpected(*end_);
    return std::nullopt;
  }

 private:
  std::vector<TestOutput> outputs_;
  std::optional<Error> end_;
  std::size_t next_ = 0;
  TestOutput current_;
};

OutputReference RandomReference(Random& random) {
  OutputReference reference{.transaction = {}, .index = static_cast<std::uint32_t>(random.Next())};
  for (auto& byte : reference.transaction.bytes) byte = static_cast<std::uint8_t>(random.Next());
  return reference;
}

// In random order. Some have coin and tags, and some neither; the first and last key are there.
std::vector<TestOutput> RandomOutputs(std::size_t count, Random& random) {
  std::vector<TestOutput> outputs{{.reference = {HashOf(0), 0}, .cbor = "first", .coin = 1},
                                  {.reference = {HashOf(1), ~0u}, .tags = {AllTags()[3]}}};
  while (outputs.size() < count) {
    TestOutput& output = outputs.emplace_back();
    output.reference = RandomReference(random);
    output.era = static_cast<std::uint16_t>(random.Next());
    output.cbor = std::string(random.Below(100), static_cast<char>(random.Next()));
    if (random.Chance(0.5)) output.coin = random.Below(1'000'000);
    for (std::uint64_t tags = random.Chance(0.5) ? random.Below(4) : 0; tags > 0; --tags) {
      output.tags.push_back(AllTags()[random.Below(AllTags().size())]);
    }
  }
  for (std::size_t place = count; place > 1; --place) {
    std::swap(outputs[place - 1], outputs[random.Below(place)]);
  }
  return outputs;
}

std::vector<TestOutput> InOrder(std::vector<TestOutput> outputs) {
  std::ranges::sort(outputs, {}, &TestOutput::reference);
  return outputs;
}

const ChainPoint kPoint = ChainPoint::Of(4711, HashOf(7));

LedgerState StateOf(const std::vector<TestOutput>& outputs) {
  LedgerState state;
  state.cursor = kPoint;
  for (const TestOutput& output : outputs) state.outputs.emplace(output.reference, output.Kept());
  return state;
}

// What is stored is what blocks would have left, row by row.
void ExpectState(Engine& engine, const LedgerState& expected) {
  const ChainView view = ASSERT_VALUE(ChainStore(engine).Open());
  EXPECT_EQ(view.cursor(), expected.cursor);
  EXPECT_TRUE(ASSERT_VALUE(ReadRows(view.reader())) == RowsOf(expected));
  EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), expected.outputs.size());
  EXPECT_EQ(ASSERT_VALUE(view.SumCoin()), expected.coin());
}

void ExpectEmpty(Engine& engine) { EXPECT_EQ(ASSERT_VALUE(ReadAllRows(engine)), StoredRows()); }

struct EngineUnderTest {
  std::string name;
  std::function<std::unique_ptr<Engine>(const fs::path& folder)> open;
};

std::unique_ptr<Engine> OpenSimulated(const SimulationProfile& profile) {
  return Simulation::Make(KeyspacesForTest(), profile.WithoutFaults(), TestSeed())->Open().value();
}

class BulkIngestTest : public testing::TestWithParam<EngineUnderTest> {
 protected:
  Result<std::optional<std::uint64_t>> Ingest(std::vector<TestOutput> outputs,
                                              const BulkIngestOptions& options = {}) {
    ListedOutputs source(std::move(outputs));
    ChainStore store(*engine_);
    return BulkIngest(store, source, kPoint, options);
  }

  FolderForTest folder_;
  const std::unique_ptr<Engine> engine_ = GetParam().open(folder_ / "database");
  Random random_{TestSeed()};
};

INSTANTIATE_TEST_SUITE_P(
    Engines, BulkIngestTest,
    testing::Values(
        EngineUnderTest{"Memory", [](const fs::path&) { return OpenEngineForTest(); }},
        EngineUnderTest{
            "RocksDb",
            [](const fs::path& folder) -> std::unique_ptr<Engine> {
              return OpenRocksDbEngine({.folder = folder, .keyspaces = KeyspacesForTest()}).value();
            }},
        EngineUnderTest{
            "Embedded",
            [](const fs::path&) { return OpenSimulated(SimulationProfile::RocksDb()); }},
        EngineUnderTest{
            "Cluster",
            [](const fs::path&) { return OpenSimulated(SimulationProfile::FoundationDb()); }}),
    [](const auto& engine) { return engine.param.name; });

TEST_P(BulkIngestTest, LeavesWhatBlocksWouldHaveLeft) {
  const std::vector<TestOutput> outputs = RandomOutputs(500, random_);
  EXPECT_EQ(ASSERT_VALUE(Ingest(outputs)), 500);
  ExpectState(*engine_, StateOf(outputs));
}

TEST_P(BulkIngestTest, TakesOutputsThatAreInOrderAsTheyCome) {
  const std::vector<TestOutput> outputs = InOrder(RandomOutputs(500, random_));
  EXPECT_EQ(ASSERT_VALUE(Ingest(outputs, {.sorted = true})), 500);
  ExpectState(*engine_, StateOf(outputs));
}

TEST_P(BulkIngestTest, SortsInFilesWhatDoesNotFitIntoMemoryAndLeavesNone) {
  const std::vector<TestOutput> outputs = RandomOutputs(1000, random_);
  ASSERT_TRUE(fs::create_directory(folder_ / "scratch"));
  EXPECT_EQ(ASSERT_VALUE(
                Ingest(outputs, {.memory_bytes = kLittleMemory, .scratch = folder_ / "scratch"})),
            1000);
  EXPECT_TRUE(fs::is_empty(folder_ / "scratch"));
  ExpectState(*engine_, StateOf(outputs));
}

TEST_P(BulkIngestTest, OfNothingSetsTheCursor) {
  EXPECT_EQ(ASSERT_VALUE(Ingest({})), 0);
  ExpectState(*engine_, StateOf({}));
}

TEST_P(BulkIngestTest, IsAStepThatBlocksGoOnFromAndThatCannotBeTakenBack) {
  const std::vector<TestOutput> outputs = RandomOutputs(50, random_);
  ASSERT_OK(Ingest(outputs));
  ChainStore store(*engine_);
  Block block{.parent = kPoint, .point = ChainPoint::AtSlot(5000)};
  for (const TestOutput& output : outputs) block.consumed.push_back(output.reference);
  ASSERT_OK(store.Apply(block));
  LedgerState empty;
  empty.cursor = block.point;
  ExpectState(*engine_, empty);
  EXPECT_EQ(ASSERT_VALUE(store.RollBack(kPoint)), 1);
  ExpectState(*engine_, StateOf(outputs));
  EXPECT_ERROR(store.RollBack(std::nullopt), ErrorCode::not_found);
}

TEST_P(BulkIngestTest, RefusesALedgerThatHoldsSomething) {
  ChainStore store(*engine_);
  ASSERT_OK(store.Apply({.parent = {}, .point = ChainPoint::AtSlot(1)}));
  const StoredRows before = ASSERT_VALUE(ReadAllRows(*engine_));
  EXPECT_ERROR(Ingest(RandomOutputs(10, random_)), ErrorCode::precondition_failed);
  EXPECT_EQ(ASSERT_VALUE(ReadAllRows(*engine_)), before);
}

TEST_P(BulkIngestTest, RefusesAnOutputThatComesTwiceAndNamesIt) {
  std::vector<TestOutput> outputs = RandomOutputs(300, random_);
  outputs.push_back(outputs[17]);
  for (const std::size_t memory : {kLittleMemory, std::size_t{1} << 20}) {
    const auto refused = Ingest(outputs, {.memory_bytes = memory});
    ASSERT_ERROR(refused, ErrorCode::already_exists);
    EXPECT_EQ(refused.error().message(), "bulk ingest: expected each output once, found " +
                                             outputs[17].reference.ToString() + " twice");
    ExpectEmpty(*engine_);
  }
  EXPECT_ERROR(Ingest(InOrder(outputs), {.sorted = true}), ErrorCode::already_exists);
  ExpectEmpty(*engine_);
}

TEST_P(BulkIngestTest, RefusesOutputsThatAreNotInTheOrderThatWasPromised) {
  std::vector<TestOutput> outputs = InOrder(RandomOutputs(300, random_));
  std::swap(outputs[200], outputs[201]);
  const auto refused = Ingest(outputs, {.sorted = true});
  ASSERT_ERROR(refused, ErrorCode::invalid_argument);
  EXPECT_EQ(refused.error().message(), "bulk ingest: expected outputs in ascending order, found " +
                                           outputs[201].reference.ToString() + " after " +
                                           outputs[200].reference.ToString());
  ExpectEmpty(*engine_);
  EXPECT_OK(Ingest(outputs)) << "without that promise they are sorted";
}

TEST_P(BulkIngestTest, RefusesAnOutputThatIsOutOfBounds) {
  for (const TestOutput& bad :
       {TestOutput{.reference = {}, .coin = std::uint64_t{1} << 63},
        TestOutput{.reference = {}, .tags = {{TagKind::asset, std::string(4097, 't')}}}}) {
    std::vector<TestOutput> outputs{bad};
    EXPECT_ERROR(Ingest(outputs), ErrorCode::invalid_argument);
    EXPECT_ERROR(Ingest(outputs, {.sorted = true}), ErrorCode::invalid_argument);
    ExpectEmpty(*engine_);
  }
}

TEST_P(BulkIngestTest, HandsOnWhatTheSourceFailsWith) {
  ListedOutputs source(RandomOutputs(300, random_), Error(ErrorCode::corruption, "a bad line"));
  ChainStore store(*engine_);
  const auto failed = BulkIngest(store, source, kPoint, {.memory_bytes = kLittleMemory});
  ASSERT_ERROR(failed, ErrorCode::corruption);
  EXPECT_EQ(failed.error().message(), "a bad line");
  ExpectEmpty(*engine_);
}

TEST_P(BulkIngestTest, StopsWhereProgressSaysSoAndLeavesNothing) {
  const std::vector<TestOutput> outputs = InOrder(RandomOutputs(9000, random_));
  // Of sorted ones it is told twice, of others as often again while they are merged.
  for (const auto& [sorted, calls] : {std::pair(true, 2), std::pair(false, 4)}) {
    for (int stop = 1; stop <= calls; ++stop) {
      int call = 0;
      const auto progress = [&](std::uint64_t done, std::uint64_t total) {
        EXPECT_TRUE(total == 0 || done <= total);
        return ++call < stop;
      };
      EXPECT_EQ(ASSERT_VALUE(Ingest(outputs, {.sorted = sorted, .progress = progress})),
                std::nullopt);
      EXPECT_EQ(call, stop);
      ExpectEmpty(*engine_);
    }
  }
  const auto go_on = [](std::uint64_t, std::uint64_t) { return true; };
  EXPECT_EQ(ASSERT_VALUE(Ingest(outputs, {.progress = go_on})), 9000);
}

TEST_P(BulkIngestTest, NamesAScratchFolderThatCannotBeUsed) {
  const auto failed = Ingest(RandomOutputs(300, random_),
                             {.memory_bytes = kLittleMemory, .scratch = folder_ / "missing"});
  ASSERT_ERROR(failed, ErrorCode::io_error);
  EXPECT_NE(failed.error().message().find(folder_ / "missing"), std::string::npos);
  ExpectEmpty(*engine_);
}

// Sets out again and again, whatever happens, until an ingest is told that it has succeeded, or
// finds that one has: then nobody else may have been in between.
void IngestThroughTrouble(const SimulationProfile& profile, std::uint64_t seed) {
  Random random(seed);
  Simulation simulation = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, seed));
  const std::vector<TestOutput> outputs = RandomOutputs(200 + random.Below(400), random);
  for (bool done = false; !done;) {
    std::unique_ptr<Engine> engine = ASSERT_VALUE(simulation.Open());
    ChainStore store(*engine);
    ListedOutputs source(outputs);
    const auto ingested = BulkIngest(store, source, kPoint, {.memory_bytes = kLittleMemory});
    simulation.InjectFaults(false);
    simulation.Settle();
    engine.reset();
    engine = ASSERT_VALUE(simulation.Open());
    const bool marked =
        ASSERT_VALUE(engine->OpenSnapshot())->Get(kChainKeyspace, ImportMarkKey())->has_value();
    if (marked) {
      EXPECT_FALSE(ingested.has_value());
      EXPECT_ERROR(ChainStore(*engine).Open(), ErrorCode::precondition_failed);
    } else {
      const ChainView view = ASSERT_VALUE(ChainStore(*engine).Open());
      done = view.cursor().has_value();
      EXPECT_TRUE(done || !ingested.has_value());
      ExpectState(*engine, done ? StateOf(outputs) : LedgerState());
    }
    simulation.InjectFaults(true);
  }
}

TEST(BulkIngestTrouble, LeavesAllOrNothingOnTheEmbeddedProfile) {
  for (std::uint64_t seed = TestSeed(); seed < TestSeed() + 30 && !testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SimulationProfile profile = SimulationProfile::RocksDb();
    profile.faults.crash = profile.faults.power_cut = 0.2;
    IngestThroughTrouble(profile, seed);
  }
}

TEST(BulkIngestTrouble, LeavesAllOrAMarkOrNothingOnTheClusterProfile) {
  for (std::uint64_t seed = TestSeed(); seed < TestSeed() + 30 && !testing::Test::HasFailure();
       ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    SimulationProfile profile = SimulationProfile::FoundationDb();
    profile.limits.transaction_bytes = 40'000;  // many commits
    profile.faults.crash = 0.05;
    IngestThroughTrouble(profile, seed);
  }
}

TEST(BulkIngestTrouble, TakesOverWhatAnotherHasLeft) {
  const std::unique_ptr<Engine> engine = OpenSimulated(SimulationProfile::FoundationDb());
  ChainStore store(*engine);
  ASSERT_OK(BeginImport(*engine, {.kind = ImportMark::Kind::ingest}));
  ASSERT_OK(InOne(*engine, [](Transaction& transaction) -> Status {
    transaction.Put(kStateUtxosKeyspace, OutputKey({HashOf(5), 0}), "left behind");
    transaction.Add(kChainCountsKeyspace, CountKey(ChainCount::outputs), 1);
    return {};
  }));
  Random random(TestSeed());
  const std::vector<TestOutput> outputs = RandomOutputs(20, random);
  ListedOutputs source(outputs);
  EXPECT_EQ(ASSERT_VALUE(BulkIngest(store, source, kPoint)), 20);
  ExpectState(*engine, StateOf(outputs));
}

TEST(BulkIngestTrouble, LeavesTheImportOfAFileAlone) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  const ImportMark mark = ASSERT_VALUE(BeginImport(*engine, {.source = {1, 2}}));
  ListedOutputs source({});
  EXPECT_ERROR(BulkIngest(store, source, kPoint), ErrorCode::precondition_failed);
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine->OpenSnapshot());
  EXPECT_EQ(ASSERT_VALUE(ReadImportMark(*snapshot)), mark);
}

// Opens the ledger, and tries to commit to it, in the middle of an ingest.
class CuriousOutputs final : public OutputSource {
 public:
  explicit CuriousOutputs(ChainStore& store) : store_(store) {}
  Result<std::optional<Output>> Next() override {
    EXPECT_ERROR(store_.Open(), ErrorCode::precondition_failed);
    EXPECT_ERROR(store_.Apply({.parent = {}, .point = ChainPoint::AtSlot(1)}),
                 ErrorCode::precondition_failed);
    EXPECT_ERROR(BulkIngest(store_, *this, kPoint), ErrorCode::precondition_failed);
    if (std::exchange(given_, true)) return std::nullopt;
    return Output{.reference = {}};
  }

 private:
  ChainStore& store_;
  bool given_ = false;
};

TEST_P(BulkIngestTest, KeepsEverybodyElseOutUntilItIsDone) {
  ChainStore store(*engine_);
  CuriousOutputs source(store);
  EXPECT_EQ(ASSERT_VALUE(BulkIngest(store, source, kPoint)), 1);
  EXPECT_OK(store.Open());
}

// The two engines were taken for two ledgers: the second ingest dropped the mark of the first, both
// went in, and only one was counted.
TEST(BulkIngestTrouble, OfATenantThatIsOpenTwiceIsOneAtATime) {
  const std::shared_ptr<Engine> host = OpenEngineForTest();
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  const auto engine = ASSERT_VALUE(tenants.Open("ada"));
  const auto same = ASSERT_VALUE(tenants.Open("ada"));
  ChainStore store(*engine);
  ChainStore other(*same);
  CuriousOutputs source(other);
  EXPECT_EQ(ASSERT_VALUE(BulkIngest(store, source, kPoint, {.sorted = true})), 1);
  const ChainView view = ASSERT_VALUE(other.Open());
  EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), 1u);
}

}  // namespace
}  // namespace talea::chain
