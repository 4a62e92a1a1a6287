#include "talea/verify.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>

#include "coordination/keys.h"
#include "coordination/schema.h"
#include "coordination/tenant_keys.h"
#include "database/copy_mark.h"
#include "database/database_testing.h"
#include "database/folder_for_test.h"
#include "engine/undo.h"
#include "talea/histograms.h"
#include "talea/lease.h"
#include "talea/progress.h"
#include "talea/tenants.h"
#include "talea/testing/simulation.h"
#include "talea/tuple.h"

namespace talea {
namespace {

using testing::AllOf, testing::Each, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty;

const Timestamp kNow{std::chrono::hours(24)};
const std::string kRequest = RequestKeyOf("request");
const std::string kRecord = UndoRecordKey("orders", "1");

// Some of everything that Talea writes; sessions and their slots as well, while the database is
// open on an engine that outlives unknown outcomes.
Status Fill(Database& database) {
  const Progress orders("orders");
  TALEA_TRY(database.Transact([](Transaction& transaction) -> Status {
    for (const std::string_view key : {"a", "b", "c"}) {
      transaction.Put(kRows, key, std::string(900, 'x'));
    }
    transaction.Add(kCounts, "n", 3);
    return Progress("plain").Move(transaction, std::nullopt, "1");
  }));
  TALEA_TRY(database.Transact([&](Transaction& transaction) -> Status {
    TALEA_TRY(orders.MoveWithUndo(transaction, std::nullopt, "1"));
    transaction.EraseRange(kRows, KeyRange::Before("c"));  // 1,800 bytes to restore
    return {};
  }));
  TALEA_TRY(database.Transact([](Transaction& transaction) -> Status {
    TALEA_TRY(AcquireLease(transaction, "writer", "ada", std::chrono::hours(1), kNow));
    const Lease given_up =
        TALEA_TRY(AcquireLease(transaction, "released", "ada", std::chrono::hours(1), kNow));
    return ReleaseLease(transaction, given_up);
  }));
  TALEA_TRY(database.TransactOnce(
      {.key = "request"}, [](Transaction&, Timestamp) -> Result<std::string> { return "answer"; }));
  return {};
}

void Put(Engine& engine, const Keyspace& keyspace, ByteView key,
         const std::optional<std::string>& value) {
  WriteBatch batch;
  value ? batch.Put(keyspace, key, *value) : batch.Erase(keyspace, key);
  ASSERT_OK(engine.Commit({.batch = std::move(batch)}));
}

std::vector<std::string> ProblemsOf(Engine& engine) {
  const Result<VerifyReport> report = VerifyDatabase(engine);
  if (!report) return {report.error().message()};
  std::vector<std::string> problems;
  for (const KeyspaceReport& part : report->keyspaces) {
    problems.insert(problems.end(), part.problems.begin(), part.problems.end());
  }
  EXPECT_EQ(report->well(), problems.empty());
  return problems;
}

const KeyspaceReport& ReportOn(const Keyspace& keyspace, const VerifyReport& report) {
  return *std::ranges::find(report.keyspaces, keyspace, &KeyspaceReport::keyspace);
}

// An index with an entry, and with one more in its counter than it has.
void MiscountIndex(Engine& engine) {
  IndexStore indexes(engine);
  ASSERT_OK(indexes.Create("words"));
  Transaction transaction(engine);
  ASSERT_TRUE(ASSERT_VALUE(indexes.Add(transaction, "words", {"word"}, 1)));
  ASSERT_OK(transaction.Commit());
  ASSERT_THAT(ProblemsOf(engine), IsEmpty());
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine.OpenSnapshot());
  const Page counters =
      ASSERT_VALUE(snapshot->Range(kHistogramCountersKeyspace, KeyRange::All(), {}));
  ASSERT_EQ(counters.size(), 1u);
  WriteBatch batch;
  batch.Add(kHistogramCountersKeyspace, counters[0].key, 1);
  ASSERT_OK(engine.Commit({.batch = std::move(batch)}));
}

class VerifyDatabaseTest : public ScriptedDatabase {
 protected:
  void SetUp() override {
    ASSERT_OK(Fill(*database_));
    ASSERT_THAT(ProblemsOf(*engine_), IsEmpty());
  }

