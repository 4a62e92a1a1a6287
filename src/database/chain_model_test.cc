// The model of chain/store_model_for_test.h in a database, together with an index of the outputs by
// their coin that is kept in the same transactions: what is taken back is taken back in both.
#include <gtest/gtest.h>

#include "chain/store_model_for_test.h"
#include "talea/database.h"
#include "talea/histograms.h"
#include "talea/testing/model_test.h"
#include "talea/verify.h"

namespace talea::chain {
namespace {

constexpr std::string_view kIndex = "outputs-by-coin";

IndexEntry EntryOf(const TestOutput& output) {
  return {{static_cast<std::int64_t>(output.coin)}, Bytes(OutputKey(output.reference).view())};
}

// The entries of those outputs of one state that another one lacks, or has otherwise.
std::vector<IndexEntry> OnlyIn(const LedgerState& one, const LedgerState& other) {
  std::vector<IndexEntry> entries;
  for (const auto& [reference, output] : one.outputs) {
    const auto same = other.outputs.find(reference);
    if (same == other.outputs.end() || same->second.coin != output.coin)
      entries.push_back(EntryOf(output));
  }
  return entries;
}

class LedgerWithIndex : public StoreSystem {
 public:
  explicit LedgerWithIndex(Engine& engine) : StoreSystem(engine), indexes_(engine) {}

  // Whatever changes outputs changes the index too, so all of it is in transactions.
  static Operation Generate(Random& random) {
    Operation operation = StoreSystem::Generate(random);
    operation.in_transaction = true;
    if (operation.kind == Kind::blocks) operation.kind = Kind::block;  // those have their own
    return operation;
  }

 protected:
  Status Transact(const std::function<Status(Transaction&)>& body, Durability durability) override {
    Database* database = TALEA_TRY(Open());
    return database->Transact([&](Transaction& transaction) { return body(transaction); },
                              durability);
  }

  Status AlsoWrite(Transaction& transaction, const Plan& plan) override {
    const LedgerState& before = plan.before->state;
    const LedgerState& after = plan.after->state;
    TALEA_TRY(indexes_.Remove(transaction, kIndex, OnlyIn(before, after)));
    TALEA_TRY(indexes_.Add(transaction, kIndex, OnlyIn(after, before)));
    return {};
  }

  Status AlsoCheck(Snapshot& snapshot, const LedgerState& state) override {
    const bool exists = indexes_.Describe(snapshot, kIndex).has_value();
    if (!exists) return state.outputs.empty() ? Status() : Disagree("there is no index");
    std::vector<IndexEntry> missing = OnlyIn(state, {});
    const auto take = [&](const IndexEntry& entry) { return std::erase(missing, entry) == 1; };
    const std::uint64_t found = TALEA_TRY(indexes_.Scan(snapshot, kIndex, Where::All(), take));
    if (!missing.empty() || found != state.outputs.size())
      return Disagree("the index has other outputs than the ledger");
    TALEA_TRY(indexes_.Verify(snapshot, kIndex));
    const VerifyReport report = TALEA_TRY(VerifyDatabase(engine_));
    for (const KeyspaceReport& keyspace : report.keyspaces)
      if (!keyspace.problems.empty()) return Disagree(keyspace.problems.front());
    return {};
  }

 private:
  Result<Database*> Open() {
    if (database_) return database_.get();
    const std::shared_ptr<Engine> engine(&engine_, [](Engine*) {});
    std::unique_ptr<Database> database = TALEA_TRY(Database::Over(engine, {.pause = [](auto) {}}));
    const Status created = indexes_.Create(kIndex, {.peek_cap = 4});
    if (!created && created.error().code() != ErrorCode::already_exists)
      return std::unexpected(created.error());
    database_ = std::move(database);
    return database_.get();
  }

  IndexStore indexes_;
  std::unique_ptr<Database> database_;
};

TEST(LedgerWithIndexModel, AgreesOnTheEmbeddedProfile) {
  EXPECT_TRUE(AgreesWithModel<LedgerWithIndex>({.profile = SimulationProfile::RocksDb()}));
}

TEST(LedgerWithIndexModel, AgreesOnTheClusterProfile) {
  EXPECT_TRUE(AgreesWithModel<LedgerWithIndex>({.profile = SimulationProfile::FoundationDb()}));
}

}  // namespace
}  // namespace talea::chain
