#include "chain/verify_rows.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/coding.h"
#include "chain/codec.h"
#include "chain/keys.h"
#include "chain/standing.h"
#include "chain/verify_staged.h"
#include "coordination/coordination_for_test.h"
#include "coordination/keys.h"
#include "engine/undo.h"
#include "talea/chain.h"
#include "talea/testing/result_matchers.h"
#include "talea/tuple.h"

namespace talea::chain {
namespace {

using testing::AllOf, testing::Contains, testing::ElementsAre, testing::HasSubstr, testing::IsEmpty,
    testing::StartsWith, testing::UnorderedElementsAre;

struct Checked {
  const Keyspace* keyspace;
  std::unique_ptr<RowCheck> (*make)(const CheckedDatabase& database);
};
constexpr std::array kChecked{Checked{&kStateCursorKeyspace, MakeCursorRowCheck},
                              Checked{&kStateUtxosKeyspace, MakeOutputRowCheck},
                              Checked{&kStateEntitiesKeyspace, MakeEntityRowCheck},
                              Checked{&kChainKeyspace, MakeLedgerRowCheck},
                              Checked{&kChainNotesKeyspace, MakeNoteRowCheck},
                              Checked{&kChainTagsKeyspace, MakeTagRowCheck},
                              Checked{&kChainCountersKeyspace, MakeEntityCounterRowCheck},
                              Checked{&kChainCountsKeyspace, MakeCountRowCheck},
                              Checked{&kChainStagingKeyspace, MakeStagingRowCheck}};

Bytes32 All(char byte) { return Bytes32::From(std::string(32, byte)).value(); }

std::string Packed(const Tuple& tuple) { return Pack(tuple).value(); }

const OutputReference kCoinOnly{All('a'), 0};
const OutputReference kTagged{All('a'), 1};
const OutputReference kPlain{All('b'), 7};
const Tag kAddress{TagKind::address, "home"};
const Tag kAsset{TagKind::asset, "gold"};
const NamespaceHash kPools = HashNamespace("pools");
const NamespaceHash kStakes = HashNamespace("stakes");
const NamespaceHash kNobody = HashNamespace("nobody");

// A ledger as the store writes it, so that each row can be damaged in turn.
class VerifyChainRows : public testing::Test {
 protected:
  void SetUp() override {
    Apply({.parent = {},
           .point = ChainPoint::AtSlot(1),
           .produced = {{.reference = kCoinOnly, .era = 6, .cbor = "\xa1", .coin = 5},
                        {.reference = kTagged,
                         .era = 6,
                         .cbor = "\xa2",
                         .coin = 7,
                         .tags = {kAsset, kAddress}},
                        {.reference = kPlain, .era = 6, .cbor = "\xa3"}},
           .entities = {{"pools", All('1'), "p1"}, {"pools", All('2'), "p2"}}});
    Apply({.parent = ChainPoint::AtSlot(1),
           .point = ChainPoint::AtSlot(2),
           .values = {{"stakes", All('s'), "one"}, {"stakes", All('s'), "two"}}});
    Apply({.parent = ChainPoint::AtSlot(2),
           .point = ChainPoint::AtSlot(3),
           .counters = {{"datums", All('d'), 3}}});
    ASSERT_THAT(Problems(), IsEmpty());
  }

  void Apply(const Block& block) { ASSERT_OK(ChainStore(*engine_).Apply(block)); }

  void Put(const Keyspace& keyspace, ByteView key, const std::optional<std::string>& value) {
    WriteBatch batch;
    value ? batch.Put(keyspace, key, *value) : batch.Erase(keyspace, key);
    ASSERT_OK(engine_->Commit({.batch = std::move(batch)}));
  }
  std::optional<std::string> Get(const Keyspace& keyspace, ByteView key) {
    return engine_->OpenSnapshot().value()->Get(keyspace, key).value();
  }

  std::vector<std::string> Problems() {
    const CheckedDatabase database{.name = "",
                                   .keyspaces = engine_->keyspaces(),
                                   .reader = engine_->OpenSnapshot().value(),
                                   .complete = complete_};
    talea::Problems problems(100);
    for (const auto& [keyspace, make] : kChecked) {
      const std::unique_ptr<RowCheck> check = CheckOverStaged(*keyspace, database, make);
      Scanner rows(*database.reader, *keyspace, KeyRange::All());
      while (const std::optional<Row> row = rows.Next().value()) check->Check(*row, problems);
      check->Finish(problems);
    }
    return problems.first();
  }

