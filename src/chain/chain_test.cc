// What a ChainStore does, by example.
#include "talea/chain.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>

#include "chain/keys.h"
#include "coordination/coordination_for_test.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Bytes32 Bytes(std::uint8_t last) {
  Bytes32 bytes;
  bytes.bytes.back() = last;
  return bytes;
}
OutputReference Reference(std::uint8_t transaction, std::uint32_t index = 0) {
  return {Bytes(transaction), index};
}
ChainPoint Point(std::uint8_t number) { return ChainPoint::Of(number, Bytes(number)); }

Output MakeOutput(std::uint8_t transaction, std::uint64_t coin, std::vector<Tag> tags = {}) {
  return {.reference = Reference(transaction),
          .era = 6,
          .cbor = "cbor",
          .coin = coin,
          .tags = std::move(tags)};
}

class ChainStoreTest : public testing::Test {
 protected:
  // A block that comes after the newest.
  static Block Next(std::uint8_t number) {
    return {.parent = number > 1 ? Cursor(Point(number - 1)) : Cursor(), .point = Point(number)};
  }
  void Apply(const Block& block) { ASSERT_OK(store_.Apply(block)); }
  ChainView View() { return store_.Open().value(); }
  StoredRows Rows() { return ReadAllRows(*engine_).value(); }

  // Nothing may have changed.
  void ExpectRefused(const Block& block, ErrorCode code, const std::string& message) {
    const StoredRows before = Rows();
    const Result<Applied> applied = store_.Apply(block);
    ASSERT_ERROR(applied, code);
    EXPECT_THAT(applied.error().message(),
                AllOf(HasSubstr(message), HasSubstr("block " + block.point.ToString())));
    EXPECT_EQ(Rows(), before);
  }

  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
  ChainStore store_{*engine_};
};

TEST_F(ChainStoreTest, HasNeitherCursorNorOutputsAtFirst) {
  EXPECT_EQ(View().cursor(), Cursor());
  EXPECT_EQ(ASSERT_VALUE(View().Statistics()), ChainStatistics());
  EXPECT_EQ(ASSERT_VALUE(store_.RollBack(std::nullopt)), 0u);
}

TEST_F(ChainStoreTest, AppliesABlockAndKnowsIt) {
  Block block = Next(1);
  block.produced = {MakeOutput(1, 5), MakeOutput(2, 7, {{TagKind::address, "ada"}})};
  Apply(block);
  const ChainView view = View();
  EXPECT_EQ(view.cursor(), Point(1));
  const auto outputs =
      ASSERT_VALUE(view.GetOutputs(std::vector{Reference(9), Reference(2), Reference(1)}));
  EXPECT_EQ(outputs[0], std::nullopt);
  EXPECT_EQ(outputs[1]->era(), 6);
  EXPECT_EQ(outputs[2]->cbor(), "cbor");
  EXPECT_EQ(ASSERT_VALUE(view.CountOutputs()), 2u);
  EXPECT_EQ(ASSERT_VALUE(view.SumCoin()), 12u);
  EXPECT_EQ(ASSERT_VALUE(store_.Apply(block)), Applied{.already = true});
}

TEST_F(ChainStoreTest, RecognizesABlockThatIsOlderThanTheCursor) {
  for (std::uint8_t number = 1; number <= 3; ++number) Apply(Next(number));
  const StoredRows before = Rows();
  EXPECT_EQ(ASSERT_VALUE(store_.Apply(Next(2))), Applied{.already = true});
  EXPECT_EQ(Rows(), before);
}

TEST_F(ChainStoreTest, RefusesABlockWhoseParentIsNotTheCursor) {
  ExpectRefused(Next(2), ErrorCode::precondition_failed, "the cursor, none, found 1.");
  Apply(Next(1));
  ExpectRefused(Next(3), ErrorCode::precondition_failed, "found 2.");
}