  // What is found while this row has another value, or none.
  std::vector<std::string> With(const Keyspace& keyspace, const std::string& key,
                                const std::optional<std::string>& value) {
    const std::optional<std::string> before = Get(keyspace, key);
    Put(*engine_, keyspace, key, value);
    std::vector<std::string> problems = ProblemsOf(*engine_);
    Put(*engine_, keyspace, key, before);
    return problems;
  }

  std::string OnlyKeyBehind(TaleaPrefix prefix, std::size_t row = 0) {
    const std::unique_ptr<Snapshot> snapshot = engine_->OpenSnapshot().value();
    const KeyRange range = KeyRange::Prefix(PackedPrefix(prefix));
    return std::string(snapshot->Range(kTaleaKeyspace, range).value()[row].key);
  }
};

TEST_F(VerifyDatabaseTest, FindsADatabaseWithSomeOfEverythingWell) {
  for (const TaleaPrefix prefix :
       {TaleaPrefix::session, TaleaPrefix::session_slot, TaleaPrefix::request,
        TaleaPrefix::request_expiry, TaleaPrefix::progress, TaleaPrefix::lease,
        TaleaPrefix::lease_expiry}) {
    EXPECT_GT(RowsBehind(prefix), 0u) << static_cast<int>(prefix);
  }
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(*engine_));
  EXPECT_TRUE(report.well());
  EXPECT_EQ(report.version, engine_->OpenSnapshot().value()->version());
  ASSERT_EQ(report.keyspaces.size(), kAllKeyspaces.size() + 2);
  EXPECT_EQ(ReportOn(kUndoKeyspace, report).rows, 2u) << "a record of two parts";
  EXPECT_EQ(ReportOn(kRows, report).rows, 1u);
  EXPECT_EQ(ReportOn(kRows, report).bytes, 901u);
}

TEST_F(VerifyDatabaseTest, FindsTheDamagedValueOfEveryKindOfRow) {
  const std::map<std::string, std::string> kinds{
      {SchemaKey(), "schema row: "},
      {OnlyKeyBehind(TaleaPrefix::session), "session "},
      {OnlyKeyBehind(TaleaPrefix::session_slot, 0), "mark of a session: "},
      {OnlyKeyBehind(TaleaPrefix::session_slot, 1), "slot of a session: "},
      {kRequest, "request \"request\": "},
      {OnlyKeyBehind(TaleaPrefix::request_expiry), "expiry of a request: "},
      {ProgressKey("orders"), "progress of source \"orders\": "},
      {LeaseKey("writer"), "lease \"writer\": "},
      {LeaseKey("released"), "lease \"released\": "},
      {LeaseExpiryKey("writer"), "expiry of a lease: "},
  };
  for (const auto& [key, kind] : kinds) {
    const std::string value = Get(kTaleaKeyspace, key).value();
    std::vector<std::string> damaged{value + "x"};
    if (!value.empty()) {
      damaged.push_back(value.substr(0, value.size() - 1));
      damaged.push_back(value);
      damaged.back().front() ^= '\x40';
    }
    for (const std::string& bytes : damaged) {
      EXPECT_THAT(
          With(kTaleaKeyspace, key, bytes),
          ElementsAre(HasSubstr(fmt::format("keyspace \"talea\", key {}: {}", Quoted(key), kind))))
          << Quoted(bytes);
    }
  }
}

TEST_F(VerifyDatabaseTest, FindsKeysThatTaleaDoesNotWrite) {
  const std::map<std::string, std::string> keys{
      {"\xfe", "byte 0: "},
      {"", "a kind that Talea writes, found the key ()"},
      {Pack({77}).value(), "a kind that Talea writes, found the key (77)"},
      {Pack({1, Text("schema")}).value(),
       "a kind that Talea writes, found the key (1, \"schema\")"},
      {Pack({Text("tenants")}).value(), "a kind that Talea writes, found the key (\"tenants\")"},
      {Pack({2, 5}).value(), "session: expected its key, found one with other elements: (2, 5)"},
      {Pack({3, Uuid{}, 1, 2}).value(), "slot of a session: expected its key, found "},
      {Pack({4, Text("request")}).value(), "request: expected its key, found "},
      {Pack({4, Bytes("")}).value(), "request: expected a key of 1 to 255 bytes, found 0"},
      {Pack({5, Bytes("request")}).value(), "expiry of a request: expected its key, found "},
      {Pack({6, Bytes("orders")}).value(), "progress: expected its key, found "},
      {Pack({6, Text("")}).value(), "progress of source \"\": expected a name of 1 to 255 bytes"},
      {Pack({7}).value(), "lease: expected its key, found "},
      {Pack({8, Text("writer"), 0}).value(), "expiry of a lease: expected its key, found "},
      {Pack({9, 9}).value(), "mark of a copy: expected its key, found "},
  };
  for (const auto& [key, problem] : keys) {
    EXPECT_THAT(With(kTaleaKeyspace, key, ""),
                ElementsAre(AllOf(HasSubstr("key " + Quoted(key) + ": "), HasSubstr(problem))));
  }
}

