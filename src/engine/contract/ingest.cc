// Ingest: many sorted rows and a last batch, all at once.
#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkIngestTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

// Rows from a list, and at its end nothing or an error.
class ListedRun final : public SortedRun {
 public:
  explicit ListedRun(RowList rows, std::optional<Error> end = std::nullopt)
      : rows_(std::move(rows)), end_(end) {}

  Result<std::optional<Row>> Next() override {
    if (next_ < rows_.size()) {
      buffer_ = rows_[next_++];  // what the last call gave is overwritten, as its contract allows
      return Row{buffer_.first, buffer_.second};
    }
    if (end_) return std::unexpected(*end_);
    return std::nullopt;
  }
  std::size_t given() const { return next_; }

 private:
  RowList rows_;
  std::optional<Error> end_;
  std::size_t next_ = 0;
  std::pair<std::string, std::string> buffer_;
};

Result<Version> Ingest(Engine& engine, const Keyspace& keyspace, RowList rows,
                       WriteBatch batch = {}, std::optional<Error> end = std::nullopt) {
  ListedRun run(std::move(rows), std::move(end));
  return engine.Ingest({.runs = {{&keyspace, &run}}, .batch = std::move(batch)});
}

#define SKIP_WITHOUT_INGEST() \
  if (!GetParam().ingests) GTEST_SKIP() << "does not ingest"

TEST_P(EngineContract, AnIngestWritesItsRowsAndItsBatchAtOneVersion) {
  SKIP_WITHOUT_INGEST();
  Write(engine(),
        Writes().Put(kScans, "a", "kept").Put(kScans, "c", "overwritten").Add(kCounters, "n", 1));
  const std::unique_ptr<Snapshot> before = Now(engine());
  const Model old = Dump(*before);
  ListedRun scans({{"b", "1"}, {"c", "2"}, {std::string(32, '\xff'), "3"}}),
      points({{"", "4"}, {"b", ""}});
  const WriteBatch batch = Writes().Put(kPoints, "cursor", "5").Add(kCounters, "n", 1);
  const Version version =
      Must(engine().Ingest({.runs = {{&kScans, &scans}, {&kPoints, &points}}, .batch = batch}));

  EXPECT_GT(version, before->version());
  EXPECT_GE(Now(engine())->version(), version);
  Model expected = old;
  expected.Apply(Writes()
                     .Put(kScans, "b", "1")
                     .Put(kScans, "c", "2")
                     .Put(kScans, std::string(32, '\xff'), "3"));
  expected.Apply(Writes()
                     .Put(kPoints, "", "4")
                     .Put(kPoints, "b", "")
                     .Put(kPoints, "cursor", "5")
                     .Add(kCounters, "n", 1));
  EXPECT_EQ(Difference(expected, State(engine())), "");
  EXPECT_EQ(Difference(old, Dump(*before)), "") << "older snapshots keep their state";
  EXPECT_GT(Write(engine(), Writes().Put(kScans, "c", "again")), version);
  EXPECT_EQ(Read(engine(), kScans, "c"), "again");
}

// Tells how many rows another run has given so far.
class CountingRun final : public SortedRun {
 public:
  explicit CountingRun(const ListedRun& other) : other_(other) {}
  Result<std::optional<Row>> Next() override {
    if (std::exchange(read_, true)) return std::nullopt;
    count_ = std::to_string(other_.given());
    return Row{"count", count_};
  }

 private:
  const ListedRun& other_;
  bool read_ = false;
  std::string count_;
};

TEST_P(EngineContract, TheRunsOfAnIngestAreReadOneAfterTheOther) {
  SKIP_WITHOUT_INGEST();
  const std::pair<const Keyspace*, const Keyspace*> orders[] = {{&kPoints, &kScans},
                                                                {&kScans, &kPoints}};
  for (const auto& [first, second] : orders) {
    ListedRun rows({{"a", "1"}, {"b", "2"}, {"c", "3"}});
    CountingRun count(rows);
    Must(engine().Ingest({.runs = {{first, &rows}, {second, &count}}, .batch = {}}));
    EXPECT_EQ(Read(engine(), *second, "count"), "3");
  }
}

TEST_P(EngineContract, TheBatchOfAnIngestIsAppliedAfterItsRows) {
  SKIP_WITHOUT_INGEST();
  const WriteBatch batch = Writes()
                               .Erase(kScans, "a")
                               .Put(kScans, "b", "of the batch")
                               .EraseRange(kScans, Between("d", "f"));
  ASSERT_OK(Ingest(engine(), kScans, {{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}},
                   batch));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()),
            (RowList{{"b", "of the batch"}, {"c", "3"}}));
}

