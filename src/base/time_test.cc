#include "talea/time.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace talea {
namespace {

using namespace std::chrono_literals;

TEST(SystemClock, TellsTheTimeSince1970InMicroseconds) {
  const auto before = std::chrono::system_clock::now();
  const Timestamp now = SystemClock().Now();
  EXPECT_GE(now, before - 1s);
  EXPECT_LE(now, std::chrono::system_clock::now() + 1s);
  EXPECT_GT(now, Timestamp(std::chrono::sys_days(std::chrono::year(2024) / 1 / 1)));
}

TEST(ManualClock, StandsStillUntilItIsMoved) {
  const Timestamp start(1s);
  ManualClock clock(start);
  EXPECT_EQ(clock.Now(), start);
  EXPECT_EQ(clock.Now(), start);
}

TEST(ManualClock, MovesEitherWay) {
  ManualClock clock;
  EXPECT_EQ(clock.Now(), Timestamp{});
  clock.Advance(5us);
  clock.Advance(-7us);
  EXPECT_EQ(clock.Now().time_since_epoch(), -2us);
  clock.Set(Timestamp(3h));
  EXPECT_EQ(clock.Now(), Timestamp(3h));
}

TEST(ManualClock, LosesNoStepOfAnyThread) {
  ManualClock clock;
  std::vector<std::jthread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      for (int step = 0; step < 1000; ++step) clock.Advance(1us);
    });
  }
  threads.clear();
  EXPECT_EQ(clock.Now().time_since_epoch(), 3000us);
}

}  // namespace
}  // namespace talea