TEST_F(VerifyDatabaseTest, FindsRowsThatLackAnother) {
  const auto without = [&](const std::string& key) {
    return With(kTaleaKeyspace, key, std::nullopt);
  };
  EXPECT_THAT(without(kRequest),
              ElementsAre(HasSubstr(": expiry of a request: expected the request at key ")));
  EXPECT_THAT(without(OnlyKeyBehind(TaleaPrefix::request_expiry)),
              ElementsAre(HasSubstr(": request: expected its expiry at key ")));
  EXPECT_THAT(without(LeaseKey("writer")),
              ElementsAre(HasSubstr(": expiry of a lease: expected the lease at key ")));
  EXPECT_THAT(without(LeaseExpiryKey("writer")),
              ElementsAre(HasSubstr(": lease: expected its expiry at key ")));
  EXPECT_THAT(without(OnlyKeyBehind(TaleaPrefix::session)),
              ElementsAre(HasSubstr(": mark of a session: expected the session at key ")));
  EXPECT_THAT(without(OnlyKeyBehind(TaleaPrefix::session_slot)),
              ElementsAre(HasSubstr(": session: expected its mark at key ")));
  EXPECT_THAT(without(ProgressKey("orders")),
              ElementsAre(HasSubstr("expected source \"orders\" to be at position \"1\" or beyond, "
                                    "found none")));
  EXPECT_THAT(without(SchemaKey()), Each(HasSubstr("expected a schema row")));
  EXPECT_EQ(without(SchemaKey()).size(), 2u) << "one for each keyspace of Talea's";
}

TEST_F(VerifyDatabaseTest, FindsRowsThatContradictAnother) {
  const std::string another_time = RequestExpiryKey(kNow + std::chrono::seconds(1), "request");
  EXPECT_THAT(With(kTaleaKeyspace, another_time, ""),
              ElementsAre(HasSubstr(
                  "expected request \"request\" to expire at 86401000000, found 86400000000")));
  EXPECT_THAT(With(kTaleaKeyspace, LeaseExpiryKey("released"), EncodeTime(kNow)),
              ElementsAre(HasSubstr("expected lease \"released\" to be held, found it released")));
  EXPECT_THAT(With(kTaleaKeyspace, ProgressKey("orders"), Pack({Bytes("0"), nullptr}).value()),
              ElementsAre(HasSubstr("expected source \"orders\" to be at position \"1\" or beyond, "
                                    "found \"0\"")));
}

TEST_F(VerifyDatabaseTest, FindsDamagedUndoRecords) {
  const std::string first = UndoKey(kRecord, 0);
  const std::string last = UndoKey(kRecord, 1);
  for (const std::string& key : {first, last}) {
    const std::string value = Get(kUndoKeyspace, key).value();
    std::string flipped = value;
    flipped.back() ^= 1;
    for (const std::string& damaged : {value + "x", value.substr(0, value.size() - 1), flipped}) {
      EXPECT_THAT(With(kUndoKeyspace, key, damaged),
                  ElementsAre(AllOf(HasSubstr("keyspace \"undo\", key " + Quoted(first)),
                                    HasSubstr("expected 2 parts with checksum "))));
    }
  }
  EXPECT_THAT(With(kUndoKeyspace, first, "\x02"),
              ElementsAre(HasSubstr("undo record: expected format 1, found 2")));
  EXPECT_THAT(With(kUndoKeyspace, first, std::nullopt),
              ElementsAre(AllOf(HasSubstr(Quoted(last)),
                                HasSubstr("undo record: expected part 0 before it, found none"))));
  EXPECT_THAT(With(kUndoKeyspace, last, std::nullopt),
              ElementsAre(HasSubstr("undo record: expected 2 parts with checksum ")));
  EXPECT_THAT(With(kUndoKeyspace, UndoKey(kRecord, 3), "more"),
              ElementsAre(AllOf(HasSubstr(Quoted(UndoKey(kRecord, 3))),
                                HasSubstr("undo record: expected part 2 before it, found none"))));
  EXPECT_THAT(With(kUndoKeyspace, UndoKey("junk", 0), ""),
              ElementsAre(HasSubstr("expected a source, a position and 4 bytes")));
}

