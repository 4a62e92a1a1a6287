// Counters: sums that wrap, and that are absent when they are 0.
#include <algorithm>
#include <limits>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkCounterTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

constexpr std::int64_t kLowest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t kHighest = std::numeric_limits<std::int64_t>::max();

// The counter is not there, whichever way one looks.
void ExpectAbsent(Engine& engine, const Keyspace& keyspace, const std::string& key) {
  const std::unique_ptr<Snapshot> snapshot = Now(engine);
  EXPECT_EQ(Must(snapshot->Get(keyspace, key)), std::nullopt);
  EXPECT_EQ(Must(snapshot->GetCounter(keyspace, key)), 0);
  const std::vector<KeyReference> keys = {{keyspace, key}};
  EXPECT_EQ(Must(snapshot->MultiGet(keys)).at(0), std::nullopt);
  for (const bool reverse : {false, true}) {
    for (const auto& [found, value] :
         ReadPages(*snapshot, keyspace, KeyRange::All(), {.reverse = reverse})) {
      EXPECT_NE(found, key);
    }
  }
}

TEST_P(EngineContract, AddsAccumulate) {
  Write(engine(), Writes().Add(kCounters, "n", 5));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 5);
  Write(engine(), Writes().Add(kCounters, "n", 7).Add(kCounters, "n", -2).Add(kCounters, "m", 1));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 10);
  Write(engine(), Writes().Add(kCounters, "n", -30));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), -20);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "m"), 1);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "absent"), 0);
}

TEST_P(EngineContract, ACounterIsStoredAsEightBytesLittleEndian) {
  Write(engine(),
        Writes().Add(kCounters, "positive", 0x0102030405060708).Add(kCounters, "negative", -2));
  EXPECT_EQ(Read(engine(), kCounters, "positive"), "\x08\x07\x06\x05\x04\x03\x02\x01");
  EXPECT_EQ(Read(engine(), kCounters, "negative"), "\xfe\xff\xff\xff\xff\xff\xff\xff");
  Write(engine(), Writes().Put(kCounters, "put", ByteView("\x01\x00\x00\x00\x00\x00\x00\x00", 8)));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "put"), 1);
}

TEST_P(EngineContract, SumsWrapAround) {
  Write(engine(), Writes().Add(kCounters, "up", kHighest).Add(kCounters, "down", kLowest));
  Write(engine(), Writes().Add(kCounters, "up", 1).Add(kCounters, "down", -1));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "up"), kLowest);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "down"), kHighest);
  Write(engine(), Writes().Add(kCounters, "up", kHighest).Add(kCounters, "up", 1));
  ExpectAbsent(engine(), kCounters, "up");
  Write(engine(), Writes().Add(kSums, "once", kHighest).Add(kSums, "once", kHighest));
  EXPECT_EQ(ReadCounter(engine(), kSums, "once"), -2);
}

TEST_P(EngineContract, ACounterOfZeroIsAbsentToEveryRead) {
  Write(engine(), Writes().Add(kCounters, "a", 1).Add(kCounters, "n", 5).Add(kCounters, "z", 1));
  Write(engine(), Writes().Add(kCounters, "n", -5));
  ExpectAbsent(engine(), kCounters, "n");
  Write(engine(), Writes().Add(kCounters, "of one batch", 3).Add(kCounters, "of one batch", -3));
  ExpectAbsent(engine(), kCounters, "of one batch");
  Write(engine(), Writes().PutCounter(kCounters, "put", 0));
  ExpectAbsent(engine(), kCounters, "put");
  Write(engine(), Writes().PutCounter(kCounters, "put over", 4));
  Write(engine(), Writes().PutCounter(kCounters, "put over", 0));
  ExpectAbsent(engine(), kCounters, "put over");
  Write(engine(), Writes().Add(kCounters, "nothing added", 0));
  ExpectAbsent(engine(), kCounters, "nothing added");
  const RowList rows = ReadPages(*Now(engine()), kCounters, KeyRange::All(), {.row_limit = 1});
  EXPECT_EQ(rows, (RowList{{"a", CounterBytes(1)}, {"z", CounterBytes(1)}}));
}

TEST_P(EngineContract, ZeroesBetweenRowsDoNotCutPagesShortOfTheEnd) {
  WriteBatch up, down;
  for (int row = 100; row < 400; ++row) {
    up.Add(kCounters, std::to_string(row), 1);
    if (row % 100 != 99) down.Add(kCounters, std::to_string(row), -1);
  }
  Write(engine(), up);
  Write(engine(), down);
  const std::unique_ptr<Snapshot> snapshot = Now(engine());
  for (const bool reverse : {false, true}) {
    RowList expected = {
        {"199", CounterBytes(1)}, {"299", CounterBytes(1)}, {"399", CounterBytes(1)}};
    if (reverse) std::ranges::reverse(expected);
    for (const std::size_t row_limit : {1, 2, 3, 100}) {
      const PageOptions options{.reverse = reverse, .row_limit = row_limit};
      EXPECT_EQ(ReadPages(*snapshot, kCounters, KeyRange::All(), options), expected);
    }
  }
}

TEST_P(EngineContract, ACounterThatReturnsFromZeroStartsThere) {
  Write(engine(), Writes().Add(kCounters, "n", 5));
  Write(engine(), Writes().Add(kCounters, "n", -5));
  Write(engine(), Writes().Add(kCounters, "n", 2));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 2);
}

TEST_P(EngineContract, AddsGoOnFromAPutAndStartAnewAfterAnErasure) {
  Write(engine(), Writes().PutCounter(kCounters, "n", 100));
  Write(engine(), Writes().Add(kCounters, "n", 5));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 105);
  Write(engine(), Writes().Erase(kCounters, "n"));
  Write(engine(), Writes().Add(kCounters, "n", 3));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 3);
  Write(engine(), Writes().EraseRange(kCounters, KeyRange::Prefix("n")));
  ExpectAbsent(engine(), kCounters, "n");
  Write(engine(), Writes().Add(kCounters, "n", 4));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), 4);
  Write(engine(), Writes().PutCounter(kCounters, "n", -1));
  EXPECT_EQ(ReadCounter(engine(), kCounters, "n"), -1);
}

TEST_P(EngineContract, ThousandsOfAddsToOneCounterAreAllCounted) {
  std::int64_t expected = 0;
  for (int step = 1; step <= Steps(2000); ++step) {
    Write(engine(), Writes().Add(kCounters, "hot", step));
    expected += step;
  }
  EXPECT_EQ(ReadCounter(engine(), kCounters, "hot"), expected);
}

TEST_P(EngineContract, ConcurrentAddsSumUp) {
  constexpr int kThreads = 4;
  InThreads(kThreads, [&](int thread) {
    for (int step = 0; step < Steps(500); ++step) {
      Write(engine(), Writes()
                          .Add(kCounters, "hot", 1)
                          .Add(kCounters, "thread " + std::to_string(thread), 2)
                          .Add(kSums, "hot", step % 2 == 0 ? 10 : -10));
    }
  });
  EXPECT_EQ(ReadCounter(engine(), kCounters, "hot"), kThreads * Steps(500));
  for (int thread = 0; thread < kThreads; ++thread) {
    EXPECT_EQ(ReadCounter(engine(), kCounters, "thread " + std::to_string(thread)), 2 * Steps(500));
  }
  EXPECT_EQ(ReadCounter(engine(), kSums, "hot"), Steps(500) % 2 == 0 ? 0 : 10 * kThreads);
}

}  // namespace
}  // namespace talea
