// Checkpoints: one state, in a folder, taken while others write.
#include <atomic>
#include <fstream>

#include "engine/contract/fixture.h"

namespace talea::contract {
void LinkCheckpointTests() {}
}  // namespace talea::contract

namespace talea {
namespace {

using namespace contract;  // NOLINT: this file is part of it

#define SKIP_WITHOUT_CHECKPOINTS() \
  if (!GetParam().open_checkpoint) GTEST_SKIP() << "makes no checkpoints"

TEST_P(EngineContract, ACheckpointOpensToTheStateItWasTakenOf) {
  SKIP_WITHOUT_CHECKPOINTS();
  for (int step = 0; step < 300; ++step) {
    const std::string key = std::to_string(step * 7 % 100);
    Write(engine(), Writes()
                        .Put(kPoints, key, std::string(step % 50, '\xfe'))
                        .Put(kScans, "", key)
                        .Add(kCounters, key, step - 100));
  }
  Write(engine(), Writes()
                      .Add(kSums, "zero", 1)
                      .Put(kScans, std::string(32, '\xff'), "")
                      .EraseRange(kPoints, Between("2", "4")));
  Write(engine(), Writes().Add(kSums, "zero", -1));
  const Model before = State(engine());
  const Version version = Now(engine())->version();

  ASSERT_OK(engine().Checkpoint(Unused("checkpoint")));
  Write(engine(), Writes().Put(kPoints, "later", ""));
  const std::unique_ptr<Engine> copy = OpenCheckpoint(Unused("checkpoint"));
  EXPECT_EQ(Difference(before, State(*copy)), "");
  EXPECT_GT(Write(*copy, Writes().Put(kPoints, "of the copy", "")), version) << "versions go on";
  EXPECT_EQ(Read(*copy, kPoints, "later"), std::nullopt);
  EXPECT_EQ(Read(engine(), kPoints, "of the copy"), std::nullopt);
}

TEST_P(EngineContract, ACheckpointOfNothingOpensToNothing) {
  SKIP_WITHOUT_CHECKPOINTS();
  ASSERT_OK(engine().Checkpoint(Unused("checkpoint")));
  EXPECT_EQ(Difference(Model(), State(*OpenCheckpoint(Unused("checkpoint")))), "");
}

TEST_P(EngineContract, ACheckpointInAFolderThatExistsIsRefusedAndTouchesNothing) {
  SKIP_WITHOUT_CHECKPOINTS();
  const std::filesystem::path folder = Unused("checkpoint");
  std::filesystem::create_directory(folder);
  std::ofstream(folder / "precious") << "bytes";
  EXPECT_ERROR(engine().Checkpoint(folder), ErrorCode::already_exists);
  std::string bytes;
  std::ifstream(folder / "precious") >> bytes;
  EXPECT_EQ(bytes, "bytes");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST_P(EngineContract, ConcurrentWritersLeaveACheckpointOfOneState) {
  SKIP_WITHOUT_CHECKPOINTS();
  std::atomic<std::int64_t> acknowledged = 0;
  std::atomic<bool> stop = false;
  InThreads(3, [&](int thread) {
    if (thread > 0) {
      for (int step = 0; !stop; ++step) {
        const std::string key = std::to_string(thread) + "/" + std::to_string(step);
        Write(engine(), Writes().Add(kCounters, "n", 1).Add(kSums, "n", 1).Put(kScans, key, ""));
        ++acknowledged;
      }
      return;
    }
    const TimeLimit limit;
    for (int round = 0; round < Steps(10) && !limit.over(); ++round) {
      const std::int64_t before = acknowledged;
      const std::filesystem::path folder = Unused("checkpoint " + std::to_string(round));
      const Status taken = engine().Checkpoint(folder);
      EXPECT_OK(taken);
      if (!taken) break;
      const std::unique_ptr<Engine> copy = OpenCheckpoint(folder);
      const std::int64_t counted = ReadCounter(*copy, kCounters, "n");
      EXPECT_EQ(ReadCounter(*copy, kSums, "n"), counted);
      EXPECT_GE(counted, before) << "what was acknowledged before is in it";
    }
    stop = true;
  });
}

}  // namespace
}  // namespace talea
