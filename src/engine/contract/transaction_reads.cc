// Read-your-writes: a Transaction's reads see its snapshot with its own writes on top.
#include <algorithm>

#include "engine/contract/property.h"

namespace talea::contract {
void LinkTransactionReadTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, ATransactionReadsItsOwnWrites) {
  Write(engine(), Writes()
                      .Put(kPoints, "put", "old")
                      .Put(kPoints, "erased", "old")
                      .Put(kPoints, "kept", "old"));
  Transaction transaction(engine());
  transaction.Put(kPoints, "put", "new");
  transaction.Erase(kPoints, "erased");
  transaction.Insert(kPoints, "inserted", "new");
  EXPECT_EQ(Must(transaction.Get(kPoints, "put")), "new");
  EXPECT_EQ(Must(transaction.Get(kPoints, "erased")), std::nullopt);
  EXPECT_EQ(Must(transaction.Get(kPoints, "inserted")), "new");
  EXPECT_EQ(Must(transaction.Get(kPoints, "kept")), "old");
  transaction.Put(kPoints, "erased", "");
  EXPECT_EQ(Must(transaction.Get(kPoints, "erased")), "");
  EXPECT_EQ(Read(engine(), kPoints, "put"), "old") << "and nobody else does";
}

TEST_P(EngineContract, ATransactionReadsItsOwnAddsOverTheStoredSum) {
  Write(engine(), Writes().Add(kCounters, "n", 10).Add(kCounters, "m", 1));
  Transaction transaction(engine());
  transaction.Add(kCounters, "n", 5);
  EXPECT_EQ(Must(transaction.GetCounter(kCounters, "n")), 15);
  transaction.Add(kCounters, "n", -15);
  EXPECT_EQ(Must(transaction.Get(kCounters, "n")), std::nullopt) << "a sum of 0 is absent here too";
  transaction.Add(kCounters, "absent", 7);
  EXPECT_EQ(Must(transaction.GetCounter(kCounters, "absent")), 7);
  transaction.PutCounter(kCounters, "m", 100);
  transaction.Add(kCounters, "m", 1);
  EXPECT_EQ(Must(transaction.GetCounter(kCounters, "m")), 101);
  transaction.Erase(kCounters, "m");
  transaction.Add(kCounters, "m", 3);
  EXPECT_EQ(Must(transaction.GetCounter(kCounters, "m")), 3);
  transaction.PutCounter(kCounters, "m", 0);
  EXPECT_EQ(Must(transaction.Get(kCounters, "m")), std::nullopt);
  EXPECT_EQ(ReadPages(transaction, kCounters, KeyRange::All()),
            (RowList{{"absent", CounterBytes(7)}}));
}

TEST_P(EngineContract, ATransactionReadsWhatItsRangeErasuresLeave) {
  Write(engine(), Writes()
                      .Put(kScans, "a", "1")
                      .Put(kScans, "b", "2")
                      .Put(kScans, "c", "3")
                      .Add(kSums, "b", 9));
  Transaction transaction(engine());
  transaction.Put(kScans, "bb", "own, and erased");
  transaction.EraseRange(kScans, Between("b", "c"));
  transaction.EraseRange(kSums, KeyRange::All());
  EXPECT_EQ(Must(transaction.Get(kScans, "b")), std::nullopt);
  EXPECT_EQ(Must(transaction.Get(kScans, "bb")), std::nullopt);
  EXPECT_EQ(Must(transaction.Get(kScans, "c")), "3");
  transaction.Put(kScans, "b", "after");
  transaction.Add(kSums, "b", 1);
  EXPECT_EQ(ReadPages(transaction, kScans, KeyRange::All()),
            (RowList{{"a", "1"}, {"b", "after"}, {"c", "3"}}));
  EXPECT_EQ(Must(transaction.GetCounter(kSums, "b")), 1);
}

TEST_P(EngineContract, AMultiGetOfATransactionMixesOwnAndStoredValues) {
  Write(engine(), Writes().Put(kPoints, "a", "1").Put(kPoints, "b", "2").Add(kCounters, "n", 1));
  Transaction transaction(engine());
  transaction.Put(kPoints, "b", "own");
  transaction.Add(kCounters, "n", 1);
  transaction.Erase(kScans, "a");
  const std::vector<KeyReference> keys = {{kPoints, "b"},      {kPoints, "a"}, {kScans, "a"},
                                          {kPoints, "absent"}, {kPoints, "b"}, {kCounters, "n"},
                                          {kPoints, "a"}};
  const std::vector<std::optional<std::string>> expected = {
      "own", "1", std::nullopt, std::nullopt, "own", CounterBytes(2), "1"};
  EXPECT_EQ(Must(transaction.MultiGet(keys)), expected);
  EXPECT_EQ(Must(transaction.unrecorded().MultiGet(keys)), expected);
}

