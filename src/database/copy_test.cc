#include "talea/copy.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "base/coding.h"
#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "coordination/row_digest.h"
#include "coordination/schema.h"
#include "database/copy_mark.h"
#include "engine/hex_for_test.h"
#include "talea/memory_engine.h"
#include "talea/tenants.h"
#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/testing/simulation.h"

namespace talea {
namespace {

using testing::HasSubstr;

const Uuid kSession{};

std::unique_ptr<Engine> MemoryEngine() {
  return OpenMemoryEngine({.keyspaces = KeyspacesForTest(), .checkpoint = {}}).value();
}

void Commit(Engine& engine, WriteBatch batch) {
  ASSERT_OK(engine.Commit({.batch = std::move(batch)}));
}

// A database of a thousand rows and more, with some of every kind.
void Fill(Engine& engine, int rows = 1000) {
  ASSERT_OK(OpenSchema(engine, Layout::plain));
  WriteBatch batch;
  for (int row = 0; row < rows; ++row) {
    batch.Put(kRows, fmt::format("row {}", row),
              std::string(static_cast<std::size_t>(row % 50), 'v'));
    batch.PutCounter(kCounts, fmt::format("count {}", row % 100), row + 1);
  }
  batch.Put(kRows, "", "the empty key");
  batch.PutCounter(kCounts, "\xff\xff", -1);
  batch.Put(kUndoKeyspace, UndoRecordKey("source", "1"), "undo");
  batch.Put(kTaleaKeyspace, ProgressKey("source"), "position");
  batch.Put(kTaleaKeyspace, RequestKeyOf("request"), "answer");
  batch.Put(kTaleaKeyspace, SessionKey(kSession), "of this engine alone");
  batch.Put(kTaleaKeyspace, SessionSlotKey(kSession, 1), "of this engine alone");
  batch.Put(kTaleaKeyspace, LeaseKey("writer"), "of this engine alone");
  batch.Put(kTaleaKeyspace, LeaseExpiryKey("writer"), "of this engine alone");
  Commit(engine, std::move(batch));
}

using Rows = std::map<std::pair<std::uint8_t, std::string>, std::string>;

Rows ReadAll(Engine& engine) {
  Rows found;
  PagedReader reader(engine);
  for (const Keyspace& keyspace : engine.keyspaces().all()) {
    Scanner rows(reader, keyspace, KeyRange::All());
    while (const std::optional<Row> row = rows.Next().value())
      found[{keyspace.id, std::string(row->key)}] = row->value;
  }
  return found;
}

// What a copy has to hold, by a plain look at the keys.
Rows WithoutSessionsAndLeases(Rows rows) {
  for (const std::string& key : {SessionKey(kSession), SessionSlotKey(kSession, 1),
                                 LeaseKey("writer"), LeaseExpiryKey("writer")}) {
    EXPECT_EQ(rows.erase({kTaleaKeyspace.id, key}), 1u);
  }
  return rows;
}

TEST(Copy, BringsEveryRowButSessionsAndLeases) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  Fill(*source);
  const CopyReport report = ASSERT_VALUE(CopyDatabase(*source, *target));
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.resumed, 0u);
  EXPECT_EQ(ReadAll(*target), WithoutSessionsAndLeases(ReadAll(*source)));
  EXPECT_EQ(report.rows, ReadAll(*target).size());
  EXPECT_EQ(report.digest, ASSERT_VALUE(DigestDatabase(*source)).digest);
  EXPECT_EQ(report.digest, ASSERT_VALUE(DigestDatabase(*target)).digest);
  EXPECT_OK(OpenSchema(*target, Layout::plain)) << "it can be opened";
}

TEST(Copy, OfAnEmptyDatabaseIsEmpty) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  EXPECT_EQ(ASSERT_VALUE(CopyDatabase(*source, *target)).rows, 0u);
  EXPECT_EQ(ReadAll(*target), Rows());
}

TEST(Copy, MayGoIntoADatabaseThatHasOnlyJustBeenOpened) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  Fill(*source);
  ASSERT_OK(OpenSchema(*target, Layout::plain));
  EXPECT_TRUE(ASSERT_VALUE(CopyDatabase(*source, *target)).finished);
}

// The mark of an unfinished copy is not among the rows that are copied. So the copy of one was
// finished, was opened as a database, and lacked rows.
TEST(Copy, RefusesASourceThatIsNotWhole) {
  const std::unique_ptr<Engine> source = MemoryEngine(), half = MemoryEngine(),
                                target = MemoryEngine();
  Fill(*source);
  const RowProgress stop = [](std::uint64_t, std::uint64_t) { return false; };
  ASSERT_FALSE(ASSERT_VALUE(CopyDatabase(*source, *half, stop)).finished);
  EXPECT_ERROR(CopyDatabase(*half, *target), ErrorCode::precondition_failed);
  EXPECT_EQ(ReadAll(*target), Rows());
}

