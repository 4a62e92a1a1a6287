#include "chain/state_hash.h"

#include <gtest/gtest.h>

#include <set>

#include "chain/codec.h"
#include "chain/ledger_for_test.h"
#include "chain/random_ledger_for_test.h"
#include "chain/state_rows.h"
#include "talea/testing/result_matchers.h"

namespace talea::chain {
namespace {

std::string HashOf(const StoredRows& rows) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  CommitRequest request;
  for (const auto& [place, value] : rows)
    request.batch.Put(*engine->keyspaces().Find(static_cast<std::uint8_t>(place.first)),
                      place.second, value);
  EXPECT_OK(engine->Commit(std::move(request)));
  const std::unique_ptr<Snapshot> snapshot = engine->OpenSnapshot().value();
  return HashState(*snapshot).value().value();
}

// A state with rows of every part.
LedgerState SomeState() {
  LedgerState state;
  state.cursor = ChainPoint::AtSlot(5);
  const TestOutput output{.reference = {chain::HashOf(2), 1},
                          .era = 6,
                          .cbor = "cbor",
                          .coin = 7,
                          .tags = {{TagKind::stake, "s"}}};
  state.outputs.emplace(output.reference, output);
  state.namespaces = {"pools"};
  state.entities[{"pools", chain::HashOf(3)}] = "entity";
  state.values.insert({{"pools", chain::HashOf(4)}, "value"});
  state.counters[{"pools", chain::HashOf(5)}] = -9;
  return state;
}

TEST(StateHash, IsTheOneOfTheDocumentation) {
  EXPECT_EQ(HashOf(RowsOf({})), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(HashOf(RowsOf(SomeState())), "b3cbdf3a0b65e646628a00f9ea158001");
}

TEST(StateHash, ChangesWithEveryRowOfTheState) {
  const StoredRows rows = RowsOf(SomeState());
  ASSERT_EQ(rows.size(), 12u);
  std::set<std::string> hashes{HashOf(rows)};
  for (const auto& [place, value] : rows) {
    StoredRows fewer = rows;
    fewer.erase(place);
    EXPECT_TRUE(hashes.insert(HashOf(fewer)).second) << Quoted(place.second);
  }
}

TEST(StateHash, DoesNotDependOnHowTheLedgerCameThere) {
  const StoredRows rows = RowsOf(SomeState());
  StoredRows more = rows;
  const auto add = [&](const Keyspace& keyspace, const std::string& key) {
    more[{int{keyspace.id}, key}] = "x";
  };
  add(kChainKeyspace, StepKey(3));
  add(kChainKeyspace, PointKey({}));
  add(kChainKeyspace, LastStagedKey());
  add(kChainKeyspace, ImportMarkKey());
  add(kUndoKeyspace, "undo");
  add(kTaleaKeyspace, "progress");
  EXPECT_EQ(HashOf(more), HashOf(rows));
}

TEST(StateHash, IsNotFinishedWhenItIsStopped) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine);
  const ChainView view = ASSERT_VALUE(store.Open());
  EXPECT_EQ(ASSERT_VALUE(view.StateHash([](std::uint64_t, std::uint64_t) { return false; })),
            std::nullopt);
  EXPECT_EQ(ASSERT_VALUE(view.StateHash()).value(), HashOf(RowsOf({})));
}

TEST(StateCounts, NamesTheFirstCountThatIsDifferent) {
  const std::map<std::string, std::int64_t> counted{{CountKey(ChainCount::outputs), 3}};
  EXPECT_OK(CompareCounts(counted, counted));
  EXPECT_ERROR(CompareCounts(counted, {}), ErrorCode::corruption);
  const Status more = CompareCounts({}, counted);
  ASSERT_ERROR(more, ErrorCode::corruption);
  EXPECT_EQ(more.error().message(),
            "keyspace \"chain-counts\", key \"\\x00\": expected 0, by the rows that are there, "
            "found 3");
}

}  // namespace
}  // namespace talea::chain