TEST_F(ChainStoreTest, RefusesToSpendWhatIsNotThere) {
  Block block = Next(1);
  block.produced = {MakeOutput(1, 5)};
  block.consumed = {Reference(2)};
  ExpectRefused(block, ErrorCode::not_found, Reference(2).ToString());
  block.consumed = {Reference(1), Reference(1)};
  ExpectRefused(block, ErrorCode::not_found, Reference(1).ToString());
}

TEST_F(ChainStoreTest, PassesOverMissingInputsWhereItIsToldTo) {
  Block block = Next(1);
  block.consumed = {Reference(2)};
  EXPECT_EQ(ASSERT_VALUE(store_.Apply(block, {.allow_missing_inputs = true})),
            Applied{.missing_inputs = 1});
  EXPECT_EQ(ASSERT_VALUE(View().CountOutputs()), 0u);
}

TEST_F(ChainStoreTest, RefusesToProduceWhatIsThere) {
  Block block = Next(1);
  block.produced = {MakeOutput(1, 5), MakeOutput(1, 5)};
  ExpectRefused(block, ErrorCode::already_exists, Reference(1).ToString());
  block.produced.pop_back();
  Apply(block);
  block = Next(2);
  block.produced = {MakeOutput(1, 5)};
  ExpectRefused(block, ErrorCode::already_exists, Reference(1).ToString());
  // Not even if the same block spends it again.
  block.consumed = {Reference(1)};
  ExpectRefused(block, ErrorCode::already_exists, Reference(1).ToString());
}

TEST_F(ChainStoreTest, RefusesWhatIsOutOfBounds) {
  const std::string tag(4097, 'x');
  Block block = Next(1);
  block.produced = {MakeOutput(1, 0, {{TagKind::asset, tag}})};
  ExpectRefused(block, ErrorCode::invalid_argument, "tag asset: expected at most 4096 bytes");
  block.produced = {MakeOutput(1, std::uint64_t{1} << 63)};
  ExpectRefused(block, ErrorCode::invalid_argument, "expected a coin of at most");
  block = Next(1);
  const std::string name(256, 'n');
  block.counters = {{name, Bytes(1), 1}};
  ExpectRefused(block, ErrorCode::invalid_argument, "expected a name of at most 255 bytes");
}

TEST_F(ChainStoreTest, LeavesNoTraceOfWhatIsMadeAndSpentInOneBlock) {
  Block block = Next(1);
  block.produced = {MakeOutput(1, 5, {{TagKind::stake, "s"}}), MakeOutput(2, 6)};
  block.consumed = {Reference(1)};
  Apply(block);
  EXPECT_EQ(ASSERT_VALUE(View().CountOutputs()), 1u);
  EXPECT_EQ(ASSERT_VALUE(View().SumCoin()), 6u);
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::stake, "s"})).outputs, IsEmpty());
  ASSERT_OK(store_.RollBack(std::nullopt));
  EXPECT_EQ(ASSERT_VALUE(View().GetOutput(Reference(1))), std::nullopt);
  EXPECT_EQ(ASSERT_VALUE(View().CountOutputs()), 0u);
}

TEST_F(ChainStoreTest, FindsOutputsByExactlyTheirTag) {
  Block block = Next(1);
  block.produced = {MakeOutput(1, 5, {{TagKind::asset, "A"}, {TagKind::policy, "A"}}),
                    MakeOutput(2, 6, {{TagKind::asset, "AB"}}),
                    MakeOutput(3, 7, {{TagKind::asset, "A"}, {TagKind::asset, "A"}})};
  Apply(block);
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::asset, "A"})).outputs,
              ElementsAre(TaggedOutput{Reference(1), 5}, TaggedOutput{Reference(3), 7}));
  const auto page = ASSERT_VALUE(View().ScanTagged({TagKind::asset, "A"}, {}, {.row_limit = 1}));
  ASSERT_EQ(page.outputs.size(), 1u);
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::asset, "A"}, page.next)).outputs,
              ElementsAre(TaggedOutput{Reference(3), 7}));
  block = Next(2);
  block.consumed = {Reference(1)};
  Apply(block);
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::asset, "A"})).outputs,
              ElementsAre(TaggedOutput{Reference(3), 7}));
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::policy, "A"})).outputs, IsEmpty());
}