TEST_F(VerifyDatabaseTest, FindsUndoRecordsThatWriteToNoKeyspace) {
  WriteBatch restore;
  restore.Put(Keyspace{222, AccessPattern::scan, "gone"}, "key", "value");
  EXPECT_THAT(With(kUndoKeyspace, UndoKey(UndoRecordKey("orders", "0"), 0),
                   EncodeUndo(restore, 1000).at(0)),
              ElementsAre(HasSubstr("undo record: expected writes to keyspaces that there are, "
                                    "found one to that of id 222")));
}

TEST_F(VerifyDatabaseTest, LeavesTheNewestOfEachSourceToItsProgress) {
  const std::string record = EncodeUndo(WriteBatch(), 1000).at(0);
  for (const std::string position : {"2", "3"}) {
    Put(*engine_, kUndoKeyspace, UndoKey(UndoRecordKey("orders", position), 0), record);
  }
  Put(*engine_, kUndoKeyspace, UndoKey(UndoRecordKey("unknown", "1"), 0), record);
  EXPECT_THAT(ProblemsOf(*engine_),
              ElementsAre(HasSubstr("source \"orders\" to be at position \"3\""),
                          HasSubstr("source \"unknown\" to be at position")));
}

// The checks of the layer's rows have tests of their own, beside it.
TEST_F(VerifyDatabaseTest, FindsCountersThatDoNotSayHowManyEntriesAnIndexHas) {
  MiscountIndex(*engine_);
  EXPECT_THAT(
      ProblemsOf(*engine_),
      ElementsAre("index \"words\", histogram 1, values [\"\", end): expected counters with "
                  "a sum of 1, the number of entries, found 2"));
}

TEST_F(VerifyDatabaseTest, FindsAnIndexWellWhileItsBucketsAreDivided) {
  IndexStore indexes(*engine_);
  ASSERT_OK(indexes.Create("words", {.peek_cap = 4}));
  Transaction slow(*engine_);  // until it ends no division of the bucket is finished
  ASSERT_TRUE(ASSERT_VALUE(indexes.Add(slow, "words", {0}, "slow")));
  for (int number = 0; number < 40; ++number) {
    ASSERT_OK(database_->Transact([&](Transaction& transaction) {
      return indexes.Add(transaction, "words", {number % 7}, number);
    }));
  }
  const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(engine_->OpenSnapshot());
  const std::vector<IndexBucket> buckets = ASSERT_VALUE(indexes.Buckets(*snapshot, "words"));
  ASSERT_TRUE(std::ranges::any_of(buckets, &IndexBucket::dividing));
  EXPECT_THAT(ProblemsOf(*engine_), IsEmpty());
  ASSERT_OK(slow.Commit());
  ASSERT_OK(indexes.Settle("words"));
  EXPECT_THAT(ProblemsOf(*engine_), IsEmpty());
}

TEST_F(VerifyDatabaseTest, FindsAnIndexWellWhileItsHistogramIsChanged) {
  IndexStore indexes(*engine_);
  ASSERT_OK(indexes.Create("words", {.histogram = Histogram::Fixed(2), .peek_cap = 4}));
  std::vector<IndexEntry> entries;
  for (int number = 0; number < 1000; ++number) entries.push_back({{number}, number});
  const auto write = [&](auto change) {
    ASSERT_OK(database_->Transact(change));
    EXPECT_THAT(ProblemsOf(*engine_), IsEmpty());
  };
  write([&](Transaction& transaction) { return indexes.Add(transaction, "words", entries); });
  for (const Histogram& histogram : {Histogram::Learned(), Histogram::Fixed(1)}) {
    EXPECT_FALSE(indexes.Change("words", histogram, [](auto, auto) { return false; }));
    EXPECT_THAT(ProblemsOf(*engine_), IsEmpty()) << "stopped half-way: " << histogram.ToString();
    ASSERT_OK(indexes.Change("words", histogram));
    EXPECT_THAT(ProblemsOf(*engine_), IsEmpty()) << histogram.ToString();
  }
  write([&](Transaction& transaction) { return indexes.Remove(transaction, "words", entries); });
  ASSERT_OK(indexes.Drop("words"));
  EXPECT_THAT(ProblemsOf(*engine_), IsEmpty());
}

