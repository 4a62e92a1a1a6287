#include "bench/harness.h"

#include <gtest/gtest.h>

#include <deque>
#include <sstream>

namespace talea::bench {
namespace {

using namespace std::chrono_literals;

class HarnessTest : public testing::Test {
 protected:
  Settings WithFakeClock() {
    return {.out = &out_,
            .progress = {.write = [this](std::string_view text) { errors_ += text; },
                         .now = [this] { return now_; }}};
  }

  // A side whose runs take these times, one after the other.
  Side Takes(std::deque<std::chrono::milliseconds> times, std::uint64_t count = 1) {
    return [this, times, count](Round& round) mutable {
      round.Time([&] { now_ += times.front(); }, count);
      times.pop_front();
      round.Answer(42);
    };
  }

  static Side Measures(double value) {
    return [value](Round& round) { round.Value(value), round.Answer("same"); };
  }

  std::string LastLine() const {
    const std::string text = out_.str();
    return text.substr(text.rfind('\n', text.size() - 2) + 1);
  }

  std::chrono::steady_clock::time_point now_{};
  std::ostringstream out_;
  std::string errors_;
};

TEST_F(HarnessTest, ReportsMediansAsOneLineOfJson) {
  Bench bench("demo", WithFakeClock());
  bench.Case("put", {.unit = "rows/s", .better = Better::higher, .size = "10 rows"},
             Takes({20ms, 10ms, 5ms, 10ms, 1s}, 10), Takes({20ms, 20ms, 20ms, 20ms, 20ms}, 10));
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_EQ(LastLine(),
            R"({"bench": "demo", "results": [{"case": "put", "ours": 1000, "baseline": 500, )"
            R"("unit": "rows/s", "ratio": 2}]})"
            "\n");
}

TEST_F(HarnessTest, PrintsATableWithSpreadAndSizes) {
  Bench bench("demo", WithFakeClock());
  bench.Case("put", {.unit = "ms", .better = Better::lower, .size = "batch 1,000"},
             Takes({10ms, 10ms, 20ms, 40ms, 5ms}), Takes({20ms, 20ms, 20ms, 20ms, 20ms}));
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_EQ(out_.str().substr(0, out_.str().find('{')),
            "case  ours  baseline  unit  ratio      spread  size\n"
            "put     10        20    ms   2.00  0.50..4.00  batch 1,000\n");
}

TEST_F(HarnessTest, ShowsBarsAndWhichOfThemWereMissed) {
  Bench bench("demo", WithFakeClock());
  const auto options = [](std::optional<double> bar) {
    return CaseOptions{.unit = "x", .better = Better::higher, .size = "", .bar = bar};
  };
  bench.Case("met", options(0.5), Measures(1), Measures(2));
  bench.Case("missed", options(0.75), Measures(1), Measures(2));
  bench.Case("without", options({}), Measures(1), Measures(2));
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_EQ(out_.str().substr(0, out_.str().find('{')),
            "case     ours  baseline  unit  ratio      spread          bar  size\n"
            "met         1         2     x   0.50  0.50..0.50          0.5  \n"
            "missed      1         2     x   0.50  0.50..0.50  missed 0.75  \n"
            "without     1         2     x   0.50  0.50..0.50               \n");
  EXPECT_NE(LastLine().find(R"("ratio": 0.5, "bar": 0.75})"), std::string::npos) << LastLine();
}

// Rounds 1 and 3 fall into a slow phase of the machine. The medians, 20 and 30, would make it 1.5.
TEST_F(HarnessTest, TakesTheMedianOfTheRoundsRatios) {
  Bench bench("demo", WithFakeClock());
  bench.Case("get", {.unit = "ms", .better = Better::lower, .size = ""},
             Takes({100ms, 10ms, 100ms, 10ms, 20ms}), Takes({200ms, 20ms, 200ms, 20ms, 30ms}));
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_NE(LastLine().find(R"("ours": 20, "baseline": 30, "unit": "ms", "ratio": 2})"),
            std::string::npos)
      << LastLine();
}

TEST_F(HarnessTest, RunsBothSidesInTurnsAndLetsEachGoFirst) {
  Bench bench("demo", WithFakeClock());
  std::string order;
  const auto note = [&](char who) {
    return [&order, who](Round& round) { order += who, round.Value(1), round.Answer(0); };
  };
  bench.Case("get", {.unit = "bytes", .better = Better::lower, .size = ""}, note('o'), note('b'));
  EXPECT_EQ(order, "obboobboob");
}

TEST_F(HarnessTest, TimesOnlyTheWorkAndAddsItsPartsUp) {
  Round::Now now = [this] { return now_; };
  Round round(now);
  now_ += 1h;
  round.Time([&] { now_ += 3ms; }, 100);
  now_ += 1h;
  round.Time([&] { now_ += 1ms; }, 100);
  EXPECT_DOUBLE_EQ(*round.Measured("us"), 20);
  EXPECT_DOUBLE_EQ(*round.Measured("rows/s"), 50'000);
  EXPECT_FALSE(round.Measured("bytes"));
}

TEST_F(HarnessTest, StopsAtACaseWhoseAnswersDiffer) {
  Bench bench("demo", WithFakeClock());
  bool later_case_ran = false;
  bench.Case(
      "count", {.unit = "bytes", .better = Better::lower, .size = ""},
      [](Round& round) { round.Value(1), round.Answer(7); },
      [](Round& round) { round.Value(1), round.Answer(8); });
  bench.Case(
      "later", {.unit = "bytes", .better = Better::lower, .size = ""},
      [&](Round&) { later_case_ran = true; }, Measures(1));
  EXPECT_EQ(bench.Finish(), 1);
  EXPECT_EQ(errors_,
            "bench demo: count: the answers differ: ours is \"7\", the baseline's \"8\"\n");
  EXPECT_FALSE(later_case_ran);
  EXPECT_EQ(out_.str(), "");
}

TEST_F(HarnessTest, RefusesASideWithoutAnAnswer) {
  Bench bench("demo", WithFakeClock());
  bench.Case(
      "count", {.unit = "bytes", .better = Better::lower, .size = ""},
      [](Round& round) { round.Value(1); }, Measures(1));
  EXPECT_EQ(bench.Finish(), 1);
  EXPECT_EQ(errors_, "bench demo: count: ours gave no answer to be checked\n");
}

TEST_F(HarnessTest, RefusesATimeInAUnitThatHasNone) {
  Bench bench("demo", WithFakeClock());
  bench.Case("count", {.unit = "bytes", .better = Better::lower, .size = ""}, Takes({1ms}),
             Measures(1));
  EXPECT_EQ(bench.Finish(), 1);
  EXPECT_EQ(errors_, "bench demo: count: ours measured nothing in the unit \"bytes\"\n");
}

TEST_F(HarnessTest, RefusesAZeroThatHasNoRatio) {
  Bench bench("demo", WithFakeClock());
  bench.Case("error", {.unit = "share", .better = Better::lower, .size = ""}, Measures(0),
             Measures(1));
  EXPECT_EQ(bench.Finish(), 1);
  EXPECT_EQ(errors_, "bench demo: error: ours measured 0, which has no ratio to anything\n");
}

TEST_F(HarnessTest, ComparesAnErrorWithABar) {
  Bench bench("demo", WithFakeClock());
  int runs = 0;
  bench.Case(
      "accuracy",
      {.unit = "share", .better = Better::lower, .size = "", .least = 1e-6, .rounds = 1},
      [&](Round& round) { ++runs, round.Value(0); }, 0.01);
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_EQ(runs, 1);
  EXPECT_NE(LastLine().find(R"("ours": 1e-06, "baseline": 0.01, "unit": "share", "ratio": 1e+04})"),
            std::string::npos)
      << LastLine();
}

TEST_F(HarnessTest, RunsOnlyTheCasesThatAreAskedFor) {
  Settings settings = WithFakeClock();
  settings.only = "get";
  Bench bench("demo", std::move(settings));
  for (const std::string name : {"put/1k/1", "get/1", "multi-get/1"}) {
    bench.Case(name, {.unit = "bytes", .better = Better::lower, .size = ""}, Measures(1),
               Measures(1));
  }
  ASSERT_EQ(bench.Finish(), 0);
  EXPECT_EQ(out_.str().find("put/1k/1"), std::string::npos);
  EXPECT_NE(out_.str().find("\nget/1"), std::string::npos);
  EXPECT_NE(out_.str().find("\nmulti-get/1"), std::string::npos);
}

TEST_F(HarnessTest, FailsIfNoCaseIsAskedFor) {
  Settings settings = WithFakeClock();
  settings.only = "nothing";
  Bench bench("demo", std::move(settings));
  bench.Case("get", {.unit = "bytes", .better = Better::lower, .size = ""}, Measures(1),
             Measures(1));
  EXPECT_EQ(bench.Finish(), 1);
  EXPECT_EQ(errors_, "bench demo: no case has \"nothing\" in its name\n");
}

}  // namespace
}  // namespace talea::bench