TEST_F(ChainStoreTest, ReachesTheVeryLastKeys) {
  OutputReference last{.index = 0xffffffff};
  last.transaction.bytes.fill(0xff);
  Block block = Next(1);
  block.produced = {{.reference = last, .cbor = "x"}};
  block.entities = {{"pools", last.transaction, "last"}, {"pools", Bytes(1), "first"}};
  Apply(block);
  const OutputPage outputs = ASSERT_VALUE(View().ScanOutputs());
  ASSERT_EQ(outputs.size(), 1u);
  EXPECT_EQ(outputs[0].reference, last);
  EntityPage page = ASSERT_VALUE(View().ScanEntities("pools", {}, {}, {.row_limit = 1}));
  ASSERT_TRUE(page.next().has_value());
  page = ASSERT_VALUE(View().ScanEntities("pools", page.next()));
  ASSERT_EQ(page.size(), 1u);
  EXPECT_EQ(page[0].key, last.transaction);
  EXPECT_EQ(page[0].value, "last");
  EXPECT_EQ(ASSERT_VALUE(View().ScanEntities("pools", {}, last.transaction)).size(), 1u);
}

TEST_F(ChainStoreTest, KeepsEntitiesValuesAndCountersByNamespace) {
  Block block = Next(1);
  block.entities = {{"pools", Bytes(1), "a"}, {"pools", Bytes(2), "b"}, {"epochs", Bytes(1), "c"}};
  block.values = {{"rewards", Bytes(1), "y"}, {"rewards", Bytes(1), "x"}};
  block.counters = {{"datums", Bytes(1), 3}, {"datums", Bytes(1), -1}};
  Apply(block);
  block = Next(2);
  block.entities = {{"pools", Bytes(1), std::nullopt}, {"gone", Bytes(1), std::nullopt}};
  block.values = {{"rewards", Bytes(1), "y", true}};
  Apply(block);
  const ChainView view = View();
  EXPECT_EQ(ASSERT_VALUE(view.GetEntities("pools", std::vector{Bytes(2), Bytes(1)})),
            (std::vector<std::optional<std::string>>{"b", std::nullopt}));
  EXPECT_THAT(ASSERT_VALUE(view.ScanValues("rewards", Bytes(1))).values, ElementsAre("x"));
  EXPECT_EQ(ASSERT_VALUE(view.GetCounter("datums", Bytes(1))), 2);
  EXPECT_THAT(
      ASSERT_VALUE(view.Statistics()).namespaces,
      ElementsAre(NamespaceInformation{"datums", 0, 0}, NamespaceInformation{"epochs", 1, 0},
                  NamespaceInformation{"pools", 1, 0}, NamespaceInformation{"rewards", 0, 1}));
}

TEST_F(ChainStoreTest, RefusesANamespaceWithTheHashOfAnother) {
  Transaction transaction(*engine_);
  transaction.Put(kChainKeyspace, chain::NamespaceKey(chain::HashNamespace("pools")), "rewards");
  ASSERT_OK(transaction.Commit());
  Block block = Next(1);
  block.entities = {{"pools", Bytes(1), "a"}};
  ExpectRefused(block, ErrorCode::already_exists,
                "namespace \"pools\": expected its hash 9fa7410297c384fb to be its own");
}