TEST_F(VerifyDatabaseTest, TellsOfACopyThatIsNotFinishedAndNotOfWhatItLacks) {
  const std::string mark = EncodeCopyMark({.source = {7}, .rows = 258});
  EXPECT_THAT(With(kTaleaKeyspace, CopyMarkKey(), mark.substr(1)),
              ElementsAre(HasSubstr("mark of a copy: ")));
  for (const std::string& key :
       {OnlyKeyBehind(TaleaPrefix::request_expiry), kRequest, SchemaKey(), ProgressKey("orders")}) {
    Put(*engine_, kTaleaKeyspace, CopyMarkKey(), mark);
    EXPECT_THAT(With(kTaleaKeyspace, key, std::nullopt),
                ElementsAre(HasSubstr("found one that ended after 258 rows: copy again")));
  }
  EXPECT_THAT(With(kUndoKeyspace, UndoKey(kRecord, 1), std::nullopt),
              ElementsAre(HasSubstr("mark of a copy: ")));
}

TEST_F(VerifyDatabaseTest, DoesNotJudgeTheRowsOfANewerVersion) {
  Put(*engine_, kTaleaKeyspace, Pack({77}).value(), "new");
  EXPECT_THAT(With(kTaleaKeyspace, SchemaKey(), Encode(Schema{7, Layout::plain}) + "\x15\x01"),
              ElementsAre(HasSubstr("schema row: expected version 1 or less, found 7: a newer")));
}

TEST_F(VerifyDatabaseTest, LeavesTheRowsOfProgramsToThem) {
  EXPECT_THAT(With(kRows, "\xfe", "anything"), IsEmpty());
}

TEST_F(VerifyDatabaseTest, CountsAllProblemsAndKeepsTheFirst) {
  for (int number = 100; number < 130; ++number) {
    Put(*engine_, kTaleaKeyspace, Pack({number}).value(), "");
  }
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(*engine_));
  EXPECT_EQ(report.problem_count(), 30u);
  EXPECT_EQ(report.keyspaces[0].problems.size(), kMostProblems);
  EXPECT_FALSE(report.well());
}

TEST_F(VerifyDatabaseTest, StopsWhenToldTo) {
  std::vector<std::uint64_t> told;
  const VerifyReport report =
      ASSERT_VALUE(VerifyDatabase(*engine_, [&](std::uint64_t done, std::uint64_t) {
        told.push_back(done);
        return told.size() < 2;
      }));
  EXPECT_FALSE(report.finished);
  EXPECT_FALSE(report.well());
  ASSERT_EQ(report.keyspaces.size(), 2u);
  EXPECT_EQ(report.keyspaces[1].digest, "");
  EXPECT_THAT(told, ElementsAre(report.keyspaces[0].rows,
                                report.keyspaces[0].rows + report.keyspaces[1].rows));
}

TEST_F(VerifyDatabaseTest, LooksIntoTheKeyspacesAloneThatAreNamed) {
  Put(*engine_, kTaleaKeyspace, "nonsense", "");
  const VerifyReport all = ASSERT_VALUE(VerifyDatabase(*engine_));
  EXPECT_FALSE(all.well());
  EXPECT_EQ(all.keyspaces.size(), engine_->keyspaces().all().size());

  const VerifyReport some =
      ASSERT_VALUE(VerifyDatabase(*engine_, {}, {.keyspaces = ChainKeyspaces()}));
  EXPECT_TRUE(some.well());
  ASSERT_EQ(some.keyspaces.size(), ChainKeyspaces().size());
  EXPECT_EQ(some.keyspaces[0].keyspace, kUndoKeyspace);
  EXPECT_EQ(some.keyspaces[0].rows, all.keyspaces[1].rows);
}

