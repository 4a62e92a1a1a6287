// What a Transaction records of its reads, told by what it then conflicts with.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkTransactionRecordTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

const WriteBatch kNothing;

TEST_P(EngineContract, ATransactionRecordsEveryKeyItGets) {
  const auto get = [](Transaction& transaction) { Must(transaction.Get(kPoints, "key")); };
  const WriteBatch before = Writes().Put(kPoints, "key", "old");
  EXPECT_TRUE(Conflicts(engine(), before, get, Writes().Put(kPoints, "key", "new")));
  EXPECT_TRUE(Conflicts(engine(), before, get, Writes().Erase(kPoints, "key")));
  EXPECT_TRUE(Conflicts(engine(), before, get, EraseEverything()));
  EXPECT_TRUE(
      Conflicts(engine(), Writes().Erase(kPoints, "key"), get, Writes().Put(kPoints, "key", "")));
  EXPECT_FALSE(Conflicts(engine(), before, get, Writes().Put(kPoints, "other", "new")));
}

TEST_P(EngineContract, ATransactionRecordsEveryKeyOfAMultiGet) {
  const auto get = [](Transaction& transaction) {
    const std::vector<KeyReference> keys = {{kPoints, "a"}, {kScans, "b"}, {kCounters, "c"}};
    Must(transaction.MultiGet(keys));
  };
  EXPECT_TRUE(Conflicts(engine(), kNothing, get, Writes().Put(kPoints, "a", "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, get, Writes().Put(kScans, "b", "")));
  EXPECT_TRUE(Conflicts(engine(), kNothing, get, Writes().Add(kCounters, "c", 1)));
  EXPECT_FALSE(
      Conflicts(engine(), kNothing, get, Writes().Put(kPoints, "b", "").Put(kScans, "a", "")));
}

TEST_P(EngineContract, ATransactionRecordsTheRangesThatItsPagesCover) {
  WriteBatch before = Writes().EraseRange(kScans, KeyRange::All());
  for (const char* key : {"b", "d", "f", "h", "k"}) before.Put(kScans, key, "");
  const auto all = [](Transaction& transaction) {
    ReadPages(transaction, kScans, Between("b", "y"));
  };
  EXPECT_TRUE(Conflicts(engine(), before, all, Writes().Put(kScans, "c", "")));
  EXPECT_TRUE(Conflicts(engine(), before, all, Writes().Erase(kScans, "k")));
  EXPECT_TRUE(Conflicts(engine(), before, all, Writes().Put(kScans, "x", "")))
      << "after the last row";
  EXPECT_FALSE(
      Conflicts(engine(), before, all, Writes().Put(kScans, "a", "").Put(kScans, "y", "")));

  const auto first = [](Transaction& transaction) {
    Must(transaction.Range(kScans, Between("b", "y"), {.row_limit = 2}));
  };
  EXPECT_FALSE(
      Conflicts(engine(), before, first, Writes().Put(kScans, "h", "").Put(kScans, "d1", "")))
      << "what the page did not reach";
  const auto last = [](Transaction& transaction) {
    Must(transaction.Range(kScans, Between("b", "y"), {.reverse = true, .row_limit = 2}));
  };
  EXPECT_FALSE(
      Conflicts(engine(), before, last, Writes().Put(kScans, "b", "").Put(kScans, "g", "")));
}

TEST_P(EngineContract, ATransactionRecordsWhatLiesBetweenTheRowsOfAPage) {
  WriteBatch before = Writes().EraseRange(kScans, KeyRange::All());
  for (const char* key : {"b", "d", "f", "h", "k"}) before.Put(kScans, key, "");
  // Pages may be short, so this goes on until it has its two rows.
  const auto two = [](bool reverse) {
    return [reverse](Transaction& transaction) {
      std::size_t rows = 0;
      for (std::optional<KeyRange> rest = Between("a", "y"); rest && rows < 2;) {
        const Page page =
            Must(transaction.Range(kScans, *rest, {.reverse = reverse, .row_limit = 2 - rows}));
        rows += page.size();
        rest = page.rest();
      }
    };
  };
  EXPECT_TRUE(Conflicts(engine(), before, two(false), Writes().Put(kScans, "a", "")));
  EXPECT_TRUE(Conflicts(engine(), before, two(false), Writes().Put(kScans, "c", "")));
  EXPECT_TRUE(Conflicts(engine(), before, two(false), Writes().Put(kScans, "d", "")));
  EXPECT_TRUE(Conflicts(engine(), before, two(true), Writes().Put(kScans, "x", "")));
  EXPECT_TRUE(Conflicts(engine(), before, two(true), Writes().Put(kScans, "i", "")));
  EXPECT_TRUE(Conflicts(engine(), before, two(true), Writes().Erase(kScans, "h")));
}

TEST_P(EngineContract, ATransactionDoesNotRecordWhatItHasPutOrErasedItself) {
  const WriteBatch before = Writes().Put(kPoints, "key", "old").PutCounter(kCounters, "key", 1);
  const WriteBatch others = Writes().Put(kPoints, "key", "theirs").Add(kCounters, "key", 1);
  using Body = void (*)(Transaction&);
  constexpr Body kBodies[] = {
      [](Transaction& transaction) { transaction.Put(kPoints, "key", "own"); },
      [](Transaction& transaction) { transaction.Insert(kPoints, "key", "own"); },
      [](Transaction& transaction) { transaction.Erase(kPoints, "key"); },
      [](Transaction& transaction) { transaction.EraseRange(kPoints, KeyRange::All()); },
      [](Transaction& transaction) { transaction.PutCounter(kCounters, "key", 5); },
      [](Transaction& transaction) {
        transaction.Erase(kCounters, "key");
        transaction.Add(kCounters, "key", 5);
      },
      [](Transaction& transaction) {
        transaction.Add(kCounters, "key", 5);
        transaction.EraseRange(kCounters, KeyRange::Prefix("k"));
      },
  };
  for (std::size_t position = 0; position < std::size(kBodies); ++position) {
    const bool counter = position >= 4;
    const auto body = [&](Transaction& transaction) {
      Must(transaction.snapshot_version());
      kBodies[position](transaction);
      Must(transaction.Get(counter ? kCounters : kPoints, "key"));
      const std::vector<KeyReference> keys = {{counter ? kCounters : kPoints, "key"}};
      Must(transaction.MultiGet(keys));
    };
    EXPECT_FALSE(Conflicts(engine(), before, body, others)) << "body " << position;
  }
}

TEST_P(EngineContract, ATransactionRecordsTheBaseOfACounterItHasAddedTo) {
  const WriteBatch before = Writes().PutCounter(kCounters, "n", 1);
  const auto body = [](Transaction& transaction) {
    transaction.Add(kCounters, "n", 5);
    Must(transaction.Get(kCounters, "n"));
  };
  EXPECT_TRUE(Conflicts(engine(), before, body, Writes().Add(kCounters, "n", 1)));
  EXPECT_FALSE(Conflicts(engine(), before, body, Writes().Add(kCounters, "m", 1)));
}

TEST_P(EngineContract, ATransactionThatOnlyWritesNeverConflicts) {
  const auto body = [](Transaction& transaction) {
    transaction.Put(kPoints, "key", "own");
    transaction.Add(kCounters, "n", 1);
    transaction.Erase(kScans, "key");
    transaction.EraseRange(kSums, KeyRange::All());
    Must(transaction.Get(kPoints, "key"));
  };
  EXPECT_FALSE(Conflicts(engine(), kNothing, body,
                         Writes().Put(kPoints, "key", "theirs").Add(kCounters, "n", 1)));
  EXPECT_FALSE(Conflicts(engine(), kNothing, body, EraseEverything()));
}

TEST_P(EngineContract, UnrecordedReadsAreNotRecorded) {
  const WriteBatch before =
      Writes().Put(kPoints, "key", "old").Put(kScans, "a", "").PutCounter(kCounters, "n", 1);
  const auto body = [](Transaction& transaction) {
    transaction.Add(kCounters, "n", 1);
    Reader& reader = transaction.unrecorded();
    EXPECT_EQ(Must(reader.Get(kPoints, "key")), "old");
    EXPECT_EQ(Must(reader.GetCounter(kCounters, "n")), 2);
    const std::vector<KeyReference> keys = {{kPoints, "key"}, {kScans, "a"}};
    Must(reader.MultiGet(keys));
    ReadPages(reader, kScans, KeyRange::All());
  };
  const WriteBatch others =
      Writes().Put(kPoints, "key", "new").Put(kScans, "b", "").Add(kCounters, "n", 1);
  EXPECT_FALSE(Conflicts(engine(), before, body, others));
  const auto both = [&](Transaction& transaction) {
    body(transaction);
    Must(transaction.Get(kScans, "a"));
  };
  EXPECT_TRUE(Conflicts(engine(), before, both, Writes().Put(kScans, "a", "new")))
      << "recorded as well";
}

TEST_P(EngineContract, WhatIsRecordedByHandConflictsLikeARead) {
  const auto key = [](Transaction& transaction) {
    Must(transaction.snapshot_version());
    transaction.Record(kPoints, "key");
  };
  EXPECT_TRUE(Conflicts(engine(), kNothing, key, Writes().Put(kPoints, "key", "new")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, key, Writes().Put(kPoints, "other", "new")));
  const auto first = [](Transaction& transaction) { transaction.Record(kPoints, "key"); };
  EXPECT_TRUE(Conflicts(engine(), kNothing, first, Writes().Put(kPoints, "key", "new")))
      << "recorded before any read: the snapshot must not be younger than the record";
  const auto range = [](Transaction& transaction) {
    Must(transaction.snapshot_version());
    transaction.Record(kScans, Between("b", "y"));
  };
  EXPECT_TRUE(Conflicts(engine(), kNothing, range, Writes().Put(kScans, "b", "new")));
  EXPECT_FALSE(Conflicts(engine(), kNothing, range, Writes().Put(kScans, "y", "new")));
}

TEST_P(EngineContract, WhatATransactionExpectsIsCheckedAtItsCommit) {
  const WriteBatch before = Writes().Put(kPoints, "key", "value");
  const auto expect = [](std::optional<std::string> value) {
    return [value](Transaction& transaction) { transaction.Expect(kPoints, "key", value); };
  };
  EXPECT_FALSE(Conflicts(engine(), before, expect("value"), kNothing));
  EXPECT_FALSE(Conflicts(engine(), before, expect("value"), Writes().Put(kPoints, "key", "value")));
  EXPECT_FALSE(Conflicts(engine(), before, expect("new"), Writes().Put(kPoints, "key", "new")));
  EXPECT_FALSE(Conflicts(engine(), before, expect(std::nullopt), Writes().Erase(kPoints, "key")));
  EXPECT_TRUE(Conflicts(engine(), before, expect("value"), Writes().Put(kPoints, "key", "new")));
  EXPECT_TRUE(Conflicts(engine(), before, expect("value"), Writes().Erase(kPoints, "key")));
  EXPECT_TRUE(Conflicts(engine(), before, expect(std::nullopt), kNothing));
}

// Who moves something between two places that share a counter leaves the sum as it is, and yet must
// not go unnoticed by who divides it.
TEST_P(EngineContract, AddsThatCancelOutConflictWithReadersOfTheCounterAllTheSame) {
  const auto others = [&] {
    Transact(engine(), [](Transaction& transaction) {
      transaction.Add(kCounters, "n", 1);
      transaction.Add(kCounters, "n", -1);
      transaction.Put(kScans, "other", "");
    });
  };
  for (const WriteBatch& before : {WriteBatch(), WriteBatch(Writes().Add(kCounters, "n", 5))}) {
    EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kCounters, "n"), others));
    EXPECT_FALSE(Conflicts(engine(), before, Reads().Key(kCounters, "m"), others));
  }
}

}  // namespace
}  // namespace talea