TEST(Copy, GoesOnWhereItWasStopped) {
  SimulationProfile profile = SimulationProfile::RocksDb().WithoutFaults();
  profile.limits.transaction_bytes = 20'000;  // so that there are several commits
  Simulation simulation = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, 1));
  const std::unique_ptr<Engine> source = MemoryEngine();
  const std::unique_ptr<Engine> target = ASSERT_VALUE(simulation.Open());
  Fill(*source);
  const auto stop_at = [](std::uint64_t rows) {  // or where the comparison begins
    return [rows](std::uint64_t done, std::uint64_t total) {
      return rows > 0 ? done < rows : total == 0;
    };
  };
  std::uint64_t before = 0;
  for (const std::uint64_t rows : {200u, 700u, 0u}) {
    const CopyReport report = ASSERT_VALUE(CopyDatabase(*source, *target, stop_at(rows)));
    EXPECT_FALSE(report.finished);
    EXPECT_EQ(report.resumed, before);
    EXPECT_EQ(report.digest, "");
    before = report.rows;
    EXPECT_ERROR(OpenSchema(*target, Layout::plain), ErrorCode::precondition_failed)
        << "the target is marked";
  }
  EXPECT_GT(before, 1000u);
  const CopyReport report = ASSERT_VALUE(CopyDatabase(*source, *target));
  EXPECT_TRUE(report.finished);
  EXPECT_EQ(report.resumed, before);
  EXPECT_EQ(ReadAll(*target), WithoutSessionsAndLeases(ReadAll(*source)));
}

TEST(Copy, FailsWhereTheSourceWasWrittenToSinceItBegan) {
  for (const ByteView key : {"row 0", "aaa", "zzz"}) {  // changed, and new on either side
    const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
    Fill(*source);
    WriteBatch batch;
    batch.Put(kRows, key, "changed");
    const auto change = [&](std::uint64_t done, std::uint64_t total) {
      if (total == 0 && done > 0) Commit(*source, batch);
      return true;
    };
    const Result<CopyReport> report = CopyDatabase(*source, *target, change);
    ASSERT_ERROR(report, ErrorCode::precondition_failed) << key;
    EXPECT_THAT(report.error().message(), HasSubstr(Quoted(key)));
    EXPECT_THAT(report.error().message(), HasSubstr("erase the target"));
    EXPECT_ERROR(CopyDatabase(*source, *target), ErrorCode::precondition_failed) << key;
    EXPECT_ERROR(OpenSchema(*target, Layout::plain), ErrorCode::precondition_failed) << key;
  }
}

TEST(Copy, FindsARowThatTheTargetLost) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  Fill(*source);
  const auto lose = [&](std::uint64_t done, std::uint64_t) {
    WriteBatch batch;
    batch.Erase(kCounts, "count 7");
    if (done > 0) Commit(*target, batch);
    return true;
  };
  const Result<CopyReport> report = CopyDatabase(*source, *target, lose);
  ASSERT_ERROR(report, ErrorCode::precondition_failed);
  EXPECT_THAT(report.error().message(), HasSubstr("\"count 7\""));
}

TEST(Copy, LeavesATargetThatHoldsSomethingElseAlone) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  Fill(*source);
  WriteBatch batch;
  batch.Add(kCounts, "somebody's", 1);
  Commit(*target, batch);
  const Rows before = ReadAll(*target);
  const Result<CopyReport> report = CopyDatabase(*source, *target);
  ASSERT_ERROR(report, ErrorCode::already_exists);
  EXPECT_THAT(report.error().message(), HasSubstr("\"somebody's\""));
  EXPECT_EQ(ReadAll(*target), before);
}

TEST(Copy, ThatIsFinishedIsComparedAgain) {
  const std::unique_ptr<Engine> source = MemoryEngine(), target = MemoryEngine();
  Fill(*source);
  const CopyReport first = ASSERT_VALUE(CopyDatabase(*source, *target));
  const CopyReport second = ASSERT_VALUE(CopyDatabase(*source, *target));
  EXPECT_TRUE(second.finished);
  EXPECT_EQ(second.resumed, first.rows);
  EXPECT_EQ(second.digest, first.digest);
}

