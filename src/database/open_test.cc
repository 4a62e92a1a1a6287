#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "coordination/keys.h"
#include "coordination/schema.h"
#include "database/folder_for_test.h"
#include "keyspace/registry.h"
#include "talea/copy.h"
#include "talea/database.h"
#include "talea/histograms.h"
#include "talea/memory_engine.h"
#include "talea/rocksdb_engine.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"
#include "talea/verify.h"

namespace talea {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr Keyspace kRows{200, AccessPattern::scan, "rows"};
constexpr Keyspace kCounts{201, AccessPattern::counter, "counts"};

class OpenDatabase : public testing::Test {
 protected:
  static Result<std::unique_ptr<Database>> Open(const std::string& location) {
    return Database::Open(location, {.keyspaces = {kRows, kCounts}});
  }
  static Status Put(Database& database, ByteView key, ByteView value) {
    return database.Transact([&](Transaction& transaction) -> Status {
      transaction.Put(kRows, key, value);
      transaction.Add(kCounts, key, 1);
      return {};
    });
  }
  static Result<std::optional<std::string>> Get(Database& database, ByteView key) {
    return TALEA_TRY(database.OpenSnapshot())
    ->Get(kRows, key);
  }

  const FolderForTest folder_;
};

TEST_F(OpenDatabase, InMemoryIsEmptyEachTime) {
  const std::unique_ptr<Database> database = ASSERT_VALUE(Open("memory:"));
  ASSERT_OK(Put(*database, "key", "value"));
  EXPECT_EQ(ASSERT_VALUE(Get(*database, "key")), "value");
  const std::unique_ptr<Database> another = ASSERT_VALUE(Open("memory:"));
  EXPECT_EQ(ASSERT_VALUE(Get(*another, "key")), std::nullopt);
}

TEST_F(OpenDatabase, InMemoryStartsFromACheckpoint) {
  const std::unique_ptr<Database> database = ASSERT_VALUE(Open("memory:"));
  ASSERT_OK(Put(*database, "key", "value"));
  ASSERT_OK(database->engine().Checkpoint(folder_.Path("check point")));
  const std::unique_ptr<Database> restored =
      ASSERT_VALUE(Open("memory:" + folder_.Path("check%20point").string()));
  EXPECT_EQ(ASSERT_VALUE(Get(*restored, "key")), "value");
}

TEST_F(OpenDatabase, OnDiskIsFoundAgain) {
  {
    const std::unique_ptr<Database> database = ASSERT_VALUE(Open(folder_.RocksDb("a")));
    ASSERT_OK(Put(*database, "key", "value"));
    ASSERT_OK(database->Shutdown(std::chrono::seconds(10)));
  }
  const std::unique_ptr<Database> database = ASSERT_VALUE(Open(folder_.RocksDb(
      "a",
      "?create=no&cache=8M&write-buffer=4M&log=4M&open-files=64&compression=lz4&threads=1&"
      "durability=synced")));
  EXPECT_EQ(ASSERT_VALUE(Get(*database, "key")), "value");
}

TEST_F(OpenDatabase, OnDiskIsCreatedOnlyWhereThatIsWanted) {
  EXPECT_ERROR(Open(folder_.RocksDb("a", "?create=no")), ErrorCode::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("a")));
}

TEST_F(OpenDatabase, RefusesALocationBeforeItTouchesAnything) {
  const auto opened = Open(folder_.RocksDb("a", "?cahce=1M"));
  ASSERT_ERROR(opened, ErrorCode::invalid_argument);
  EXPECT_THAT(opened.error().message(), HasSubstr("did you mean \"cache\"?"));
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("a")));
}

TEST_F(OpenDatabase, RefusesAKeyspaceWithAnIdOfTaleas) {
  constexpr Keyspace kTooLow{127, AccessPattern::scan, "too-low"};
  const auto opened = Database::Open(folder_.RocksDb("a"), {.keyspaces = {kTooLow}});
  ASSERT_ERROR(opened, ErrorCode::invalid_argument);
  EXPECT_EQ(opened.error().message(),
            "keyspace \"too-low\": expected an id of 128 or more, as those below are Talea's own, "
            "found 127");
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("a")));
}

