// Ranges in pages, in both directions.
#include <algorithm>
#include <numeric>

#include "engine/contract/property.h"

namespace talea::contract {
void LinkRangeTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

constexpr PageOptions kForward{};
constexpr PageOptions kReverse{.reverse = true};

std::string KeyOf(int row) {
  const std::string digits = std::to_string(row);
  return "row " + std::string(4 - digits.size(), '0') + digits;
}

// Rows with keys from KeyOf(0) on; odd ones are longer than even ones.
Model WriteRows(Engine& engine, int count) {
  WriteBatch batch;
  for (int row = 0; row < count; ++row) {
    batch.Put(kScans, KeyOf(row), std::string(row % 2 == 0 ? 5 : 60, 'v'));
  }
  Write(engine, batch);
  Model model;
  model.Apply(batch);
  return model;
}

std::vector<std::string> Keys(const RowList& rows) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : rows) keys.push_back(key);
  return keys;
}

using Names = std::vector<std::string>;

TEST_P(EngineContract, ARangeHoldsItsBeginAndNotItsEnd) {
  Write(engine(), Writes().Put(kScans, "a", "1").Put(kScans, "b", "2").Put(kScans, "c", "3"));
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  EXPECT_EQ(ReadPages(*snapshot, kScans, Between("a", "c")), (RowList{{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(ReadPages(*snapshot, kScans, Between("a", "c"), kReverse),
            (RowList{{"b", "2"}, {"a", "1"}}));
  EXPECT_EQ(Keys(ReadPages(*snapshot, kScans, Between("aa", "bb"))), (Names{"b"}));
  EXPECT_EQ(Keys(ReadPages(*snapshot, kScans, Between("aa", "bb"), kReverse)), (Names{"b"}));
}

TEST_P(EngineContract, ARangeMayBeOpenAtItsEndsAndReachesTheLastKey) {
  const std::string last(32, '\xff');
  for (const Keyspace& keyspace : {kPoints, kScans}) {
    Write(engine(), Writes().Put(keyspace, "", "").Put(keyspace, "m", "").Put(keyspace, last, ""));
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::All())), (Names{"", "m", last}));
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::All(), kReverse)),
              (Names{last, "m", ""}));
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::From("n"))), (Names{last}));
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::From("n"), kReverse)), (Names{last}));
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::Before(last))), (Names{"", "m"}));
    EXPECT_EQ(Keys(ReadPages(*snapshot, keyspace, KeyRange::Prefix("\xff"))), (Names{last}));
  }
}

TEST_P(EngineContract, ARangeThatHoldsNothingGivesNothing) {
  WriteRows(engine(), 3);
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  for (const PageOptions& options : {kForward, kReverse}) {
    EXPECT_TRUE(ReadPages(*snapshot, kScans, Between(KeyOf(1), KeyOf(1)), options).empty());
    EXPECT_TRUE(ReadPages(*snapshot, kScans, Between("s", "t"), options).empty());
    EXPECT_TRUE(ReadPages(*snapshot, kScans, KeyRange::Before(""), options).empty());
    EXPECT_TRUE(ReadPages(*snapshot, kPoints, KeyRange::All(), options).empty());
  }
}

TEST_P(EngineContract, ARowLimitOfNoneIsRefused) {
  WriteRows(engine(), 3);
  EXPECT_ERROR(Now(engine())->Range(kScans, KeyRange::All(), {.row_limit = 0}),
               ErrorCode::invalid_argument);
}

TEST_P(EngineContract, PagesOfAnyLimitComposeToTheWholeRange) {
  const Model model = WriteRows(engine(), 100);
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  const KeyRange range = Between(KeyOf(3), KeyOf(96));
  for (const bool reverse : {false, true}) {
    for (const std::size_t row_limit : {1, 2, 7, 93, 94, 1000}) {
      for (const std::size_t byte_limit : {1, 14, 15, 200, 1 << 20}) {
        const PageOptions options{reverse, row_limit, byte_limit};
        ASSERT_EQ(ReadPages(*snapshot, kScans, range, options), model.Range(kScans, range, reverse))
            << "limits of " << row_limit << " rows and " << byte_limit << " bytes";
      }
    }
  }
}

