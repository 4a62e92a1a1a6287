#include "terminal/progress_bar.h"

#include <gtest/gtest.h>

namespace talea {
namespace {

using namespace std::chrono_literals;

class ProgressBarTest : public testing::Test {
 protected:
  ProgressBarOutput Output(bool terminal) {
    return {.terminal = terminal,
            .write = [this](std::string_view text) { written_ += text; },
            .now = [this] { return now_; }};
  }

  ProgressBarOutput::Time now_{};
  std::string written_;
};

TEST_F(ProgressBarTest, DrawsABarWithRateAndTimeLeftOnATerminal) {
  ProgressBar progress("import", "rows", 4000, Output(true));
  now_ += 2s;
  progress.Advance(1000);
  EXPECT_EQ(written_, "\rimport: [######..................] 25 %, 500 rows/s, 0:06 left");
}

TEST_F(ProgressBarTest, RedrawsAtMostTenTimesInASecond) {
  ProgressBar progress("import", "rows", 4000, Output(true));
  now_ += 99ms;
  progress.Advance(1);
  EXPECT_EQ(written_, "");
  now_ += 1ms;
  progress.Advance(1);
  EXPECT_NE(written_, "");
}

TEST_F(ProgressBarTest, CoversALongerLineWithAShorterOne) {
  ProgressBar progress("x", "rows", 0, Output(true));
  now_ += 1s;
  progress.Advance(1'230'000);  // "x: 1.23 M rows, 1.23 M rows/s"
  written_.clear();
  now_ += 1'229'999s;
  progress.Advance(770'000);
  EXPECT_EQ(written_, "\rx: 2 M rows, 1.63 rows/s     ");
}

TEST_F(ProgressBarTest, StaysOnOneLineOfANarrowTerminal) {
  ProgressBarOutput narrow = Output(true);
  narrow.width = 20;
  ProgressBar progress("import", "rows", 4000, narrow);
  now_ += 2s;
  progress.Advance(1000);
  EXPECT_EQ(written_, "\rimport: [######...~");
}

TEST_F(ProgressBarTest, WritesAPlainLineEveryTenSecondsElsewhere) {
  ProgressBar progress("import", "rows", 4000, Output(false));
  now_ += 9s;
  progress.Advance(1000);
  EXPECT_EQ(written_, "");
  now_ += 1s;
  progress.Advance(1000);
  EXPECT_EQ(written_, "import: 50 %, 200 rows/s, 0:10 left\n");
}

TEST_F(ProgressBarTest, TellsNoShareOfAnUnknownTotal) {
  ProgressBar progress("scan", "rows", 0, Output(false));
  now_ += 10s;
  progress.Advance(5'000'000);
  EXPECT_EQ(written_, "scan: 5 M rows, 500 k rows/s\n");
}

TEST_F(ProgressBarTest, StaysAtAHundredPercentWhenMoreIsDoneThanExpected) {
  ProgressBar progress("import", "rows", 10, Output(false));
  now_ += 10s;
  progress.Advance(20);
  EXPECT_EQ(written_, "import: 100 %, 2 rows/s, 0:00 left\n");
}

TEST_F(ProgressBarTest, SurvivesAnOperationThatTakesNoTime) {
  ProgressBar progress("import", "rows", 0, Output(false));
  progress.Advance(3);
  progress.Finish();
  EXPECT_EQ(written_, "import: 3 rows in 0:00, 0 rows/s\n");
}

TEST_F(ProgressBarTest, LeavesTheTerminalsLineWhenAbandoned) {
  {
    ProgressBar progress("import", "rows", 10, Output(true));
    now_ += 1s;
    progress.Advance(5);
  }
  EXPECT_TRUE(written_.ends_with(" left\n"));
}

}  // namespace
}  // namespace talea
