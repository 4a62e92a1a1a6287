#include "terminal/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>

#include "terminal/numbers.h"
#include "terminal/screen.h"
#include "terminal/text.h"

namespace talea {
namespace {

using std::chrono::duration;
using namespace std::chrono_literals;

constexpr int bar_width = 24;
constexpr auto redraw_interval = 100ms;
constexpr auto line_interval = 10s;

std::string Bar(double share) {
  const auto filled = static_cast<std::size_t>(share * bar_width);
  return fmt::format("[{:.<{}}]", std::string(filled, '#'), bar_width);
}

std::string Rate(std::uint64_t done, duration<double> elapsed, std::string_view unit) {
  const double rate = elapsed > 0s ? static_cast<double>(done) / elapsed.count() : 0;
  return fmt::format("{} {}/s", ShortNumber(rate), unit);
}

}  // namespace

ProgressBarOutput ProgressBarOutput::StandardError() {
  const Screen screen = DetectScreen(STDERR_FILENO);
  return {
      .terminal = screen.terminal,
      .width = screen.width,
      .write = [](std::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); },
      .now = std::chrono::steady_clock::now,
  };
}

ProgressBar::ProgressBar(std::string title, std::string unit, std::uint64_t total,
                         ProgressBarOutput output)
    : title_(std::move(title)),
      unit_(std::move(unit)),
      total_(total),
      output_(std::move(output)),
      start_(output_.now()),
      shown_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_width_ > 0) output_.write("\n");
}

void ProgressBar::Advance(std::uint64_t steps) {
  done_ += steps;
  const ProgressBarOutput::Time now = output_.now();
  if (now - shown_ < (output_.terminal ? duration<double>(redraw_interval) : line_interval)) return;
  shown_ = now;

  const duration<double> elapsed = now - start_;
  const std::string rate = Rate(done_, elapsed, unit_);
  const double done = static_cast<double>(done_);
  if (total_ == 0)
    return Show(fmt::format("{}: {} {}, {}", title_, ShortNumber(done), unit_, rate));

  const double share = std::min(1.0, done / static_cast<double>(total_));
  const std::string left = share > 0 ? ShortDuration(elapsed * ((1 - share) / share)) : "?";
  Show(fmt::format("{}: {}{:.0f} %, {}, {} left", title_, output_.terminal ? Bar(share) + " " : "",
                   std::floor(share * 100), rate, left));
}

void ProgressBar::Finish() {
  const duration<double> elapsed = output_.now() - start_;
  Show(fmt::format("{}: {} {} in {}, {}", title_, ShortNumber(static_cast<double>(done_)), unit_,
                   ShortDuration(elapsed), Rate(done_, elapsed, unit_)));
  if (output_.terminal) output_.write("\n");
  shown_width_ = 0;
}

void ProgressBar::Show(std::string_view line) {
  if (!output_.terminal) return output_.write(fmt::format("{}\n", line));
  // The last column stays free, as some terminals go to the next line with it.
  const std::string shown = CutToWidth(line, output_.width - 1, Screen());
  output_.write("\r" + PadRight(shown, shown_width_));
  shown_width_ = TextWidth(shown);
}

}  // namespace talea