  // What is found while this row has another value, or none.
  std::vector<std::string> With(const Keyspace& keyspace, ByteView key,
                                const std::optional<std::string>& value) {
    const std::optional<std::string> before = Get(keyspace, key);
    EXPECT_NE(before, value);
    Put(keyspace, key, value);
    std::vector<std::string> problems = Problems();
    Put(keyspace, key, before);
    return problems;
  }
  std::vector<std::string> Without(const Keyspace& keyspace, ByteView key) {
    return With(keyspace, key, std::nullopt);
  }

  bool complete_ = true;
  const std::unique_ptr<Engine> engine_ = OpenEngineForTest();
};

TEST_F(VerifyChainRows, FindsRowsThatCannotBeRead) {
  const auto damaged = [&](const Keyspace& keyspace, ByteView key, std::string_view problem) {
    EXPECT_THAT(With(keyspace, key, "x"),
                Contains(StartsWith(fmt::format("keyspace {}, key {}: {}", Quoted(keyspace.name),
                                                Quoted(key), problem))));
  };
  damaged(kStateCursorKeyspace, kCursorKey, "point: expected a variant");
  damaged(kStateUtxosKeyspace, OutputKey(kPlain), "output: expected at least the 2 bytes");
  damaged(kChainNotesKeyspace, OutputKey(kTagged), "notes of an output: expected 8 bytes");
  damaged(kChainTagsKeyspace, TagKey(kAsset, kTagged), "coin: expected 8 bytes, found 1");
  damaged(kChainKeyspace, StagingHeaderKey(), "header of a staged batch: expected 17 bytes");
  damaged(kChainKeyspace, StepKey(2), "step of the ledger: expected");
  damaged(kChainKeyspace, PointKey(ChainPoint::AtSlot(2)), "step: expected 8 bytes, found 1");
  damaged(kChainKeyspace, ValueKey(kStakes, All('s'), "one"), "value: expected no bytes");
}

TEST_F(VerifyChainRows, LeavesARowThatCannotBeReadToItself) {
  EXPECT_EQ(With(kStateCursorKeyspace, kCursorKey, "x").size(), 1u);
  EXPECT_EQ(With(kStateUtxosKeyspace, OutputKey(kTagged), "x").size(), 1u);
  EXPECT_EQ(With(kChainNotesKeyspace, OutputKey(kTagged), "x").size(), 1u);
  EXPECT_EQ(With(kChainTagsKeyspace, TagKey(kAsset, kTagged), "x").size(), 1u);
  EXPECT_EQ(With(kChainKeyspace, StepKey(2), "x").size(), 1u);
  EXPECT_EQ(With(kChainKeyspace, PointKey(ChainPoint::AtSlot(2)), "x").size(), 1u);
  EXPECT_EQ(With(kChainKeyspace, StagingHeaderKey(), "x").size(), 1u);
}

TEST_F(VerifyChainRows, FindsKeysThatTheLayerDoesNotWrite) {
  const auto strange = [&](const Keyspace& keyspace, const std::string& key,
                           std::string_view problem) {
    EXPECT_THAT(With(keyspace, key, EncodeCounter(1)),
                ElementsAre(AllOf(StartsWith(fmt::format(
                                      "keyspace {}, key {}: ", Quoted(keyspace.name), Quoted(key))),
                                  HasSubstr(problem))));
  };
  strange(kStateCursorKeyspace, "\1", "cursor: expected no row but that of key 00");
  strange(kStateUtxosKeyspace, "short", "expected the key of an output: 36 bytes, found 5");
  strange(kStateEntitiesKeyspace, "short", "expected the key of an entity: 40 bytes, found 5");
  strange(kChainNotesKeyspace, "short", "expected the key of an output: 36 bytes, found 5");
  strange(kChainTagsKeyspace, "\x09\1\1", "expected the key of a tag: a kind up to 4, found 9");
  strange(kChainCountersKeyspace, "short", "expected the key of an entity: 40 bytes");
  strange(kChainCountsKeyspace, "\7", "a kind that Talea writes, found 7");
  strange(kChainKeyspace, "\xfe", "tuple at byte 0");
  strange(kChainKeyspace, Packed({0, 1}), "header of a staged batch: expected a key of one");
  strange(kChainKeyspace, Packed({1, 1}), "import of a ledger: expected a key of one element");
  strange(kChainKeyspace, Packed({2}), "expected the key of a namespace");
  strange(kChainKeyspace, Packed({3, "x"}), "expected the key of a step");
  strange(kChainKeyspace, Packed({4, Bytes("x")}), "expected the key of a point");
  strange(kChainKeyspace, Packed({5, 1, Bytes("x")}), "expected the key of a value");
  strange(kChainKeyspace, Packed({7}), "a kind that Talea writes, found 7");
}

TEST_F(VerifyChainRows, FindsNotesWithoutTheirOutput) {
  EXPECT_THAT(
      Without(kStateUtxosKeyspace, OutputKey(kTagged)),
      UnorderedElementsAre(
          "ledger: expected a count of 2 outputs, as many as there are, found 3",
          AllOf(StartsWith("keyspace \"chain-notes\", key "),
                HasSubstr("notes: expected the output " + kTagged.ToString() + ", found none"))));
}

TEST_F(VerifyChainRows, FindsThatATagOfAnOutputIsMissing) {
  EXPECT_THAT(
      Without(kChainTagsKeyspace, TagKey(kAsset, kTagged)),
      ElementsAre(AllOf(StartsWith("keyspace \"chain-notes\", key "),
                        HasSubstr("the output under its asset \"gold\" with 7 coin, found none"))));
}

TEST_F(VerifyChainRows, FindsATagWithOtherCoinThanItsOutputHas) {
  EXPECT_THAT(With(kChainTagsKeyspace, TagKey(kAddress, kTagged), EncodeCoin(8)),
              ElementsAre(HasSubstr("under its address \"home\" with 7 coin, found 8")));
}

TEST_F(VerifyChainRows, FindsTagsThatTheNotesOfTheOutputDoNotHave) {
  const std::string other = TagKey({TagKind::asset, "silver"}, kTagged);
  EXPECT_THAT(With(kChainTagsKeyspace, other, EncodeCoin(7)),
              ElementsAre(AllOf(
                  StartsWith("keyspace \"chain-tags\", key " + Quoted(other)),
                  HasSubstr("notes of " + kTagged.ToString() + " that have it, found others"))));
  EXPECT_THAT(With(kChainTagsKeyspace, TagKey(kAsset, kPlain), EncodeCoin(0)),
              ElementsAre(HasSubstr("that have it, found none")));
}

TEST_F(VerifyChainRows, FindsThatNotesAreMissing) {
  EXPECT_THAT(
      Without(kChainNotesKeyspace, OutputKey(kTagged)),
      UnorderedElementsAre("ledger: expected a sum of 5 coin, as the outputs have, found 12",
                           HasSubstr("tag: expected notes of " + kTagged.ToString()),
                           HasSubstr("tag: expected notes of " + kTagged.ToString())));
}

TEST_F(VerifyChainRows, FindsCountsThatAreNotThoseOfTheRows) {
  const auto counted = [&](const std::string& key, std::string_view problem) {
    EXPECT_THAT(With(kChainCountsKeyspace, key, EncodeCounter(99)), ElementsAre(problem));
    EXPECT_THAT(Without(kChainCountsKeyspace, key),
                ElementsAre(StartsWith(problem.substr(0, problem.find("99")))));
  };
  counted(CountKey(ChainCount::outputs),
          "ledger: expected a count of 3 outputs, as many as there are, found 99");
  counted(CountKey(ChainCount::coin),
          "ledger: expected a sum of 12 coin, as the outputs have, found 99");
  counted(CountKey(ChainCount::entities, kPools),
          "namespace \"pools\": expected a count of 2 entities, as many as there are, found 99");
  counted(CountKey(ChainCount::values, kStakes),
          "namespace \"stakes\": expected a count of 2 values, as many as there are, found 99");
}

TEST_F(VerifyChainRows, FindsCountsOfNothing) {
  EXPECT_THAT(With(kChainCountsKeyspace, CountKey(ChainCount::entities, kStakes), EncodeCounter(1)),
              ElementsAre(HasSubstr("count: expected entities to be counted, found none")));
  EXPECT_THAT(With(kChainCountsKeyspace, CountKey(ChainCount::values, kPools), EncodeCounter(1)),
              ElementsAre(HasSubstr("count: expected values to be counted, found none")));
  EXPECT_THAT(With(kChainCountsKeyspace, CountKey(ChainCount::values, kNobody), EncodeCounter(1)),
              ElementsAre(HasSubstr("count: expected namespace ")));
}

TEST_F(VerifyChainRows, FindsCountsOfOutputsWhereThereAreNone) {
  for (const OutputReference& reference : {kCoinOnly, kTagged, kPlain}) {
    Put(kStateUtxosKeyspace, OutputKey(reference), std::nullopt);
    Put(kChainNotesKeyspace, OutputKey(reference), std::nullopt);
    for (const Tag& tag : {kAsset, kAddress}) {
      Put(kChainTagsKeyspace, TagKey(tag, reference), std::nullopt);
    }
  }
  EXPECT_THAT(Problems(),
              UnorderedElementsAre(
                  HasSubstr("count: expected outputs to be counted, found none"),
                  HasSubstr("count: expected outputs with coin to be counted, found none")));
}

TEST_F(VerifyChainRows, FindsNamespacesWithoutAName) {
  EXPECT_THAT(Without(kChainKeyspace, NamespaceKey(HashNamespace("datums"))),
              ElementsAre(AllOf(StartsWith("keyspace \"chain-counters\", key "),
                                HasSubstr("counter: expected namespace a92a1620dd1a7540 to have a "
                                          "name, found none"))));
  EXPECT_THAT(Without(kChainKeyspace, NamespaceKey(kPools)),
              UnorderedElementsAre(HasSubstr("entities: expected namespace 9fa7410297c384fb"),
                                   HasSubstr("count: expected namespace 9fa7410297c384fb")))
      << "once for all of its entities";
  EXPECT_THAT(Without(kChainKeyspace, NamespaceKey(kStakes)),
              UnorderedElementsAre(HasSubstr("values: expected namespace aeebd4ef5ff6c129"),
                                   HasSubstr("count: expected namespace aeebd4ef5ff6c129")));
}

TEST_F(VerifyChainRows, FindsNamesWithAnotherHash) {
  EXPECT_THAT(With(kChainKeyspace, NamespaceKey(kPools), "eras"),
              ElementsAre(HasSubstr("namespace \"eras\": expected the hash 93f9bafaceccf919 in its "
                                    "key, found 9fa7410297c384fb")));
}

TEST_F(VerifyChainRows, FindsGapsBetweenSteps) {
  EXPECT_THAT(Without(kChainKeyspace, StepKey(2)),
              ElementsAre(AllOf(StartsWith("keyspace \"chain\", key " + Quoted(StepKey(3))),
                                HasSubstr("step: expected step 2 before it, found 1"))));
  EXPECT_THAT(Without(kChainKeyspace, StepKey(1)), IsEmpty()) << "it may have been forgotten";
  EXPECT_THAT(Without(kChainKeyspace, StepKey(3)),
              ElementsAre(HasSubstr(
                  "newest step: expected step 3, to which the ledger has come, found 2")));
  EXPECT_THAT(With(kChainKeyspace, StepKey(4),
                   Encode(StepRow{ChainPoint::AtSlot(3), ChainPoint::AtSlot(1)})),
              Contains(HasSubstr("step: expected a number up to 3, the newest, found 4")));
}

TEST_F(VerifyChainRows, FindsThatAllStepsAreMissing) {
  for (const std::uint64_t step : {1, 2}) Put(kChainKeyspace, StepKey(step), std::nullopt);
  EXPECT_THAT(Without(kChainKeyspace, StepKey(3)),
              ElementsAre(HasSubstr(
                  "newest step: expected its row, as there is its undo record, found none")));
}

TEST_F(VerifyChainRows, FindsStepsThatDoNotFollowEachOther) {
  EXPECT_THAT(
      With(kChainKeyspace, StepKey(2),
           Encode(StepRow{ChainPoint::AtSlot(9), ChainPoint::AtSlot(2)})),
      ElementsAre(HasSubstr("step: expected to begin at 1, where the one before led, found 9")));
  EXPECT_THAT(
      With(kStateCursorKeyspace, kCursorKey, EncodePoint(ChainPoint::AtSlot(2))),
      ElementsAre(HasSubstr("newest step: expected the cursor at 3, where it led, found 2")));
  EXPECT_THAT(
      Without(kStateCursorKeyspace, kCursorKey),
      ElementsAre(HasSubstr("newest step: expected the cursor at 3, where it led, found none")));
}

TEST_F(VerifyChainRows, FindsStepsThatCannotBeTakenBack) {
  const std::string undo = UndoKey(StepUndoKey(2), 0);
  EXPECT_THAT(Without(kUndoKeyspace, undo),
              ElementsAre(AllOf(StartsWith("keyspace \"chain\", key " + Quoted(StepKey(2))),
                                HasSubstr("step: expected an undo record of step 2, found none"))));
}

TEST_F(VerifyChainRows, FindsPointsAndStepsThatDoNotLeadToEachOther) {
  const std::string point = PointKey(ChainPoint::AtSlot(2));
  EXPECT_THAT(
      Without(kChainKeyspace, point),
      ElementsAre(HasSubstr("point 2 to tell of step 2, or a newer one, found no such point")));
  EXPECT_THAT(With(kChainKeyspace, point, EncodeStep(1)),
              UnorderedElementsAre(HasSubstr("point 2 to tell of step 2, or a newer one, found 1"),
                                   HasSubstr("point: expected step 1 to lead to 2, found 1")));
  EXPECT_THAT(With(kChainKeyspace, point, EncodeStep(3)),
              ElementsAre(HasSubstr("point: expected step 3 to lead to 2, found 3")));
  EXPECT_THAT(With(kChainKeyspace, point, EncodeStep(4)),
              ElementsAre(HasSubstr("point: expected a step up to 3, the newest, found 4")));
}

TEST_F(VerifyChainRows, TakesStepsThatAreForgottenRolledBackOrStayWhereTheyAre) {
  ChainStore store(*engine_);
  ChainWriter writer = store.StartWriter();
  writer.WriteEntity("pools", All('3'), "p3");
  ASSERT_OK(writer.Commit());
  EXPECT_THAT(Problems(), IsEmpty()) << "a step that does not move the cursor";
  EXPECT_EQ(ASSERT_VALUE(store.Prune(2)), 2u);
  EXPECT_THAT(Problems(), IsEmpty()) << "steps that are forgotten";
  EXPECT_OK(store.RollBack(ChainPoint::AtSlot(2)));
  EXPECT_THAT(Problems(), IsEmpty()) << "steps that are taken back";
  EXPECT_OK(store.Prune(0));
  EXPECT_THAT(Problems(), IsEmpty()) << "no step that can be taken back";
}

TEST_F(VerifyChainRows, TakesALedgerThatKeepsNoUndo) {
  const std::unique_ptr<Engine> engine = OpenEngineForTest();
  ChainStore store(*engine_, {.undo_window = 0});
  ASSERT_OK(store.Apply({.parent = ChainPoint::AtSlot(3),
                         .point = ChainPoint::AtSlot(4),
                         .consumed = {kTagged, kPlain},
                         .entities = {{"pools", All('1'), std::nullopt}}}));
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_THAT(With(kChainCountsKeyspace, CountKey(ChainCount::outputs), EncodeCounter(2)),
              ElementsAre(HasSubstr("a count of 1 outputs, as many as there are, found 2")));
}

TEST_F(VerifyChainRows, FindsStagedRowsWithoutABatch) {
  const std::string staged = StagedKey(StagedAs::row, kStateUtxosKeyspace.id, OutputKey(kPlain));
  EXPECT_THAT(With(kChainStagingKeyspace, staged, "value"),
              ElementsAre(HasSubstr("staged row: expected the header of its batch, found none")));
  Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{}));
  EXPECT_THAT(With(kChainStagingKeyspace, staged, "value"), IsEmpty()) << "it is not in yet";
}

