// The model of histograms/store_model_for_test.h, with a database that tries again, finds out what
// became of a commit, and rolls back many steps at once.
#include <gtest/gtest.h>

#include "histograms/store_model_for_test.h"
#include "talea/database.h"
#include "talea/testing/model_test.h"

namespace talea {
namespace {

class IndexesInADatabase : public histograms::StoreSystem {
 public:
  explicit IndexesInADatabase(Engine& engine)
      : StoreSystem(engine), borrowed_(&engine, [](Engine*) {}) {}

 protected:
  Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) override {
    return TALEA_TRY(Open())
    ->Transact(body, durability);
  }
  Status RollBackTo(const Progress& progress, const Progress::Position& position) override {
    TALEA_TRY(TALEA_TRY(Open())->RollBack(progress, position));
    return {};
  }

 private:
  Result<Database*> Open() {
    if (!database_) database_ = TALEA_TRY(Database::Over(borrowed_, {.pause = [](auto) {}}));
    return database_.get();
  }

  const std::shared_ptr<Engine> borrowed_;
  std::unique_ptr<Database> database_;
};

TEST(IndexesInADatabaseModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<IndexesInADatabase>({.profile = SimulationProfile::RocksDb()}));
}

TEST(IndexesInADatabaseModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<IndexesInADatabase>({.profile = SimulationProfile::FoundationDb()}));
}

}  // namespace
}  // namespace talea
