#include "engine/call_gate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <optional>
#include <thread>
#include <vector>

#include "talea/testing/result_matchers.h"

namespace talea {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

TEST(CallGate, LetsCallsInUntilItIsClosed) {
  CallGate gate;
  EXPECT_OK(gate.Enter());
  EXPECT_FALSE(gate.refusing());
  EXPECT_OK(gate.Close(0ms));
  EXPECT_TRUE(gate.refusing());
  EXPECT_ERROR(gate.Enter(), ErrorCode::closed);
}

TEST(CallGate, TellsTheFirstReasonForRefusing) {
  CallGate gate;
  gate.Refuse("a write failed");
  gate.Refuse("another reason");
  ASSERT_OK(gate.Close(0ms));
  const Result<CallGate::Pass> pass = gate.Enter();
  ASSERT_ERROR(pass, ErrorCode::closed);
  EXPECT_EQ(pass.error().message(), "a write failed");
}

TEST(CallGate, LetsOutWhoIsInsideWhenItRefuses) {
  CallGate gate;
  {
    const Result<CallGate::Pass> inside = gate.Enter();
    gate.Refuse("a write failed");
    EXPECT_ERROR(gate.Enter(), ErrorCode::closed);
  }
  EXPECT_OK(gate.Close(0ms));
}

TEST(CallGate, TellsHowManyWereInsideForTooLong) {
  CallGate gate;
  std::optional<CallGate::Pass> first(ASSERT_VALUE(gate.Enter()));
  std::optional<CallGate::Pass> second(ASSERT_VALUE(gate.Enter()));
  const Status closed = gate.Close(5ms);
  ASSERT_ERROR(closed, ErrorCode::timed_out);
  EXPECT_THAT(closed.error().message(), testing::AllOf(HasSubstr("5 ms"), HasSubstr("2 still")));
  first.reset();
  EXPECT_ERROR(gate.Close(0ms), ErrorCode::timed_out);
  second.reset();
  EXPECT_OK(gate.Close(0ms));
  EXPECT_OK(gate.Close(0ms));  // once closed it stays so
}

TEST(CallGate, CountsAPassThatMovesOnce) {
  CallGate gate;
  {
    CallGate::Pass pass = ASSERT_VALUE(gate.Enter());
    const CallGate::Pass moved(std::move(pass));
    EXPECT_ERROR(gate.Close(0ms), ErrorCode::timed_out);
  }
  EXPECT_OK(gate.Close(0ms));
}

// What a call did is visible to whoever has closed the gate, with no other synchronisation.
TEST(CallGate, ClosesOnlyOnceEveryCallHasLeft) {
  for (int round = 0; round < 20; ++round) {
    CallGate gate;
    std::atomic<int> started = 0;
    std::vector<int> work(3, 0);
    std::atomic<int> refused = 0;
    std::vector<std::jthread> threads;
    for (int& done : work) {
      threads.emplace_back([&] {
        ++started;
        while (true) {
          const Result<CallGate::Pass> pass = gate.Enter();
          if (!pass) break;
          ++done;
        }
        ++refused;
      });
    }
    while (started < 3) std::this_thread::yield();
    EXPECT_OK(gate.Close(10s));
    const std::vector<int> at_close = work;
    threads.clear();
    EXPECT_EQ(work, at_close);
    EXPECT_EQ(refused, 3);
  }
}

TEST(CallGate, WaitsForTheLastCall) {
  CallGate gate;
  bool done = false;
  std::atomic<bool> inside = false;
  std::jthread call([&] {
    const Result<CallGate::Pass> pass = gate.Enter();
    inside = true;
    std::this_thread::sleep_for(20ms);
    done = true;
  });
  while (!inside) std::this_thread::yield();
  ASSERT_OK(gate.Close(10s));
  EXPECT_TRUE(done);
}

}  // namespace
}  // namespace talea