TEST_P(EngineContract, AnIngestPutsCounters) {
  SKIP_WITHOUT_INGEST();
  Write(engine(),
        Writes().Add(kCounters, "a", 100).Add(kCounters, "b", 100).Add(kCounters, "zero", 1));
  ASSERT_OK(Ingest(engine(), kCounters,
                   {{"a", CounterBytes(5)}, {"c", CounterBytes(-7)}, {"zero", CounterBytes(0)}},
                   Writes().Add(kCounters, "a", 1)));
  const RowList expected = {
      {"a", CounterBytes(6)}, {"b", CounterBytes(100)}, {"c", CounterBytes(-7)}};
  EXPECT_EQ(ReadPages(*Now(engine()), kCounters, KeyRange::All()), expected);
  Write(engine(), Writes().Add(kCounters, "c", 7).Add(kCounters, "zero", 2));
  EXPECT_EQ(Read(engine(), kCounters, "c"), std::nullopt);
  EXPECT_EQ(ReadCounter(engine(), kCounters, "zero"), 2);
}

TEST_P(EngineContract, AnIngestOverErasedRangesIsReadInFull) {
  SKIP_WITHOUT_INGEST();
  Write(engine(), Writes().Put(kScans, "b", "old").Put(kScans, "z", "old"));
  Write(engine(), Writes().EraseRange(kScans, KeyRange::All()));
  ASSERT_OK(Ingest(engine(), kScans, {{"a", "1"}, {"b", "2"}}));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{"a", "1"}, {"b", "2"}}));
  Write(engine(), Writes().EraseRange(kScans, KeyRange::Before("b")));
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{"b", "2"}}));
}

TEST_P(EngineContract, AnIngestOfManyRowsIsReadInFull) {
  SKIP_WITHOUT_INGEST();
  RowList rows;
  for (int row = 100'000; row < 100'000 + Steps(20'000); ++row)
    rows.emplace_back(std::to_string(row), "value");
  ASSERT_OK(Ingest(engine(), kScans, rows));
  EXPECT_TRUE(ReadPages(*Now(engine()), kScans, KeyRange::All()) == rows);
}

TEST_P(EngineContract, ARefusedIngestChangesNothing) {
  SKIP_WITHOUT_INGEST();
  Write(engine(), Writes().Put(kScans, "a", "old").Put(kPoints, "cursor", "old"));
  const Model before = State(engine());
  const auto refused = [&](const Keyspace& keyspace, RowList rows, ErrorCode code,
                           WriteBatch batch = {}, std::optional<Error> end = std::nullopt) {
    batch.Put(kPoints, "cursor", "new");
    EXPECT_ERROR(Ingest(engine(), keyspace, rows, batch, end), code);
    EXPECT_EQ(Difference(before, State(engine())), "");
  };
  const RowList fine = {{"a", "1"}, {"b", "2"}};
  refused(kScans, {{"a", "1"}, {"c", "2"}, {"b", "3"}}, ErrorCode::invalid_argument);
  refused(kScans, {{"a", "1"}, {"b", "2"}, {"b", "2"}}, ErrorCode::invalid_argument);
  refused(kCounters, {{"a", CounterBytes(1)}, {"b", "short"}}, ErrorCode::invalid_argument);
  refused(kForeign, fine, ErrorCode::invalid_argument);
  refused(kScans, fine, ErrorCode::invalid_argument, Writes().Add(kScans, "a", 1));
  refused(kScans, fine, ErrorCode::invalid_argument, Writes().Put(kForeign, "a", ""));
  refused(kScans, {{"a", "1"}, {std::string(engine().limits().key_bytes + 1, 'k'), ""}},
          ErrorCode::too_large);
  refused(kScans, fine, ErrorCode::io_error, {}, Error(ErrorCode::io_error, "the run's own"));
}

TEST_P(EngineContract, AnIngestTakesOneRunForAKeyspace) {
  SKIP_WITHOUT_INGEST();
  ListedRun first(RowList{{"a", "1"}}), second(RowList{{"b", "2"}});
  EXPECT_ERROR(engine().Ingest({.runs = {{&kScans, &first}, {&kScans, &second}}, .batch = {}}),
               ErrorCode::invalid_argument);
  EXPECT_EQ(Difference(Model(), State(engine())), "");
}

TEST_P(EngineContract, TheErrorOfARunIsTheErrorOfItsIngest) {
  SKIP_WITHOUT_INGEST();
  const Error own(ErrorCode::corruption, "line 17: expected a comma, found a semicolon");
  const Result<Version> result = Ingest(engine(), kScans, {{"a", "1"}}, {}, own);
  ASSERT_FALSE(result.has_value());
  EXPECT_EQ(result.error().code(), own.code());
  EXPECT_NE(result.error().message().find(own.message()), std::string::npos) << result.error();
}

TEST_P(EngineContract, AnIngestConflictsWithWhoReadItsKeyspaces) {
  SKIP_WITHOUT_INGEST();
  const auto ingest = [&] {
    Must(Ingest(engine(), kScans, {{"b", "1"}, {"d", "2"}}, Writes().Put(kPoints, "cursor", "")));
  };
  const WriteBatch before = Writes().Put(kScans, "d", "old");
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kScans, "b"), ingest));
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kScans, "d"), ingest));
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Range(kScans, Between("c", "e")), ingest));
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Key(kPoints, "cursor"), ingest)) << "its batch";
  EXPECT_TRUE(Conflicts(engine(), before, Reads().Range(kPoints, KeyRange::All()), ingest))
      << "its batch";
  EXPECT_FALSE(Conflicts(engine(), before, Reads().Key(kCounters, "b"), ingest))
      << "another keyspace";
  EXPECT_FALSE(Conflicts(engine(), before, ReadSet(), ingest)) << "who read nothing";
}