TEST_F(OpenDatabase, NeedNotBeToldWhichKeyspacesThereAre) {
  {
    const std::unique_ptr<Database> database = ASSERT_VALUE(Open(folder_.RocksDb("a")));
    ASSERT_OK(Put(*database, "key", "value"));
  }
  const std::unique_ptr<Database> database = ASSERT_VALUE(Database::Open(folder_.RocksDb("a")));
  EXPECT_EQ(ASSERT_VALUE(Get(*database, "key")), "value");
}

// Talea had no indexes once. The keyspaces of what is new are created as a database is opened.
const std::vector<Keyspace> kKeyspacesWithoutIndexes{kTaleaKeyspace, kUndoKeyspace, kRows, kCounts};

// What a database with one row had then.
void FillWithoutIndexes(Engine& engine) {
  WriteBatch batch;
  batch.Put(kTaleaKeyspace, SchemaKey(), Encode(Schema{1, Layout::plain}));
  batch.Put(kRows, "key", "value");
  ASSERT_OK(engine.Commit({.batch = std::move(batch)}));
}

void ExpectIndexesCanBeAdded(Database& database) {
  IndexStore indexes(database.engine());
  ASSERT_OK(indexes.Create("by-value"));
  ASSERT_OK(database.Transact([&](Transaction& transaction) -> Status {
    TALEA_TRY(indexes.Add(transaction, "by-value", {"value"}, "key"));
    return {};
  }));
  const VerifyReport report = ASSERT_VALUE(VerifyDatabase(database.engine()));
  EXPECT_TRUE(report.well());
  EXPECT_EQ(report.keyspaces.size(), kAllKeyspaces.size() + 2);
}

TEST_F(OpenDatabase, OnDiskGetsTheKeyspacesThatAnEarlierTaleaDidNotHave) {
  {
    const std::unique_ptr<Engine> engine = ASSERT_VALUE(
        OpenRocksDbEngine({.folder = folder_.Path("a"), .keyspaces = kKeyspacesWithoutIndexes}));
    FillWithoutIndexes(*engine);
  }
  for (int opened = 0; opened < 2; ++opened) {
    const std::unique_ptr<Database> database =
        ASSERT_VALUE(Database::Open(folder_.RocksDb("a", "?create=no")));
    EXPECT_EQ(ASSERT_VALUE(Get(*database, "key")), "value");
    if (opened == 0) ExpectIndexesCanBeAdded(*database);
    IndexStore indexes(database->engine());
    const std::unique_ptr<Snapshot> snapshot = ASSERT_VALUE(database->OpenSnapshot());
    EXPECT_EQ(ASSERT_VALUE(indexes.Describe(*snapshot, "by-value")).entries, 1u);
  }
}

TEST_F(OpenDatabase, InMemoryGetsTheKeyspacesThatAnEarlierCheckpointDoesNotHave) {
  const std::unique_ptr<Engine> engine =
      ASSERT_VALUE(OpenMemoryEngine({.keyspaces = kKeyspacesWithoutIndexes}));
  FillWithoutIndexes(*engine);
  ASSERT_OK(engine->Checkpoint(folder_.Path("a")));
  const std::unique_ptr<Database> restored =
      ASSERT_VALUE(Open("memory:" + folder_.Path("a").string()));
  EXPECT_EQ(ASSERT_VALUE(Get(*restored, "key")), "value");
  ExpectIndexesCanBeAdded(*restored);
}

TEST_F(OpenDatabase, ATenantIsADatabaseOfItsOwn) {
  for (const char* name : {"ada", "bob"}) {
    const std::unique_ptr<Database> database =
        ASSERT_VALUE(Open(folder_.RocksDb("a", std::string("?tenant=") + name)));
    EXPECT_EQ(ASSERT_VALUE(Get(*database, "key")), std::nullopt) << name;
    ASSERT_OK(Put(*database, "key", name));
    ASSERT_OK(database->Shutdown(std::chrono::seconds(10)));
    EXPECT_ERROR(database->OpenSnapshot(), ErrorCode::closed);
  }
  {
    const std::unique_ptr<Database> ada = ASSERT_VALUE(Open(folder_.RocksDb("a", "?tenant=ada")));
    EXPECT_EQ(ASSERT_VALUE(Get(*ada, "key")), "ada");
  }
  std::shared_ptr<Engine> host = ASSERT_VALUE(OpenEngine(folder_.RocksDb("a")));
  Tenants tenants = ASSERT_VALUE(Tenants::Over(std::move(host)));
  EXPECT_THAT(ASSERT_VALUE(tenants.List()), ElementsAre("ada", "bob"));
}

