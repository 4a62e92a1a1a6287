// Statistics: numbers that follow what happens.
#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkStatisticsTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

TEST_P(EngineContract, StatisticsCountCommitsThatWroteSomething) {
  const Statistics before = Must(engine().GetStatistics());
  for (int step = 0; step < 5; ++step) Write(engine(), Writes().Put(kPoints, "key", ""));
  EXPECT_EQ(Must(engine().GetStatistics()).commits, before.commits + 5);
  Must(engine().Commit({}));
  EXPECT_EQ(Must(engine().GetStatistics()).commits, before.commits + 5) << "an empty batch is none";
}

TEST_P(EngineContract, StatisticsCountConflicts) {
  Write(engine(), Writes().Put(kPoints, "key", "value"));
  const Statistics before = Must(engine().GetStatistics());
  EXPECT_TRUE(Conflicts(engine(), WriteBatch(), Reads().Key(kPoints, "key"),
                        Writes().Put(kPoints, "key", "")));
  const Statistics after_read = Must(engine().GetStatistics());
  EXPECT_GT(after_read.conflicts, before.conflicts);
  CommitRequest request = Blind(Writes().Put(kPoints, "another", ""));
  request.expected.push_back({&kPoints, "key", "value"});
  EXPECT_ERROR(engine().Commit(std::move(request)), ErrorCode::conflict);
  EXPECT_GT(Must(engine().GetStatistics()).conflicts, after_read.conflicts);
}

TEST_P(EngineContract, StatisticsTellTheVersionThatSnapshotsSee) {
  const Version version = Write(engine(), Writes().Put(kPoints, "key", ""));
  const Version told = Must(engine().GetStatistics()).version;
  EXPECT_GE(told, version);
  EXPECT_LE(told, Now(engine())->version());
}

TEST_P(EngineContract, StatisticsCountOpenSnapshots) {
  const std::uint64_t before = Must(engine().GetStatistics()).open_snapshots;
  std::unique_ptr<Snapshot> first = Now(engine()), second = Now(engine());
  EXPECT_EQ(Must(engine().GetStatistics()).open_snapshots, before + 2);
  first.reset();
  EXPECT_EQ(Must(engine().GetStatistics()).open_snapshots, before + 1);
  second.reset();
  {
    Transaction transaction(engine());
    Must(transaction.Get(kPoints, "key"));
    EXPECT_EQ(Must(engine().GetStatistics()).open_snapshots, before + 1);
  }
  EXPECT_EQ(Must(engine().GetStatistics()).open_snapshots, before);
}

TEST_P(EngineContract, MetricsAreNamedForPrometheusAndExplained) {
  for (const Metric& metric : Must(engine().GetStatistics()).metrics) {
    EXPECT_TRUE(metric.name.starts_with("talea_")) << metric.name;
    EXPECT_EQ(metric.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_"),
              std::string::npos)
        << metric.name;
    EXPECT_FALSE(metric.help.empty()) << metric.name;
  }
}

}  // namespace
}  // namespace talea