// Gives two rows, and lets others look in between.
class WatchedRun final : public SortedRun {
 public:
  Result<std::optional<Row>> Next() override {
    ++calls_;
    if (calls_ == 1) return Row{"a", "1"};
    if (calls_ > 2) return std::nullopt;
    half_way.set_value();
    looked.get_future().wait_for(std::chrono::milliseconds(200));
    over = true;
    return Row{"b", "2"};
  }

  std::promise<void> half_way, looked;
  std::atomic<bool> over = false;

 private:
  int calls_ = 0;
};

TEST_P(EngineContract, ConcurrentReadersSeeNothingOfAnIngestThatIsHalfWay) {
  SKIP_WITHOUT_INGEST();
  WatchedRun run;
  InThreads(2, [&](int thread) {
    if (thread == 0) {
      const WriteBatch batch = Writes().Put(kPoints, "cursor", "");
      Must(engine().Ingest({.runs = {{&kScans, &run}}, .batch = batch}));
      return;
    }
    run.half_way.get_future().wait();
    const Model seen = State(engine());
    EXPECT_TRUE(run.over || seen == Model());
    run.looked.set_value();
  });
  EXPECT_EQ(ReadPages(*Now(engine()), kScans, KeyRange::All()), (RowList{{"a", "1"}, {"b", "2"}}));
}

TEST_P(EngineContract, ConcurrentReadersSeeAllOfAnIngestOrNothing) {
  SKIP_WITHOUT_INGEST();
  constexpr int kRows = 50;
  const auto rows_of = [](int round) {
    RowList rows;
    for (int row = 100; row < 100 + kRows; ++row)
      rows.emplace_back(std::to_string(row), std::to_string(round));
    return rows;
  };
  Must(Ingest(engine(), kScans, rows_of(0), Writes().Put(kPoints, "round", "0")));
  std::atomic<bool> ingesting = true;
  InThreads(3, [&](int thread) {
    if (thread == 0) {
      const TimeLimit limit;
      for (int round = 1; round <= Steps(100) && !limit.over(); ++round) {
        Must(Ingest(engine(), kScans, rows_of(round),
                    Writes().Put(kPoints, "round", std::to_string(round))));
      }
      ingesting = false;
      return;
    }
    const auto look = [&] {
      if (thread == 1) Write(engine(), Writes().Add(kCounters, "n", 1));
      const std::unique_ptr<Snapshot> snapshot = Now(engine());
      const std::string round = Must(snapshot->Get(kPoints, "round")).value();
      for (const auto& [key, value] : ReadPages(*snapshot, kScans, KeyRange::All()))
        EXPECT_EQ(value, round);
    };
    while (ingesting) UnlessExpired(engine(), look);
  });
}

}  // namespace
}  // namespace talea
