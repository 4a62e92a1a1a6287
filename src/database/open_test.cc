#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "coordination/keys.h"
#include "database/folder_for_test.h"
#include "talea/copy.h"
#include "talea/database.h"
#include "talea/tenants.h"
#include "talea/testing/result_matchers.h"

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
      const auto stop = [](std::uint64_t done, std::uint64_t) { return done == 0; };
      const CopyReport report = ASSERT_VALUE(CopyDatabase(source->engine(), *target, stop));
      ASSERT_FALSE(report.finished);
    }
    const auto refused = Open(location);
    ASSERT_ERROR(refused, ErrorCode::precondition_failed) << location;
    EXPECT_THAT(refused.error().message(), HasSubstr("copy that was not finished"));
    {
      const std::shared_ptr<Engine> target = ASSERT_VALUE(OpenEngine(location));
      ASSERT_TRUE(ASSERT_VALUE(CopyDatabase(source->engine(), *target)).finished);
    }
    const std::unique_ptr<Database> copy = ASSERT_VALUE(Open(location));
    EXPECT_EQ(ASSERT_VALUE(Get(*copy, "key")), "value") << location;
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