TEST_P(EngineContract, PagesOfATransactionKeepTheirLimitsAndComposeToTheWhole) {
  Model expected;
  WriteBatch stored;
  for (int row = 100; row < 200; ++row) stored.Put(kScans, std::to_string(row), "stored");
  expected.Apply(stored);
  Write(engine(), stored);
  Transaction transaction(engine());
  for (int row = 100; row < 200; row += 3) {
    const std::string key = std::to_string(row);
    transaction.Put(kScans, key + "x", "own");
    transaction.Erase(kScans, key);
    expected.Put(kScans, key + "x", "own");
    expected.Erase(kScans, key);
  }
  transaction.EraseRange(kScans, Between("140", "160"));
  expected.EraseRange(kScans, Between("140", "160"));
  for (const std::string key : {"", "099", "150", "200", "\xff\xff"}) {
    transaction.Put(kScans, key, "own");
    expected.Put(kScans, key, "own");
  }
  for (const bool reverse : {false, true}) {
    for (const std::size_t row_limit : {1, 2, 10, 1000}) {
      for (const std::size_t byte_limit : {1, 50, 1 << 20}) {
        const PageOptions options{reverse, row_limit, byte_limit};
        ASSERT_EQ(ReadPages(transaction, kScans, KeyRange::All(), options),
                  expected.Range(kScans, KeyRange::All(), reverse));
        ASSERT_EQ(ReadPages(transaction.unrecorded(), kScans, Between("120", "1500"), options),
                  expected.Range(kScans, Between("120", "1500"), reverse));
      }
    }
  }
}

TEST_P(EngineContract, ATransactionPassesALongStretchOfItsOwnErasures) {
  WriteBatch stored;
  for (int row = 1000; row < 4000; ++row) stored.Put(kScans, std::to_string(row), "");
  Write(engine(), stored);
  for (const bool one_by_one : {false, true}) {
    Transaction transaction(engine());
    if (!one_by_one) transaction.EraseRange(kScans, Between("1001", "3999"));
    for (int row = 1001; one_by_one && row < 3999; ++row)
      transaction.Erase(kScans, std::to_string(row));
    for (const bool reverse : {false, true}) {
      RowList expected = {{"1000", ""}, {"3999", ""}};
      if (reverse) std::ranges::reverse(expected);
      const PageOptions options{.reverse = reverse, .row_limit = 10};
      EXPECT_EQ(ReadPages(transaction, kScans, KeyRange::All(), options), expected);
    }
  }
}

TEST_P(EngineContract, ReadsOfATransactionAreRefusedLikeThoseOfASnapshot) {
  Transaction transaction(engine());
  EXPECT_ERROR(transaction.Get(kForeign, "key"), ErrorCode::invalid_argument);
  const std::vector<KeyReference> keys = {{kForeign, "key"}};
  EXPECT_ERROR(transaction.MultiGet(keys), ErrorCode::invalid_argument);
  EXPECT_ERROR(transaction.Range(kForeign, KeyRange::All()), ErrorCode::invalid_argument);
  transaction.Put(kScans, "own", "");
  EXPECT_ERROR(transaction.Range(kScans, KeyRange::All(), {.row_limit = 0}),
               ErrorCode::invalid_argument);
}

// One random read of everything that a transaction can read, compared with the model.
void CheckRandomRead(Transaction& transaction, const Model& expected) {
  Reader& reader =
      *rc::gen::arbitrary<bool>() ? static_cast<Reader&>(transaction) : transaction.unrecorded();
  const Keyspace keyspace = kKeyspaces[*rc::gen::inRange(0, 4)];
  const std::string key = *RandomKey();
  RC_ASSERT(Must(reader.Get(keyspace, key)) == expected.Get(keyspace, key));

  const KeyRange range = *RandomRange();
  const PageOptions options{.reverse = *rc::gen::arbitrary<bool>(),
                            .row_limit = *rc::gen::inRange<std::size_t>(1, 8),
                            .byte_limit = *rc::gen::inRange<std::size_t>(1, 60)};
  RC_ASSERT(ReadPages(reader, keyspace, range, options) ==
            expected.Range(keyspace, range, options.reverse));

  const auto names = *rc::gen::resize(6, rc::gen::container<std::vector<std::string>>(RandomKey()));
  std::vector<KeyReference> keys;
  std::vector<std::optional<std::string>> values;
  for (std::size_t position = 0; position < names.size(); ++position) {
    const Keyspace& space = kKeyspaces[position % std::size(kKeyspaces)];
    keys.emplace_back(space, names[position]);
    values.push_back(expected.Get(space, names[position]));
  }
  RC_ASSERT(Must(reader.MultiGet(keys)) == values);
}

TEST_P(EngineContract, RandomTransactionsReadAndWriteWhatAMapDoes) {
  CheckProperty(150, [this] {
    Model expected = StartFrom(engine(), *RandomWriteList());
    Transaction transaction(engine());
    for (const RandomWrite& write : *RandomWriteList()) {
      write.ApplyTo(transaction);
      write.ApplyTo(expected);
      CheckRandomRead(transaction, expected);
    }
    RC_ASSERT(Difference(expected, Dump(transaction)) == "");
    const Result<Version> version = transaction.Commit();
    if (!version.has_value() && GetParam().fails_spuriously) return;
    Must(version);
    RC_ASSERT(Difference(expected, State(engine())) == "");
  });
}

}  // namespace
}  // namespace talea
