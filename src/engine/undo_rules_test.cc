#include "engine/undo_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "keyspace/registry.h"
#include "talea/memory_engine.h"
#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using testing::ElementsAre;

// Rules hold for the whole process, so these ids are no other test's.
constexpr Keyspace kRows{220, AccessPattern::scan, "rows"};
constexpr Keyspace kEntries{221, AccessPattern::scan, "entries"};
constexpr Keyspace kTotals{222, AccessPattern::counter, "totals"};
constexpr Keyspace kNotes{223, AccessPattern::point, "notes"};
constexpr Keyspace kUndo{224, AccessPattern::point, "undo"};

// Entries are counted in the total that the row "total" names, now.
std::string TotalNow(Reader& reader) { return reader.Get(kRows, "total").value().value_or("all"); }
void AddEntry(Transaction& transaction, ByteView key) {
  transaction.Insert(kEntries, key, "");
  transaction.Add(kTotals, TotalNow(transaction), 1);
}

// The calls of the rules so far: what each was given, and what it read.
struct Call {
  std::string rule;
  WriteBatch restore;
  std::optional<std::string> row;  // "row", of a keyspace without a rule
  bool entry;                      // whether the entry "entry" was there
  bool record;                     // whether the undo record was
  friend bool operator==(const Call&, const Call&) = default;
};
std::vector<Call> calls;
Status rules_outcome;

std::vector<std::string> CalledRules() {
  std::vector<std::string> names;
  for (const Call& call : calls) names.push_back(call.rule);
  return names;
}

void Note(std::string rule, Transaction& transaction, const WriteBatch& restore) {
  calls.push_back({std::move(rule), restore, transaction.Get(kRows, "row").value(),
                   transaction.Get(kEntries, "entry").value().has_value(),
                   !transaction.Range(kUndo, KeyRange::All()).value().empty()});
}

// Ignores what was done to totals, and counts by the entries that come and go.
Status CountAnew(Transaction& transaction, const WriteBatch& restore) {
  Note("entries", transaction, restore);
  for (const WriteBatch::Operation& operation : restore) {
    if (operation.keyspace != kEntries.id) continue;
    const bool put = operation.kind == WriteBatch::Kind::put;
    transaction.Add(kTotals, TotalNow(transaction), put ? 1 : -1);
    if (put) transaction.Put(kEntries, operation.key, operation.value);
    if (!put) transaction.Erase(kEntries, operation.key);
  }
  return rules_outcome;
}

Status KeepNotes(Transaction& transaction, const WriteBatch& restore) {
  Note("notes", transaction, restore);
  return {};
}

class UndoRulesTest : public testing::Test {
 protected:
  void SetUp() override {
    calls.clear();
    rules_outcome = {};
    SetUndoRule({&kEntries, &kTotals}, CountAnew);
    SetUndoRule({&kNotes}, KeepNotes);
  }

  // A commit that can be undone.
  template <class Body>
  void Commit(ByteView undo, Body body) {
    Transaction transaction(*engine_);
    transaction.KeepUndo(kUndo, undo);
    body(transaction);
    ASSERT_OK(transaction.Commit());
  }
  void Undo(ByteView undo) {
    Transaction transaction(*engine_);
    ASSERT_OK(transaction.Undo(kUndo, undo));
    ASSERT_OK(transaction.Commit());
  }
  std::int64_t Total(ByteView name) {
    return engine_->OpenSnapshot().value()->GetCounter(kTotals, name).value();
  }
  std::optional<std::string> Get(const Keyspace& keyspace, ByteView key) {
    return engine_->OpenSnapshot().value()->Get(keyspace, key).value();
  }

  const std::unique_ptr<Engine> engine_ =
      OpenMemoryEngine({.keyspaces = {kRows, kEntries, kTotals, kNotes, kUndo}}).value();
};

TEST_F(UndoRulesTest, AreGivenTheirWritesInOrderOnceTheOtherRowsAreRestored) {
  Commit("1", [](Transaction& transaction) {
    transaction.Put(kEntries, "entry", "");
    transaction.Put(kEntries, "entry2", "");
    transaction.Add(kTotals, "all", 2);
    transaction.Put(kRows, "row", "new");
  });
  WriteBatch expected;
  expected.Erase(kEntries, "entry");
  expected.Erase(kEntries, "entry2");
  expected.Add(kTotals, "all", -2);
  Undo("1");
  EXPECT_EQ(calls, (std::vector<Call>{{"entries", expected, std::nullopt, true, false}}));
}