TEST_F(VerifyChainRows, FindsStagedRowsThatCannotBeMoved) {
  Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{}));
  const std::string strange = StagedKey(StagedAs::row, kTaleaKeyspace.id, "key");
  EXPECT_THAT(With(kChainStagingKeyspace, strange, "value"),
              ElementsAre(StartsWith("keyspace \"chain-staging\", key " + Quoted(strange))));
  const std::string change = StagedKey(StagedAs::change, kChainNotesKeyspace.id, "key");
  EXPECT_THAT(With(kChainStagingKeyspace, change, "junk"),
              ElementsAre(StartsWith("keyspace \"chain-staging\", key " + Quoted(change))));
}

// What a batch that is in will make of the ledger: another output, and one less.
TEST_F(VerifyChainRows, LooksAtWhatReadersSeeWhileABatchIsStaged) {
  const auto stage = [&](const Keyspace& keyspace, ByteView key, const std::string& value) {
    Put(kChainStagingKeyspace, StagedKey(StagedAs::row, keyspace.id, key), value);
  };
  const auto change = [&](const Keyspace& keyspace, ByteView key, const StagedChange& staged) {
    Put(kChainStagingKeyspace, StagedKey(StagedAs::change, keyspace.id, key), Encode(staged));
  };
  const OutputReference added{All('c'), 0};
  stage(kStateUtxosKeyspace, OutputKey(added), std::string("\0\6x", 3));
  stage(kChainNotesKeyspace, OutputKey(added), EncodeCoin(30));
  change(kStateUtxosKeyspace, OutputKey(kCoinOnly), {});
  change(kChainNotesKeyspace, OutputKey(kCoinOnly), {});
  change(kChainCountsKeyspace, CountKey(ChainCount::coin), {25});
  Put(kChainKeyspace, StagingHeaderKey(), Encode(StagingHeader{true, {}}));
  EXPECT_THAT(Problems(), IsEmpty());
  Put(kChainNotesKeyspace, OutputKey(kCoinOnly), std::nullopt);  // as if it were moved
  EXPECT_THAT(Problems(), IsEmpty());
  EXPECT_THAT(With(kChainCountsKeyspace, CountKey(ChainCount::coin), EncodeCounter(1)),
              ElementsAre("ledger: expected a sum of 37 coin, as the outputs have, found 26"));
  EXPECT_THAT(Without(kChainTagsKeyspace, TagKey(kAsset, kTagged)),
              ElementsAre(HasSubstr("the output under its asset \"gold\"")));
}