TEST_F(ChainStoreTest, AppliesTheDeltasOfAWriterWithErasesLast) {
  const std::vector produced{MakeOutput(1, 1), MakeOutput(2, 2)};
  const std::vector recovered{MakeOutput(3, 3)};
  const std::vector consumed{Reference(1)};
  const std::vector undone{Reference(3)};
  ChainWriter writer = store_.StartWriter();
  writer.ApplyUtxoSet({produced, recovered, consumed, undone});
  writer.WriteEntity("pools", Bytes(1), "a");
  writer.DeleteEntity("pools", Bytes(2));
  writer.SetCursor(Point(7));
  ASSERT_OK(writer.Commit());
  EXPECT_EQ(View().cursor(), Point(7));
  EXPECT_EQ(ASSERT_VALUE(View().CountOutputs()), 1u);
  EXPECT_EQ(ASSERT_VALUE(View().GetEntity("pools", Bytes(1))), "a");

  // What was consumed before is put back by a later delta of the same batch.
  ChainWriter back = store_.StartWriter();
  const std::vector consumed_now{Reference(2)};
  const std::vector changed{MakeOutput(2, 20, {{TagKind::address, "new"}})};
  back.ApplyUtxoSet({.consumed = consumed_now});
  back.ApplyUtxoSet({.recovered = changed});
  ASSERT_OK(back.Commit());
  EXPECT_EQ(View().cursor(), Point(7));
  EXPECT_EQ(ASSERT_VALUE(View().SumCoin()), 20u);
  EXPECT_THAT(ASSERT_VALUE(View().ScanTagged({TagKind::address, "new"})).outputs,
              ElementsAre(TaggedOutput{Reference(2), 20}));
}

// A chain of blocks that does everything.
Block Rich(std::uint8_t number) {
  static std::list<std::string> bytes;
  Block block{.parent = number > 1 ? Cursor(Point(number - 1)) : Cursor(), .point = Point(number)};
  const ByteView own = bytes.emplace_back(std::to_string(number));
  block.produced = {MakeOutput(number, number, {{TagKind::address, own}}),
                    MakeOutput(number + 100, 2, {{TagKind::address, "all"}})};
  if (number > 1) block.consumed = {Reference(number - 1), Reference(number + 100)};
  block.entities = {{"epochs", Bytes(1), own}};
  if (number % 3 == 0) block.entities.push_back({"epochs", Bytes(1), std::nullopt});
  block.values = {{"stakes", Bytes(number % 2), own}};
  block.counters = {{"datums", Bytes(1), number}};
  return block;
}

TEST_F(ChainStoreTest, RollsBackToEveryPointByteForByteAndForthAgain) {
  std::vector<StoredRows> states{Rows()};
  for (std::uint8_t number = 1; number <= 7; ++number) {
    Apply(Rich(number));
    states.push_back(Rows());
  }
  for (std::uint8_t to = 7; to-- > 0;) {
    const Cursor point = to == 0 ? Cursor() : Point(to);
    EXPECT_EQ(ASSERT_VALUE(store_.RollBack(point)), static_cast<std::uint64_t>(7 - to));
    EXPECT_EQ(Rows(), states[to]);
    for (std::uint8_t number = to + 1; number <= 7; ++number) Apply(Rich(number));
    EXPECT_EQ(Rows(), states[7]);
  }
}

TEST_F(ChainStoreTest, StepsBackWithinATransaction) {
  Apply(Rich(1));
  const StoredRows before = Rows();
  Apply(Rich(2));
  Transaction transaction(*engine_);
  EXPECT_EQ(ASSERT_VALUE(store_.StepBack(transaction)), Point(1));
  ASSERT_OK(transaction.Commit());
  EXPECT_EQ(Rows(), before);
}