TEST_F(UndoRulesTest, DecideWhatIsWritten) {
  Commit("1", [](Transaction& transaction) { AddEntry(transaction, "entry"); });
  Commit("2", [](Transaction& transaction) {
    AddEntry(transaction, "other");
    transaction.Put(kNotes, "note", "kept");
  });
  // The total gets another name, which no undo knows of.
  Transaction rename(*engine_);
  rename.Put(kRows, "total", "new");
  rename.Erase(kTotals, "all");
  rename.Add(kTotals, "new", 2);
  ASSERT_OK(rename.Commit());

  Undo("2");
  EXPECT_EQ(Total("all"), 0);
  EXPECT_EQ(Total("new"), 1);
  EXPECT_EQ(Get(kEntries, "other"), std::nullopt);
  EXPECT_EQ(Get(kNotes, "note"), "kept");
  Undo("1");
  EXPECT_EQ(Total("new"), 0);
  EXPECT_EQ(Get(kUndo, "1"), std::nullopt);
}

TEST_F(UndoRulesTest, AreEachCalledOnceAndOnlyForRecordsWithWritesOfTheirs) {
  Commit("1", [](Transaction& transaction) { transaction.Put(kRows, "row", "new"); });
  Commit("2", [](Transaction& transaction) {
    transaction.Put(kNotes, "a", "");
    AddEntry(transaction, "entry");
    transaction.Put(kNotes, "b", "");
  });
  Undo("2");
  EXPECT_THAT(CalledRules(), ElementsAre("entries", "notes"));
  EXPECT_EQ(calls[1].restore.count(), 2u);
  Undo("1");
  EXPECT_THAT(CalledRules(), ElementsAre("entries", "notes"));
  EXPECT_EQ(Get(kRows, "row"), std::nullopt);
}

TEST_F(UndoRulesTest, ThatFailMakeTheUndoFailAndTheTransactionToo) {
  Commit("1", [](Transaction& transaction) {
    AddEntry(transaction, "entry");
    transaction.Put(kRows, "row", "new");
  });
  rules_outcome = Fail(ErrorCode::unavailable, "the rule's");
  Transaction transaction(*engine_);
  EXPECT_ERROR(transaction.Undo(kUndo, "1"), ErrorCode::unavailable);
  EXPECT_ERROR(transaction.Commit(), ErrorCode::unavailable);
  EXPECT_EQ(Get(kRows, "row"), "new");
  EXPECT_EQ(Total("all"), 1);

  rules_outcome = {};
  Undo("1");
  EXPECT_EQ(Get(kRows, "row"), std::nullopt);
  EXPECT_EQ(Total("all"), 0);
}

// Without it bytes would be restored that are wrong since, and nobody would notice.
TEST_F(UndoRulesTest, AreMissedWhereALayerNeedsOneThatIsNotSet) {
  const auto engine = OpenMemoryEngine({.keyspaces = {kHistogramsKeyspace, kUndo}}).value();
  ASSERT_EQ(FindUndoRule(kHistogramsKeyspace.id), nullptr);
  Transaction transaction(*engine);
  transaction.KeepUndo(kUndo, "1");
  transaction.Put(kHistogramsKeyspace, "entry", "");
  ASSERT_OK(transaction.Commit());
  Transaction undo(*engine);
  EXPECT_ERROR(undo.Undo(kUndo, "1"), ErrorCode::precondition_failed);
  EXPECT_ERROR(undo.Commit(), ErrorCode::precondition_failed);
}

TEST_F(UndoRulesTest, TakePartInTheUndoOfAnUndo) {
  Commit("1", [](Transaction& transaction) { AddEntry(transaction, "entry"); });
  Commit("2", [](Transaction& transaction) { ASSERT_OK(transaction.Undo(kUndo, "1")); });
  EXPECT_EQ(Total("all"), 0);
  Undo("2");
  EXPECT_EQ(Total("all"), 1);
  EXPECT_EQ(Get(kEntries, "entry"), "");
  Undo("1");
  EXPECT_EQ(Total("all"), 0);
}

TEST_F(UndoRulesTest, AreOneForAKeyspaceWhichMayBeSetAgain) {
  SetUndoRule({&kEntries, &kTotals}, CountAnew);
  EXPECT_EQ(FindUndoRule(kEntries.id), CountAnew);
  EXPECT_EQ(FindUndoRule(kTotals.id), CountAnew);
  EXPECT_EQ(FindUndoRule(kNotes.id), KeepNotes);
  EXPECT_EQ(FindUndoRule(kRows.id), nullptr);
  EXPECT_DEATH(SetUndoRule({&kEntries}, KeepNotes), "before == rule");
}

}  // namespace
}  // namespace talea