TEST_F(OpenDatabase, ATenantIsCreatedOnlyWhereThatIsWanted) {
  ASSERT_OK(Open(folder_.RocksDb("a", "?tenant=ada")));
  EXPECT_ERROR(Open(folder_.RocksDb("a", "?tenant=bob&create=no")), ErrorCode::not_found);
  EXPECT_OK(Open(folder_.RocksDb("a", "?tenant=ada&create=no")));
}

TEST_F(OpenDatabase, AnEngineHoldsTenantsOrIsOneDatabase) {
  ASSERT_OK(Open(folder_.RocksDb("one")));
  EXPECT_ERROR(Open(folder_.RocksDb("one", "?tenant=ada")), ErrorCode::precondition_failed);
  EXPECT_OK(Open(folder_.RocksDb("one")));
  ASSERT_OK(Open(folder_.RocksDb("several", "?tenant=ada")));
  EXPECT_ERROR(Open(folder_.RocksDb("several")), ErrorCode::precondition_failed);
  EXPECT_OK(Open(folder_.RocksDb("several", "?tenant=bob")));
}

TEST_F(OpenDatabase, ACopyIsRefusedUntilItIsFinished) {
  const std::unique_ptr<Database> source = ASSERT_VALUE(Open("memory:"));
  ASSERT_OK(Put(*source, "key", "value"));
  for (const char* options : {"", "?tenant=ada"}) {
    const std::string location = folder_.RocksDb("a" + std::to_string(*options), options);
    {
      const std::shared_ptr<Engine> target =
          ASSERT_VALUE(OpenEngine(location, {.keyspaces = {kRows, kCounts}}));
      EXPECT_FALSE(ASSERT_VALUE(HoldsUnfinishedCopy(*target)));
      const auto stop = [](std::uint64_t done, std::uint64_t) { return done == 0; };
      const CopyReport report = ASSERT_VALUE(CopyDatabase(source->engine(), *target, stop));
      ASSERT_FALSE(report.finished);
    }
    const auto refused = Open(location);
    ASSERT_ERROR(refused, ErrorCode::precondition_failed) << location;
    EXPECT_THAT(refused.error().message(), HasSubstr("copy that was not finished"));
    // Tools opened it, and showed, backed up and copied half a database as if it were a whole one.
    const auto engine = OpenEngine(location);
    ASSERT_ERROR(engine, ErrorCode::precondition_failed) << location;
    EXPECT_EQ(engine.error().message(), refused.error().message());
    EXPECT_ERROR(OpenCopy(location, "memory:"), ErrorCode::precondition_failed) << location;
    {
      const auto [nothing, target] = ASSERT_VALUE(OpenCopy("memory:", location));
      EXPECT_TRUE(ASSERT_VALUE(HoldsUnfinishedCopy(*target)));
      EXPECT_ERROR(DigestDatabase(*target), ErrorCode::precondition_failed);
      ASSERT_TRUE(ASSERT_VALUE(CopyDatabase(source->engine(), *target)).finished);
    }
    const std::unique_ptr<Database> copy = ASSERT_VALUE(Open(location));
    EXPECT_EQ(ASSERT_VALUE(Get(*copy, "key")), "value") << location;
  }
}

// A program that opened a second tenant of a folder by its location was told that another process
// has it, and nothing said what to do instead.
TEST_F(OpenDatabase, TwoTenantsOfAFolderAreOpenedOnOneEngine) {
  const std::shared_ptr<Engine> host =
      ASSERT_VALUE(OpenEngine(folder_.RocksDb("a"), {.keyspaces = {kRows, kCounts}}));
  Tenants tenants = ASSERT_VALUE(Tenants::Over(host));
  const auto open = [&](std::string_view name) -> Result<std::unique_ptr<Database>> {
    return Database::Over(TALEA_TRY(tenants.Open(name)));
  };
  const std::unique_ptr<Database> ada = ASSERT_VALUE(open("ada"));
  const std::unique_ptr<Database> bob = ASSERT_VALUE(open("bob"));
  ASSERT_OK(Put(*ada, "key", "ada's"));
  ASSERT_OK(Put(*bob, "key", "bob's"));
  EXPECT_EQ(ASSERT_VALUE(Get(*ada, "key")), "ada's");
  EXPECT_EQ(ASSERT_VALUE(Get(*bob, "key")), "bob's");
}