// The one that docs/formats.md shows.
TEST(VerifyDigest, IsThatOfACopy) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  Put(*engine, kRows, "key", "value");
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(*engine));
  EXPECT_TRUE(report.well()) << "an engine without a database";
  EXPECT_EQ(ReportOn(kRows, report).digest, "6ae2cdb4add49058236375a25894f047");
  EXPECT_EQ(ReportOn(kRows, report).digest, ASSERT_VALUE(DigestDatabase(*engine)).digest);
}

TEST(VerifyWhereSnapshotsExpire, TriesAgainWhatPasses) {
  SimulationProfile profile = SimulationProfile::FoundationDb();
  profile.faults = {
      .snapshot_expired = 0.2, .timed_out = 0.2, .unavailable = 0.2, .short_page = 0.3};
  Simulation simulation = ASSERT_VALUE(Simulation::Make(KeyspacesForTest(), profile, 1));
  simulation.InjectFaults(false);
  const std::shared_ptr<Engine> engine = ASSERT_VALUE(simulation.Open());
  const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Over(engine, {}));
  ASSERT_OK(Fill(*database));
  const VerifyReport quiet = ASSERT_VALUE(VerifyDatabase(*engine));
  EXPECT_TRUE(quiet.well());
  simulation.InjectFaults(true);
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(*engine));
  EXPECT_TRUE(report.well());
  for (std::size_t part = 0; part < report.keyspaces.size(); ++part) {
    EXPECT_EQ(report.keyspaces[part].digest, quiet.keyspaces[part].digest);
  }
}

class VerifyTenants : public testing::Test {
 protected:
  void SetUp() override {
    tenants_.emplace(ASSERT_VALUE(Tenants::Over(host_)));
    ada_ = ASSERT_VALUE(tenants_->Open("ada"));
    bob_ = ASSERT_VALUE(tenants_->Open("bob"));
    for (const std::shared_ptr<Engine>& engine : {ada_, bob_}) {
      const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Over(engine, {}));
      ASSERT_OK(Fill(*database));
    }
    ASSERT_THAT(ProblemsOf(*host_), IsEmpty());
    ASSERT_THAT(ProblemsOf(*ada_), IsEmpty());
  }

  const std::shared_ptr<Engine> host_ = OpenEngineForTest();
  std::optional<Tenants> tenants_;
  std::shared_ptr<Engine> ada_;
  std::shared_ptr<Engine> bob_;
};

TEST_F(VerifyTenants, NameTheTenantWhoseRowIsDamaged) {
  Put(*bob_, kTaleaKeyspace, LeaseExpiryKey("writer"), std::nullopt);
  Put(*bob_, kUndoKeyspace, UndoKey(kRecord, 0), "damaged");
  EXPECT_THAT(
      ProblemsOf(*host_),
      ElementsAre(HasSubstr("tenant \"bob\", keyspace \"talea\", key \"\\x15\\x07\\x02writer"
                            "\\x00\": lease: expected its expiry"),
                  HasSubstr("tenant \"bob\", keyspace \"undo\", key ")));
  EXPECT_THAT(ProblemsOf(*ada_), IsEmpty());
  EXPECT_EQ(ProblemsOf(*bob_).size(), 2u);
}

TEST_F(VerifyTenants, FindsTheEndOfATenantsLastRecordWhereAnotherTenantBegins) {
  Put(*ada_, kTaleaKeyspace, ProgressKey("orders"), std::nullopt);
  EXPECT_THAT(ProblemsOf(*host_),
              ElementsAre(AllOf(HasSubstr("tenant \"ada\", keyspace \"undo\""),
                                HasSubstr("expected source \"orders\" to be at position"))));
}

TEST_F(VerifyTenants, ComparesTheIndexesOfEachInItsOwnTerms) {
  IndexStore of_ada(*ada_);
  ASSERT_OK(of_ada.Create("words"));
  MiscountIndex(*bob_);
  EXPECT_THAT(ProblemsOf(*host_),
              ElementsAre(HasSubstr("tenant \"bob\", index \"words\", histogram 1, values")));
}