TEST_P(EngineContract, ARestOfAPageIsWhatItsRowsLeave) {
  WriteRows(engine(), 10);
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  for (const bool reverse : {false, true}) {
    const PageOptions options{.reverse = reverse, .row_limit = 4};
    std::optional<KeyRange> rest = KeyRange::All();
    std::size_t rows = 0;
    while (rest && rows < 4) {  // pages may be short
      const Page page = Must(snapshot->Range(kScans, *rest, options));
      rows += page.size();
      rest = page.rest();
    }
    ASSERT_TRUE(rest);
    EXPECT_EQ(ReadPages(*snapshot, kScans, *rest).size(), 10 - rows);
  }
}

TEST_P(EngineContract, ARangeErasedInTheMiddleLeavesBothSides) {
  Model model = WriteRows(engine(), 60);
  const WriteBatch erasure = Writes().EraseRange(kScans, Between(KeyOf(20), KeyOf(40)));
  model.Apply(erasure);
  Write(engine(), erasure);
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  for (const bool reverse : {false, true}) {
    const PageOptions options{.reverse = reverse, .row_limit = 3};
    EXPECT_EQ(ReadPages(*snapshot, kScans, KeyRange::All(), options),
              model.Range(kScans, KeyRange::All(), reverse));
  }
}

TEST_P(EngineContract, PagesOfOneSnapshotAreOneStateWhileOthersWrite) {
  const Model model = WriteRows(engine(), 60);
  for (const bool reverse : {false, true}) {
    Write(engine(), EraseEverything());
    WriteRows(engine(), 60);
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    RowList rows;
    std::optional<KeyRange> rest = KeyRange::All();
    for (int step = 0; rest; ++step) {
      const Page page = Must(snapshot->Range(kScans, *rest, {.reverse = reverse, .row_limit = 5}));
      for (const Row row : page) rows.emplace_back(row.key, row.value);
      rest = page.rest();
      Write(engine(), Writes()
                          .Put(kScans, KeyOf(step * 7 % 60) + "new", "inserted")
                          .Put(kScans, KeyOf(step * 11 % 60), "replaced")
                          .Erase(kScans, KeyOf(step * 13 % 60))
                          .EraseRange(kScans, Between(KeyOf(25), KeyOf(35))));
    }
    EXPECT_EQ(rows, model.Range(kScans, KeyRange::All(), reverse));
  }
}

TEST_P(EngineContract, RandomRangesAreThoseOfAMap) {
  CheckProperty(200, [this] {
    const Model model = StartFrom(engine(), *RandomWriteList());
    const std::unique_ptr<Snapshot> snapshot = Now(engine());
    for (int step = 0; step < 10; ++step) {
      const Keyspace keyspace = kKeyspaces[*rc::gen::inRange(0, 4)];
      const KeyRange range = *RandomRange();
      const PageOptions options{.reverse = *rc::gen::arbitrary<bool>(),
                                .row_limit = *rc::gen::inRange<std::size_t>(1, 12),
                                .byte_limit = *rc::gen::inRange<std::size_t>(1, 100)};
      RC_ASSERT(ReadPages(*snapshot, keyspace, range, options) ==
                model.Range(keyspace, range, options.reverse));
    }
  });
}

TEST_P(EngineContract, ConcurrentWritersDoNotChangeThePagesOfASnapshot) {
  // Every commit moves one unit from one row to another, so that every state has the same sum.
  constexpr int kRows = 40;
  WriteBatch start;
  for (int row = 0; row < kRows; ++row) start.PutCounter(kCounters, KeyOf(row), 1'000'000);
  Write(engine(), start);
  std::atomic<int> writers = 2;
  InThreads(4, [&](int thread) {
    if (thread < 2) {
      for (int step = 0; step < Steps(1000); ++step) {
        const int source = (step * 7 + thread) % kRows, target = (step * 3 + 1) % kRows;
        Write(engine(),
              Writes().Add(kCounters, KeyOf(source), -1).Add(kCounters, KeyOf(target), 1));
      }
      --writers;
      return;
    }
    const auto look = [&] {
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      const PageOptions options{.reverse = thread == 3, .row_limit = 7};
      std::int64_t sum = 0;
      for (const auto& [key, value] : ReadPages(*snapshot, kCounters, KeyRange::All(), options)) {
        sum += CounterValue(value);
      }
      EXPECT_EQ(sum, kRows * 1'000'000);
    };
    while (writers > 0) UnlessExpired(engine(), look);
  });
}

}  // namespace
}  // namespace talea