TEST_F(VerifyChainRows, TellsOfAnImportThatIsNotFinishedAndOfNothingElse) {
  Put(kChainKeyspace, ImportMarkKey(), "some mark");
  const auto unfinished = ElementsAre(
      HasSubstr("import of a ledger: expected one that is finished, found one that is not"));
  EXPECT_THAT(Problems(), unfinished);
  EXPECT_THAT(Without(kStateUtxosKeyspace, OutputKey(kTagged)), unfinished);
  EXPECT_THAT(Without(kChainTagsKeyspace, TagKey(kAsset, kTagged)), unfinished);
  EXPECT_THAT(Without(kChainKeyspace, NamespaceKey(kPools)), unfinished);
  EXPECT_THAT(Without(kChainKeyspace, StepKey(2)), unfinished);
}

// As far as a copy has come there may be rows without those that they belong to.
TEST_F(VerifyChainRows, DoesNotAskWhatIsNotCopiedYet) {
  complete_ = false;
  const StoredRows rows = ReadAllRows(*engine_).value();
  for (const auto& [place, value] : rows) {
    const Keyspace& keyspace = *engine_->keyspaces().Find(static_cast<std::uint8_t>(place.first));
    EXPECT_THAT(Without(keyspace, place.second), IsEmpty())
        << keyspace.name << " " << Quoted(place.second);
  }
  EXPECT_THAT(With(kChainTagsKeyspace, TagKey(kAsset, kTagged), "x"),
              ElementsAre(HasSubstr("coin: expected 8 bytes")));
}

// More rows than are asked for at a time.
TEST_F(VerifyChainRows, ComparesEachOfManyRows) {
  Block block{.parent = ChainPoint::AtSlot(3), .point = ChainPoint::AtSlot(4)};
  for (std::uint32_t index = 0; index < 1500; ++index) {
    block.produced.push_back({.reference = {All('m'), index},
                              .era = 6,
                              .cbor = "\xa1",
                              .coin = 1,
                              .tags = {{TagKind::stake, "many"}}});
  }
  Apply(block);
  EXPECT_THAT(Problems(), IsEmpty());
  for (const std::uint32_t index : {0u, 499u, 500u, 1499u}) {
    const OutputReference reference{All('m'), index};
    const std::string tag = TagKey({TagKind::stake, "many"}, reference);
    EXPECT_THAT(
        Without(kChainTagsKeyspace, tag),
        ElementsAre(StartsWith("keyspace \"chain-notes\", key " + Quoted(OutputKey(reference)))));
    EXPECT_THAT(Without(kChainNotesKeyspace, OutputKey(reference)),
                UnorderedElementsAre(StartsWith("ledger: "),
                                     StartsWith("keyspace \"chain-tags\", key " + Quoted(tag))));
  }
}

}  // namespace
}  // namespace talea::chain