TEST_F(ChainStoreTest, ShowsOlderPointsOfTheWindow) {
  std::vector<ChainStatistics> states{ASSERT_VALUE(View().Statistics())};
  for (std::uint8_t number = 1; number <= 5; ++number) {
    Apply(Rich(number));
    states.push_back(ASSERT_VALUE(View().Statistics()));
  }
  for (std::uint8_t at = 0; at <= 5; ++at) {
    const ChainView view = ASSERT_VALUE(store_.OpenAt(at == 0 ? Cursor() : Point(at)));
    EXPECT_EQ(ASSERT_VALUE(view.Statistics()), states[at]);
    EXPECT_EQ(ASSERT_VALUE(view.GetOutput(Reference(at))).has_value(), at > 0);
    EXPECT_EQ(ASSERT_VALUE(view.GetCounter("datums", Bytes(1))), at * (at + 1) / 2);
  }
  EXPECT_ERROR(store_.OpenAt(Point(9)), ErrorCode::not_found);
}

TEST_F(ChainStoreTest, ForgetsHowToTakeBackOldSteps) {
  for (std::uint8_t number = 1; number <= 5; ++number) Apply(Rich(number));
  EXPECT_EQ(ASSERT_VALUE(store_.Prune(2)), 3u);
  EXPECT_EQ(ASSERT_VALUE(store_.Prune(2)), 0u);
  EXPECT_EQ(ASSERT_VALUE(View().Statistics()).undo_steps, 2u);
  EXPECT_EQ(ASSERT_VALUE(View().Statistics()).oldest, Point(3));
  const StoredRows before = Rows();
  for (const Cursor& point : {Cursor(), Cursor(Point(2)), Cursor(Point(9))}) {
    const auto rolled = store_.RollBack(point);
    ASSERT_ERROR(rolled, ErrorCode::not_found);
    EXPECT_THAT(rolled.error().message(),
                HasSubstr("expected a point from " + Point(3).ToString() + " on"));
  }
  EXPECT_EQ(Rows(), before);
  EXPECT_EQ(ASSERT_VALUE(store_.RollBack(Point(3))), 2u);
  EXPECT_ERROR(store_.RollBack(Point(2)), ErrorCode::not_found);
  Apply(Rich(4));
  EXPECT_EQ(ASSERT_VALUE(View().Statistics()).undo_steps, 1u);
}

TEST_F(ChainStoreTest, ForgetsByItselfWhatIsBeyondTheWindow) {
  ChainStore store(*engine_, {.undo_window = 10});
  for (std::uint8_t number = 1; number <= 200; ++number) {
    ASSERT_OK(store.Apply(Next(number)));
    const std::uint64_t steps = ASSERT_VALUE(View().Statistics()).undo_steps;
    EXPECT_GE(steps, std::min<std::uint64_t>(number, 10));
    EXPECT_LT(steps, 10u + 64u);
  }
}

TEST_F(ChainStoreTest, KeepsNoUndoWhereThereIsNoWindow) {
  ChainStore store(*engine_, {.undo_window = 0});
  ASSERT_OK(store.Apply(Rich(1)));
  ASSERT_OK(store.Apply(Rich(2)));
  EXPECT_EQ(ASSERT_VALUE(View().Statistics()).undo_steps, 0u);
  EXPECT_ERROR(store.RollBack(Point(1)), ErrorCode::not_found);
  EXPECT_EQ(ASSERT_VALUE(store.Apply(Rich(2))), Applied{.already = true});
  // From here on it can be taken back.
  Apply(Rich(3));
  EXPECT_EQ(ASSERT_VALUE(store_.RollBack(Point(2))), 1u);
  EXPECT_ERROR(store_.RollBack(Point(1)), ErrorCode::not_found);
}

TEST_F(ChainStoreTest, CannotCommitATransactionInWhichABlockWasRefused) {
  Block block = Next(1);
  block.consumed = {Reference(1)};
  const StoredRows before = Rows();
  Transaction transaction(*engine_);
  EXPECT_ERROR(store_.Apply(transaction, block), ErrorCode::not_found);
  EXPECT_ERROR(transaction.Commit(), ErrorCode::not_found);
  EXPECT_EQ(Rows(), before);
}

}  // namespace
}  // namespace talea