TEST(Copy, RefusesATargetWithoutAKeyspaceOfTheSource) {
  const std::unique_ptr<Engine> source = MemoryEngine();
  Fill(*source);
  std::vector<Keyspace> keyspaces = KeyspacesForTest();
  std::erase(keyspaces, kCounts);
  const std::unique_ptr<Engine> target =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = keyspaces, .checkpoint = {}}));
  const Result<CopyReport> report = CopyDatabase(*source, *target);
  ASSERT_ERROR(report, ErrorCode::invalid_argument);
  EXPECT_THAT(report.error().message(), HasSubstr("\"counts\""));
  EXPECT_EQ(ReadAll(*target), Rows());
}

TEST(Copy, LeadsFromOneDatabaseToATenantAndBack) {
  const std::unique_ptr<Engine> source = MemoryEngine(), back = MemoryEngine();
  Fill(*source);
  std::shared_ptr<Engine> host = MemoryEngine();
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  const std::unique_ptr<Engine> other = ASSERT_VALUE(tenants.Open("other"));
  const std::unique_ptr<Engine> tenant = ASSERT_VALUE(tenants.Open("tenant"));
  Fill(*other, 10);
  const Rows others = ReadAll(*other);
  const std::string digest = ASSERT_VALUE(CopyDatabase(*source, *tenant)).digest;
  EXPECT_EQ(ReadAll(*tenant), WithoutSessionsAndLeases(ReadAll(*source)));
  EXPECT_OK(OpenSchema(*tenant, Layout::plain));
  EXPECT_EQ(ASSERT_VALUE(CopyDatabase(*tenant, *back)).digest, digest);
  EXPECT_EQ(ReadAll(*back), ReadAll(*tenant));
  EXPECT_EQ(ReadAll(*other), others);

  EXPECT_ERROR(CopyDatabase(*host, *back), ErrorCode::unsupported);
  EXPECT_ERROR(CopyDatabase(*source, *host), ErrorCode::unsupported);
  EXPECT_ERROR(DigestDatabase(*host), ErrorCode::unsupported);
}

TEST(Copy, DividesWhatIsTooLargeForOneCommit) {
  Simulation simulation = ASSERT_VALUE(
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1));
  const std::unique_ptr<Engine> source = MemoryEngine();
  const std::unique_ptr<Engine> target = ASSERT_VALUE(simulation.Open());
  for (int row = 0; row < 250; ++row) {
    WriteBatch batch;
    batch.Put(kRows, fmt::format("{:09999}", row) + "k", std::string(100'000, 'v'));
    Commit(*source, std::move(batch));
  }
  EXPECT_EQ(ASSERT_VALUE(CopyDatabase(*source, *target)).rows, 250u);
}

TEST(Copy, NamesARowThatTheTargetCannotHold) {
  Simulation simulation = ASSERT_VALUE(
      Simulation::Make(KeyspacesForTest(), SimulationProfile::FoundationDb().WithoutFaults(), 1));
  const std::unique_ptr<Engine> source = MemoryEngine();
  const std::unique_ptr<Engine> target = ASSERT_VALUE(simulation.Open());
  WriteBatch batch;
  batch.Put(kRows, "large", std::string(100'001, 'v'));
  Commit(*source, std::move(batch));
  const Result<CopyReport> report = CopyDatabase(*source, *target);
  ASSERT_ERROR(report, ErrorCode::too_large);
  EXPECT_THAT(report.error().message(), HasSubstr("\"large\""));
}

// Copies between engines that crash, lose power and do not tell, until it is done; counts the calls
// that this takes.
void CopyThroughFaults(SimulationProfile profile, std::uint64_t seed, int& calls) {
  profile.limits.transaction_bytes = 1'000;  // a few rows in each commit
  Simulation from = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, seed));
  Simulation to = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, seed + 1));
  from.InjectFaults(false);
  std::unique_ptr<Engine> source = ASSERT_VALUE(from.Open()), target;
  ASSERT_OK(OpenSchema(*source, Layout::plain));
  for (int row = 0; row < 400; ++row) {
    WriteBatch batch;
    batch.Put(kRows, fmt::format("row {}", row),
              std::string(static_cast<std::size_t>(row % 70), 'v'));
    batch.Add(kCounts, fmt::format("count {}", row % 100), row + 1);
    Commit(*source, std::move(batch));
  }
  from.InjectFaults(true);
  for (Result<CopyReport> report; !report || !report->finished; ++calls) {
    target.reset();
    if (to.processes() > 0 && profile.limits.shared) to.Crash();  // killed between two calls
    target = ASSERT_VALUE(to.Open());
    report = CopyDatabase(*source, *target);
    if (report) continue;
    const ErrorCode code = report.error().code();
    ASSERT_TRUE(code == ErrorCode::closed || code == ErrorCode::outcome_unknown)
        << "seed " << seed << ": " << report.error();
  }
  to.Settle();
  from.InjectFaults(false);
  to.InjectFaults(false);
  EXPECT_EQ(ReadAll(*target), ReadAll(*source)) << "seed " << seed;
}