// `talea --db rocksdb:nothing?create=yes get` created a database.
TEST_F(OpenDatabase, CreatesNothingWhereTheProgramSaysSoWhateverTheLocationSays) {
  for (const char* options : {"?create=yes", "?create=yes&tenant=ada"}) {
    const std::string location = folder_.RocksDb("a", options);
    EXPECT_ERROR(Database::Open(location, {.create = false}), ErrorCode::not_found) << location;
  }
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("a")));
  EXPECT_OK(Database::Open(folder_.RocksDb("a", "?create=no"), {.create = true}));
  EXPECT_OK(Database::Open("memory:?tenant=ada", {.create = false})) << "it is always new";
}

// A copy whose source was refused left its target behind, created and empty.
TEST_F(OpenDatabase, ACopyThatIsRefusedLeavesNoTargetBehind) {
  ASSERT_OK(Open(folder_.RocksDb("shared", "?tenant=ada")));
  const std::string target = folder_.RocksDb("target");
  EXPECT_ERROR(OpenCopy(folder_.RocksDb("nothing"), target), ErrorCode::not_found);
  EXPECT_ERROR(OpenCopy(folder_.RocksDb("shared"), target), ErrorCode::unsupported);
  EXPECT_ERROR(OpenCopy(folder_.RocksDb("shared", "?tenant=bob"), target), ErrorCode::not_found);
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("target")));
  EXPECT_FALSE(std::filesystem::exists(folder_.Path("nothing")));
}

// It failed, as the folder was open already: for the source, in the same process.
TEST_F(OpenDatabase, ACopyMayLeadFromATenantToAnotherOfTheSameFolder) {
  {
    const std::unique_ptr<Database> ada = ASSERT_VALUE(Open(folder_.RocksDb("a", "?tenant=ada")));
    ASSERT_OK(Put(*ada, "key", "value"));
  }
  {
    const auto [source, target] = ASSERT_VALUE(
        OpenCopy(folder_.RocksDb("a", "?tenant=ada"), folder_.RocksDb("a", "?tenant=bob")));
    EXPECT_TRUE(ASSERT_VALUE(CopyDatabase(*source, *target)).finished);
  }
  const std::unique_ptr<Database> bob = ASSERT_VALUE(Open(folder_.RocksDb("a", "?tenant=bob")));
  EXPECT_EQ(ASSERT_VALUE(Get(*bob, "key")), "value");
}

TEST_F(OpenDatabase, ACopyOntoItselfIsRefusedAsThat) {
  ASSERT_OK(Open(folder_.RocksDb("one")));
  ASSERT_OK(Open(folder_.RocksDb("several", "?tenant=ada")));
  const std::string one = folder_.RocksDb("one"), ada = folder_.RocksDb("several", "?tenant=ada");
  for (const auto& [source, target] :
       {std::pair(one, one), std::pair(one, folder_.RocksDb("./one")), std::pair(ada, ada),
        std::pair(ada, folder_.RocksDb("several"))}) {
    EXPECT_ERROR(OpenCopy(source, target), ErrorCode::invalid_argument) << target;
  }
}

// The same rows have the same digest, wherever they are.
TEST_F(OpenDatabase, ADigestIsTheSameOnEveryEngine) {
  std::string digest;
  for (const std::string& location : {std::string("memory:"), std::string("memory:?tenant=ada"),
                                      folder_.RocksDb("a"), folder_.RocksDb("b", "?tenant=ada")}) {
    const std::unique_ptr<Database> database = ASSERT_VALUE(Open(location));
    for (const ByteView key : {"one", "two", "three"}) ASSERT_OK(Put(*database, key, "value"));
    const CopyReport report = ASSERT_VALUE(DigestDatabase(database->engine()));
    EXPECT_EQ(report.rows, 7u) << "with the schema's";
    if (digest.empty()) digest = report.digest;
    EXPECT_EQ(report.digest, digest) << location;
  }
}

}  // namespace
}  // namespace talea
