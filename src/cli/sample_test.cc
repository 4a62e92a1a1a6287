#include "cli/sample.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "cli/sample_ledger.h"
#include "talea/chain.h"
#include "talea/histograms.h"
#include "talea/memory_engine.h"
#include "talea/progress.h"
#include "talea/testing/result_matchers.h"
#include "talea/tuple.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

constexpr Keyspace kOther{200, AccessPattern::scan, "other"};

class SampleTest : public testing::Test {
 protected:
  void SetUp() override { database_ = NewDatabase(); }

  static std::unique_ptr<Database> NewDatabase() {
    DatabaseOptions options{.keyspaces = SampleKeyspaces()};
    options.keyspaces.push_back(kOther);
    Result<std::unique_ptr<Database>> database = Database::Open("memory:", options);
    EXPECT_OK(database);
    return std::move(database).value();
  }

  // All rows of the sample's keyspaces.
  static std::map<std::string, std::string> Contents(Database& database) {
    std::map<std::string, std::string> contents;
    const auto snapshot = database.OpenSnapshot();
    EXPECT_OK(snapshot);
    for (const Keyspace& keyspace : SampleKeyspaces()) {
      Scanner rows(**snapshot, keyspace, KeyRange::All());
      for (auto row = rows.Next(); row.value(); row = rows.Next()) {
        contents[std::string(keyspace.name) + std::string((*row)->key)] = (*row)->value;
      }
    }
    return contents;
  }

  std::unique_ptr<Database> database_;
};

TEST_F(SampleTest, WritesAFewThousandRowsThatAreTheSameEachTime) {
  ASSERT_OK(WriteSample(*database_));
  const auto contents = Contents(*database_);
  EXPECT_EQ(contents.size(), 600u + 600u * 7u);
  const auto again = NewDatabase();
  ASSERT_OK(WriteSample(*again));
  EXPECT_EQ(Contents(*again), contents);
}

TEST_F(SampleTest, IndexesEveryPageBySectionAndByVisits) {
  ASSERT_OK(WriteSample(*database_));
  IndexStore indexes(database_->engine());
  const auto snapshot = ASSERT_VALUE(database_->OpenSnapshot());
  for (const char* name : {"sample-pages-by-section", "sample-pages-by-visits"}) {
    EXPECT_OK(indexes.Verify(*snapshot, name));
    EXPECT_EQ(indexes.Describe(*snapshot, name)->entries, 600u);
  }
  const auto guide =
      indexes.Estimate(*snapshot, "sample-pages-by-section", Where::Equal({"guide"}));
  EXPECT_EQ(guide->estimate, 120);
}

TEST_F(SampleTest, HasALedgerThatCanBeTakenBackToItsBeginning) {
  ASSERT_OK(WriteSample(*database_));
  ChainStore chain(database_->engine());
  const ChainView view = ASSERT_VALUE(chain.Open());
  const ChainStatistics statistics = ASSERT_VALUE(view.Statistics());
  EXPECT_EQ(statistics.undo_steps, kSampleBlocks);
  EXPECT_EQ(statistics.oldest, Cursor());
  EXPECT_GT(statistics.outputs, kSampleBlocks);
  EXPECT_EQ(statistics.namespaces.size(), 3u);
  EXPECT_EQ(chain.RollBack({}), kSampleBlocks);
}

TEST_F(SampleTest, LeavesALedgerAloneThatWasTakenBack) {
  ASSERT_OK(WriteSample(*database_));
  ChainStore chain(database_->engine());
  ASSERT_OK(chain.RollBack({}));
  ASSERT_OK(WriteSample(*database_));
  EXPECT_EQ(ASSERT_VALUE(chain.Open()).cursor(), Cursor());
}

TEST_F(SampleTest, WritesNothingTheSecondTime) {
  ASSERT_OK(WriteSample(*database_));
  const auto contents = Contents(*database_);
  ASSERT_OK(WriteSample(*database_));
  EXPECT_EQ(Contents(*database_), contents);
}

TEST_F(SampleTest, LeavesADatabaseAloneThatIsNotEmpty) {
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kOther, "a", "b");
    return {};
  }));
  const Status written = WriteSample(*database_);
  ASSERT_ERROR(written, ErrorCode::precondition_failed);
  EXPECT_THAT(written.error().message(), HasSubstr("\"other\""));
  EXPECT_TRUE(Contents(*database_).empty());
}

TEST_F(SampleTest, GoesOnWhereItWasInterrupted) {
  // As after the first step, with a mark in the place of what it wrote.
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    transaction.Put(kOther, "a", "b");
    return Progress("sample").Move(transaction, std::nullopt, TALEA_TRY(Pack({1})));
  }));
  ASSERT_OK(WriteSample(*database_));
  EXPECT_EQ(Contents(*database_).size(), 11u * 50u * 8u);
}

TEST_F(SampleTest, RefusesAProgressThatIsNotItsOwn) {
  ASSERT_OK(database_->Transact([&](Transaction& transaction) -> Status {
    return Progress("sample").Move(transaction, std::nullopt, TALEA_TRY(Pack({"x"})));
  }));
  EXPECT_FALSE(WriteSample(*database_).has_value());
  EXPECT_TRUE(Contents(*database_).empty());
}

}  // namespace
}  // namespace talea::cli