TEST_F(VerifyTenants, FindsRowsOfNoTenant) {
  Put(*host_, kRows, TenantPrefix(99).Extend("key"), "value");
  Put(*host_, kRows, TenantPrefix(99).Extend("key 2"), "value");
  Put(*host_, kRows, "key", "value");
  EXPECT_THAT(ProblemsOf(*host_),
              ElementsAre(HasSubstr("number at the front, found 99, which no tenant has"),
                          HasSubstr("keyspace \"rows\", key \"key\": expected a tenant's number")));
}

TEST_F(VerifyTenants, FindsDamagedRowsOfTheHost) {
  const auto with = [&](const std::string& key, const std::optional<std::string>& value) {
    const auto before = host_->OpenSnapshot().value()->Get(kTaleaKeyspace, key).value();
    Put(*host_, kTaleaKeyspace, key, value);
    std::vector<std::string> problems = ProblemsOf(*host_);
    Put(*host_, kTaleaKeyspace, key, before);
    return problems;
  };
  const std::string bob = TenantRowKey("bob").value();
  EXPECT_THAT(with(bob, EncodeTenantNumber(1)),
              testing::Contains(HasSubstr("tenant \"bob\": expected a number of its own, found 1, "
                                          "which is that of \"ada\"")));
  EXPECT_THAT(with(bob, "x"), testing::Contains(HasSubstr("expected a packed number from 1 on")));
  EXPECT_THAT(with(NextTenantKey(), EncodeTenantNumber(2)),
              ElementsAre(HasSubstr("expected one beyond 2, which tenant \"bob\" has, found 2")));
  EXPECT_THAT(with(NextTenantKey(), "x"), ElementsAre(HasSubstr("expected a packed number")));
  EXPECT_THAT(with(NextTenantKey(), std::nullopt),
              ElementsAre(HasSubstr("tenant \"ada\": expected a row with the number of the next"),
                          HasSubstr("tenant \"bob\": expected a row with the number of the next")));
  EXPECT_THAT(with(SchemaKey(), Encode(Schema{1, Layout::tenants}) + "x"),
              ElementsAre(HasSubstr("schema row: expected a version and a layout alone")));
  EXPECT_THAT(
      with(Pack({Text("other")}).value(), ""),
      ElementsAre(HasSubstr("expected the schema, a tenant or the number of the next one")));
}

// Flips a bit in the first block of each table that is large enough to hold the rows.
std::size_t DamageTables(const std::filesystem::path& folder) {
  std::size_t damaged = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".sst" || entry.file_size() < 20'000) continue;
    std::fstream file(entry.path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(100);
    const char byte = static_cast<char>(file.get() ^ 1);
    file.seekp(100);
    file.put(byte);
    ++damaged;
  }
  return damaged;
}

TEST(VerifyOnRocksDb, ReportsADamagedTable) {
  const FolderForTest folder;
  for (int opened = 0; opened < 2; ++opened) {  // the second time writes the log to tables
    const std::unique_ptr<Database> database =
        ASSERT_VALUE(Database::Open(folder.RocksDb("a"), {.keyspaces = {kRows, kCounts}}));
    if (opened > 0) continue;
    ASSERT_OK(Fill(*database));
    ASSERT_OK(database->Transact([](Transaction& transaction) -> Status {
      std::mt19937_64 random(1);  // which does not compress well
      for (int row = 0; row < 5000; ++row) {
        transaction.Put(kRows, fmt::format("row {:04}", row), fmt::format("{:016x}", random()));
      }
      return {};
    }));
  }
  ASSERT_EQ(DamageTables(folder.Path("a")), 1u);
  const std::shared_ptr<Engine> engine = ASSERT_VALUE(OpenEngine(folder.RocksDb("a")));
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(*engine));
  EXPECT_EQ(report.problem_count(), 1u);
  ASSERT_EQ(report.keyspaces.size(), kAllKeyspaces.size() + 2);
  EXPECT_THAT(ReportOn(kRows, report).problems,
              ElementsAre(AllOf(HasSubstr("keyspace \"rows\", keys [\"\", end): "),
                                HasSubstr("block checksum mismatch"), HasSubstr(".sst"))));
  EXPECT_EQ(ReportOn(kRows, report).digest, "");
  EXPECT_NE(ReportOn(kCounts, report).digest, "") << "the others were read to their end";
}

}  // namespace
}  // namespace talea