void CopyManyTimesThroughFaults(const SimulationProfile& profile) {
  const int runs = LongTests() ? 200 : 20;
  int calls = 0;
  for (int run = 0; run < runs && !testing::Test::HasFatalFailure(); ++run)
    CopyThroughFaults(profile, TestSeed() + 2 * static_cast<std::uint64_t>(run), calls);
  EXPECT_GT(calls, 2 * runs) << "too little has gone wrong";
}

TEST(CopyThroughFaults, EndsEqualOnTheEmbeddedProfile) {
  CopyManyTimesThroughFaults(SimulationProfile::RocksDb());
}

TEST(CopyThroughFaults, EndsEqualOnTheClusterProfile) {
  CopyManyTimesThroughFaults(SimulationProfile::FoundationDb());
}

// A commit that was given up as unknown may happen long after the rest of the copy, and must not
// bring the mark back then.
TEST(CopyThroughFaults, IsNotTouchedByCommitsThatHappenLater) {
  SimulationProfile profile = SimulationProfile::FoundationDb().WithoutFaults();
  profile.limits.transaction_bytes = 2'000;
  profile.faults.unknown_later = 0.5;
  for (std::uint64_t run = 0; run < 20; ++run) {
    Simulation simulation =
        ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, TestSeed() + run));
    const std::unique_ptr<Engine> source = MemoryEngine();
    const std::unique_ptr<Engine> target = ASSERT_VALUE(simulation.Open());
    WriteBatch batch;
    for (int row = 0; row < 50; ++row) batch.Put(kRows, std::to_string(row), "value");
    Commit(*source, std::move(batch));
    const auto hold_back_from_the_comparison_on = [&](std::uint64_t, std::uint64_t total) {
      simulation.InjectFaults(total == 0);
      return true;
    };
    ASSERT_TRUE(
        ASSERT_VALUE(CopyDatabase(*source, *target, hold_back_from_the_comparison_on)).finished);
    simulation.Settle();
    EXPECT_EQ(ReadAll(*target), ReadAll(*source)) << "run " << run;
  }
}

// docs/formats.md shows these bytes.
TEST(CopyMark, HasTheDocumentedBytes) {
  EXPECT_EQ(Hex(CopyMarkKey()), "15 09");
  const CopyMark begun{.source = {7}, .rows = 0, .position = {}};
  EXPECT_EQ(Hex(EncodeCopyMark(begun)), "01 07 00 00 00 00 00 00 00 00 00 00 00 00 00 00 00");
  const CopyMark later{.source = {7}, .rows = 258, .position = RowPosition{200, "key"}};
  EXPECT_EQ(Hex(EncodeCopyMark(later)),
            "01 07 00 00 00 00 00 00 00 02 01 00 00 00 00 00 00 c8 03 6b 65 79");
  for (const CopyMark& mark : {begun, later})
    EXPECT_EQ(ASSERT_VALUE(DecodeCopyMark(EncodeCopyMark(mark))), mark);
}

TEST(CopyMark, RefusesWhatIsCutLongerOrNewer) {
  const std::string bytes =
      EncodeCopyMark({.source = {7}, .rows = 258, .position = RowPosition{200, "key"}});
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    if (size == 17) continue;  // a mark without a position
    EXPECT_ERROR(DecodeCopyMark(bytes.substr(0, size)), ErrorCode::corruption) << size;
  }
  EXPECT_ERROR(DecodeCopyMark(bytes + '\0'), ErrorCode::corruption);
  EXPECT_ERROR(DecodeCopyMark('\0' + bytes.substr(1)), ErrorCode::corruption);
  EXPECT_ERROR(DecodeCopyMark('\2' + bytes.substr(1)), ErrorCode::unsupported);
}

TEST(RowDigest, HasTheDocumentedValue) {
  RowDigest digest;
  EXPECT_EQ(digest.Hex(), "99aa06d3014798d86001c324468d497f") << "XXH3 of nothing";
  digest.Add(kRows, {"key", "value"});
  EXPECT_EQ(digest.Hex(), "6ae2cdb4add49058236375a25894f047");
}

TEST(RowDigest, TellsRowsApartWhateverTheirBoundaries) {
  const auto of = [](const Keyspace& keyspace, const Row& row) {
    RowDigest digest;
    digest.Add(keyspace, row);
    return digest.Hex();
  };
  EXPECT_NE(of(kRows, {"ab", "c"}), of(kRows, {"a", "bc"}));
  EXPECT_NE(of(kRows, {"ab", "c"}), of(kCounts, {"ab", "c"}));
}

}  // namespace
}  // namespace talea
