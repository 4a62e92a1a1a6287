#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <sstream>

#include "cli/run.h"
#include "talea/database.h"
#include "talea/histograms.h"
#include "talea/testing/result_matchers.h"

namespace talea::cli {
namespace {

using testing::HasSubstr;

// A folder with an index of three entries.
class IndexVerifyTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = std::filesystem::temp_directory_path() / "talea-index-verify-XXXXXX";
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = folder;
    location_ = "rocksdb:" + folder + "/db";
    const auto database = ASSERT_VALUE(Database::Open(location_));
    IndexStore indexes(database->engine());
    ASSERT_OK(indexes.Create("people"));
    ASSERT_OK(database->Transact([&](Transaction& transaction) -> Status {
      for (const char* name : {"ada", "bob", "zoe"}) {
        TALEA_TRY(indexes.Add(transaction, "people", {"London"}, name));
      }
      return {};
    }));
  }

  void TearDown() override { std::filesystem::remove_all(folder_); }

  // As no program does: a counter changes, and no entry with it.
  void MiscountEveryBucket() {
    const auto database = ASSERT_VALUE(Database::Open(location_));
    for (const Keyspace& keyspace : database->engine().keyspaces().all()) {
      if (keyspace.name != "histograms-counters") continue;
      ASSERT_OK(database->Transact([&](Transaction& transaction) -> Status {
        Scanner rows(transaction, keyspace, KeyRange::All());
        while (const auto row = TALEA_TRY(rows.Next())) {
          transaction.Add(keyspace, std::string(row->key), 4);
        }
        return {};
      }));
    }
  }

  ExitCode Verify(std::vector<std::string> options = {}) {
    std::vector<std::string> arguments{"--quiet", "--db", location_, "index", "verify"};
    arguments.insert(arguments.end(), options.begin(), options.end());
    out_.str("");
    err_.str("");
    return cli::Run(arguments, out_, err_);
  }

  std::filesystem::path folder_;
  std::string location_;
  std::ostringstream out_;
  std::ostringstream err_;
};

TEST_F(IndexVerifyTest, EndsWithThreeWhereAHistogramIsWrong) {
  ASSERT_EQ(Verify(), ExitCode::done) << err_.str();
  MiscountEveryBucket();
  EXPECT_EQ(Verify(), ExitCode::no);
  EXPECT_THAT(out_.str(), HasSubstr("problem: index \"people\""));
  EXPECT_THAT(out_.str(), testing::Not(HasSubstr("All is well")));
  EXPECT_THAT(err_.str(), testing::IsEmpty());
}

TEST_F(IndexVerifyTest, TellsScriptsWhatIsWrong) {
  MiscountEveryBucket();
  EXPECT_EQ(Verify({"people", "--json"}), ExitCode::no);
  EXPECT_THAT(out_.str(), HasSubstr(R"({"well":false,"indexes":[{"name":"people","entries":)"));
  EXPECT_THAT(out_.str(), testing::Not(HasSubstr(R"("problem":null)")));
}

}  // namespace
}  // namespace talea::cli
