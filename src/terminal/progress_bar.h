// Tells a person how far a long operation has come.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace talea {

// Where progress is shown, and by which clock. Tests bring their own.
struct ProgressBarOutput {
  using Time = std::chrono::steady_clock::time_point;

  bool terminal = false;
  std::size_t width = 80;  // of the terminal: a line that wraps could not be drawn over
  std::function<void(std::string_view)> write;
  std::function<Time()> now;

  // Standard error; a terminal if it is one.
  static ProgressBarOutput StandardError();
};

// Progress of one operation: on a terminal a bar that redraws itself, elsewhere a plain line now
// and then. Both tell the rate and the time that is left. To be used by one thread.
class ProgressBar {
 public:
  // A total of 0 stands for an unknown one: there is no bar then, and no time left.
  ProgressBar(std::string title, std::string unit, std::uint64_t total,
              ProgressBarOutput output = ProgressBarOutput::StandardError());
  ~ProgressBar();
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Writes only if the last line is old enough, but reads the clock each time: not for every single
  // row.
  void Advance(std::uint64_t steps);

  // Writes how much was done, and how fast. Without it the operation ends silently, as after an
  // error.
  void Finish();

 private:
  void Show(std::string_view line);

  const std::string title_;
  const std::string unit_;
  const std::uint64_t total_;
  const ProgressBarOutput output_;
  const ProgressBarOutput::Time start_;
  ProgressBarOutput::Time shown_;
  std::uint64_t done_ = 0;
  std::size_t shown_width_ = 0;  // of the line that the next one has to cover
};

}  // namespace talea
