#include "talea/testing/simulation.h"

#include <gtest/gtest.h>

#include <set>

#include "talea/testing/random.h"
#include "talea/testing/result_matchers.h"
#include "talea/transaction.h"

namespace talea {
namespace {

using std::chrono::seconds;

constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};

Simulation Make(SimulationProfile profile, std::uint64_t seed = TestSeed()) {
  return std::move(Simulation::Make({kRows, kCounts}, std::move(profile), seed)).value();
}

SimulationProfile With(SimulationProfile profile, SimulationFaults faults) {
  profile.faults = faults;
  return profile;
}

Result<Version> Put(Engine& engine, ByteView key, Durability durability = Durability::buffered) {
  CommitRequest request;
  request.batch.Put(kRows, key, "value");
  request.durability = durability;
  return engine.Commit(std::move(request));
}

// How many of the keys "0", "1", ... are there, up to the first that is not.
std::size_t KeptPrefix(Engine& engine) {
  std::unique_ptr<Snapshot> snapshot = std::move(engine.OpenSnapshot()).value();
  std::size_t count = 0;
  while (snapshot->Get(kRows, std::to_string(count)).value()) ++count;
  return count;
}

// A course of events under faults, as text.
std::string Course(std::uint64_t seed) {
  Simulation simulation = Make(SimulationProfile::FoundationDb(), seed);
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  std::string course;
  for (int step = 0; step < 500; ++step) {
    if (simulation.processes() == 0) engine = std::move(simulation.Open()).value();
    Transaction transaction(*engine);
    const auto read = transaction.Get(kRows, std::to_string(step % 7));
    transaction.Put(kRows, std::to_string(step % 5), std::to_string(step));
    const auto version = transaction.Commit();
    course += read ? read->value_or("-") : std::string(Name(read.error().code()));
    course += version ? "ok" : std::string(Name(version.error().code()));
  }
  return course;
}

TEST(Simulation, TakesTheSameCourseUnderTheSameSeed) {
  EXPECT_EQ(Course(1), Course(1));
  EXPECT_NE(Course(1), Course(2));
}

TEST(Simulation, RefusesMalformedKeyspaces) {
  EXPECT_ERROR(Simulation::Make({kRows, kRows}, SimulationProfile::RocksDb(), 1),
               ErrorCode::invalid_argument);
}

TEST(Simulation, ACrashKeepsEveryAcknowledgedCommit) {
  Simulation simulation = Make(SimulationProfile::RocksDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  for (int key = 0; key < 10; ++key) ASSERT_OK(Put(*engine, std::to_string(key)));
  simulation.Crash();
  EXPECT_ERROR(Put(*engine, "10"), ErrorCode::closed);
  engine = std::move(simulation.Open()).value();
  EXPECT_EQ(KeptPrefix(*engine), 10u);
}

TEST(Simulation, APowerCutKeepsAPrefixWithEverySyncedCommit) {
  std::set<std::size_t> outcomes;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Simulation simulation = Make(SimulationProfile::RocksDb().WithoutFaults(), seed);
    std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
    for (int key = 0; key < 10; ++key) {
      ASSERT_OK(
          Put(*engine, std::to_string(key), key == 4 ? Durability::synced : Durability::buffered));
    }
    EXPECT_EQ(simulation.unsynced_commits(), 5u);
    simulation.PowerCut();
    engine = std::move(simulation.Open()).value();
    outcomes.insert(KeptPrefix(*engine));
    EXPECT_EQ(simulation.unsynced_commits(), 0u);
  }
  EXPECT_EQ(outcomes, (std::set<std::size_t>{5, 6, 7, 8, 9, 10}));
}

TEST(Simulation, VersionsGoOnAfterAPowerCut) {
  Simulation simulation = Make(SimulationProfile::RocksDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  const Version synced = Put(*engine, "0", Durability::synced).value();
  ASSERT_OK(Put(*engine, "1"));
  simulation.PowerCut();
  engine = std::move(simulation.Open()).value();
  EXPECT_GT(Put(*engine, "2").value(), synced);
}

TEST(Simulation, AnUnknownOutcomeIsAppliedOrLostAsTheFaultSays) {
  for (const bool applied : {true, false}) {
    Simulation simulation = Make(
        With(SimulationProfile::FoundationDb(), applied ? SimulationFaults{.unknown_applied = 1}
                                                        : SimulationFaults{.unknown_lost = 1}));
    std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
    EXPECT_ERROR(Put(*engine, "0"), ErrorCode::outcome_unknown);
    EXPECT_EQ(KeptPrefix(*engine), applied ? 1u : 0u);
  }
}

TEST(Simulation, AnUnknownCommitMayHappenLaterUnlessWhatItReadHasChanged) {
  std::set<std::size_t> outcomes;
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Simulation simulation =
        Make(With(SimulationProfile::FoundationDb(), {.unknown_later = 1}), seed);
    std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
    Transaction transaction(*engine);
    ASSERT_OK(transaction.Get(kRows, "read"));
    transaction.Put(kRows, "0", "late");
    EXPECT_ERROR(transaction.Commit(), ErrorCode::outcome_unknown);
    simulation.InjectFaults(false);
    EXPECT_EQ(KeptPrefix(*engine), 0u);
    const bool disturbed = seed % 2 == 0;
    if (disturbed) {
      ASSERT_OK(Put(*engine, "read"));
    }
    simulation.Settle();
    const std::size_t kept = KeptPrefix(*engine);
    EXPECT_LE(kept, disturbed ? 0u : 1u);
    outcomes.insert(kept);
  }
  EXPECT_EQ(outcomes, (std::set<std::size_t>{0, 1}));
}

TEST(Simulation, AfterAnUnknownOutcomeAnEmbeddedEngineMustBeOpenedAgain) {
  Simulation simulation = Make(With(SimulationProfile::RocksDb(), {.unknown_applied = 1}));
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  EXPECT_ERROR(Put(*engine, "0"), ErrorCode::outcome_unknown);
  EXPECT_ERROR(engine->OpenSnapshot(), ErrorCode::closed);
  engine = std::move(simulation.Open()).value();
  EXPECT_EQ(KeptPrefix(*engine), 1u);
}

TEST(Simulation, CallbacksDoNotRunAfterAnUnknownOutcome) {
  Simulation simulation = Make(With(SimulationProfile::FoundationDb(), {.unknown_applied = 1}));
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  CommitRequest request;
  request.batch.Put(kRows, "key", "value");
  bool called = false;
  request.after_commit = [&](Version) { called = true; };
  EXPECT_ERROR(engine->Commit(std::move(request)), ErrorCode::outcome_unknown);
  EXPECT_FALSE(called);
}

TEST(Simulation, WorkAfterwardsIsNotDoneAfterAnUnknownOutcome) {
  for (const SimulationFaults& faults :
       {SimulationFaults{.unknown_applied = 1}, SimulationFaults{.unknown_lost = 1}}) {
    Simulation simulation = Make(With(SimulationProfile::FoundationDb(), faults));
    std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
    Transaction transaction(*engine);
    transaction.Put(kRows, "key", "value");
    bool called = false;
    transaction.Afterwards([&] { called = true; });
    EXPECT_ERROR(transaction.Commit(), ErrorCode::outcome_unknown);
    EXPECT_FALSE(called);
  }
}

TEST(Simulation, BlindCommitsNeitherConflictNorExpire) {
  Simulation simulation =
      Make(With(SimulationProfile::FoundationDb(), {.conflict = 1, .snapshot_expired = 1}));
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  EXPECT_OK(Put(*engine, "0"));
}

TEST(Simulation, TransactionsOfTheClusterExpireAfterFiveSeconds) {
  Simulation simulation = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  Transaction transaction(*engine);
  ASSERT_OK(transaction.Get(kRows, "key"));
  transaction.Put(kRows, "key", "value");
  simulation.clock().Advance(seconds(6));
  EXPECT_ERROR(transaction.Get(kRows, "other"), ErrorCode::snapshot_expired);
  EXPECT_ERROR(transaction.Commit(), ErrorCode::snapshot_expired);
}

TEST(Simulation, AScanOfManyRoundTripsOutlivesItsSnapshotOnTheCluster) {
  Simulation simulation = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  CommitRequest request;
  for (int key = 0; key < 10'000; ++key) request.batch.Put(kRows, std::to_string(key), "");
  ASSERT_OK(engine->Commit(std::move(request)));
  std::unique_ptr<Snapshot> snapshot = std::move(engine->OpenSnapshot()).value();
  Scanner one_by_one(*snapshot, kRows, KeyRange::All(), {.row_limit = 1});
  Result<std::optional<Row>> row = one_by_one.Next();
  while (row && *row) row = one_by_one.Next();
  EXPECT_ERROR(row, ErrorCode::snapshot_expired);

  PagedReader paged(*engine);
  Scanner rows(paged, kRows, KeyRange::All(), {.row_limit = 1});
  std::size_t count = 0;
  while (rows.Next().value()) ++count;
  EXPECT_EQ(count, 10'000u);
}

TEST(Simulation, HoldsToTheLimitsOfTheCluster) {
  Simulation simulation = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  CommitRequest large_value;
  large_value.batch.Put(kRows, "key", std::string(100'001, 'x'));
  EXPECT_ERROR(engine->Commit(std::move(large_value)), ErrorCode::too_large);

  // 3 k + v + 69 bytes for a Put: 97 of these are within 10 MB, 101 are not.
  const std::string value(100'000, 'x');
  for (const std::size_t count : {99, 100}) {
    CommitRequest request;
    for (std::size_t key = 0; key < count; ++key)
      request.batch.Put(kRows, std::to_string(1000 + key), value);
    EXPECT_EQ(engine->Commit(std::move(request)).has_value(), count == 99);
  }
}

TEST(Simulation, CountsRoundTrips) {
  Simulation simulation = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  Transaction transaction(*engine);
  const std::vector<KeyReference> keys{{kRows, "a"}, {kRows, "b"}, {kCounts, "c"}};
  ASSERT_OK(transaction.MultiGet(keys));
  transaction.Put(kRows, "a", "1");
  ASSERT_OK(transaction.Get(kRows, "a"));  // its own: no round trip
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(simulation.round_trips(), 3u);  // the snapshot, the wave of reads, the commit
}

TEST(Simulation, ABlindTransactionTakesOneRoundTrip) {
  Simulation simulation = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  Transaction transaction(*engine);
  transaction.Add(kCounts, "a", 1);
  transaction.Put(kRows, "a", "1");
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(simulation.round_trips(), 1u);
}

TEST(Simulation, PagesMayBeShortOrEmptyAndStillAddUp) {
  Simulation simulation = Make(With(SimulationProfile::FoundationDb(), {.short_page = 1}));
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  for (int key = 0; key < 50; ++key) ASSERT_OK(Put(*engine, std::to_string(100 + key)));
  for (const bool reverse : {false, true}) {
    std::unique_ptr<Snapshot> snapshot = std::move(engine->OpenSnapshot()).value();
    std::optional<KeyRange> rest = KeyRange::All();
    std::vector<std::string> keys;
    bool saw_empty_page = false;
    while (rest) {
      const Page page =
          snapshot->Range(kRows, *rest, {.reverse = reverse, .row_limit = 10}).value();
      for (const Row row : page) keys.emplace_back(row.key);
      saw_empty_page |= page.empty();
      rest = page.rest();
    }
    EXPECT_TRUE(saw_empty_page);
    if (reverse) std::ranges::reverse(keys);
    ASSERT_EQ(keys.size(), 50u);
    EXPECT_EQ(keys.front(), "100");
    EXPECT_TRUE(std::ranges::is_sorted(keys));
  }
}

// A page may be empty and not the last one. Read backwards from the open end of a keyspace, what is
// then left to read has no end either, and the transaction took one for granted when it recorded
// what it had read.
TEST(Simulation, ATransactionReadsBackwardsThroughEmptyPages) {
  Simulation simulation = Make(With(SimulationProfile::RocksDb(), {.short_page = 1}));
  std::unique_ptr<Engine> engine = std::move(simulation.Open()).value();
  for (int key = 0; key < 20; ++key) ASSERT_OK(Put(*engine, std::to_string(100 + key)));
  bool began_empty = false;
  for (int attempt = 0; attempt < 20; ++attempt) {
    Transaction transaction(*engine);
    transaction.Erase(kRows, "105");
    std::optional<KeyRange> rest = KeyRange::All();
    std::size_t count = 0;
    while (rest) {
      const Page page = transaction.Range(kRows, *rest, {.reverse = true, .row_limit = 5}).value();
      began_empty |= page.empty() && count == 0;
      count += page.size();
      rest = page.rest();
    }
    EXPECT_EQ(count, 19u);
  }
  EXPECT_TRUE(began_empty);
}

TEST(Simulation, OnlyTheClusterMayBeOpenedTwice) {
  Simulation cluster = Make(SimulationProfile::FoundationDb().WithoutFaults());
  std::unique_ptr<Engine> one = std::move(cluster.Open()).value();
  std::unique_ptr<Engine> two = std::move(cluster.Open()).value();
  ASSERT_OK(Put(*one, "0"));
  EXPECT_EQ(KeptPrefix(*two), 1u);

  Simulation embedded = Make(SimulationProfile::RocksDb().WithoutFaults());
  std::unique_ptr<Engine> only = std::move(embedded.Open()).value();
  EXPECT_ERROR(embedded.Open(), ErrorCode::unavailable);
  only.reset();
  EXPECT_OK(embedded.Open());
}

TEST(Simulation, ACrashedClientOfTheClusterLeavesTheOthersAlone) {
  Simulation simulation = Make(With(SimulationProfile::FoundationDb(), {.crash = 1}));
  std::unique_ptr<Engine> one = std::move(simulation.Open()).value();
  std::unique_ptr<Engine> two = std::move(simulation.Open()).value();
  EXPECT_ERROR(Put(*one, "0"), ErrorCode::outcome_unknown);
  EXPECT_ERROR(one->OpenSnapshot(), ErrorCode::closed);
  simulation.InjectFaults(false);
  EXPECT_OK(Put(*two, "0"));
}

}  // namespace
}  // namespace talea
