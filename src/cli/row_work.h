// Long work of a layer's store, shown as it goes on, and stopped by Ctrl-C.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>

#include "cli/command.h"
#include "cli/row_progress.h"
#include "talea/row_progress.h"

namespace talea::cli {

class RowWork {
 public:
  RowWork(std::string title, const Context& context, std::string unit)
      : bar_(std::move(title), context, std::move(unit)) {}

  // To be told of the work.
  RowProgress Progress() {
    return [this](std::uint64_t done, std::uint64_t total) {
      last_ = std::max(last_, done);  // work that is tried again may fall back
      stopped_ = !bar_.Report(last_, total == 0 ? expected_ : total);
      return !stopped_;
    };
  }

  // How much there is to do, where the work itself cannot tell.
  void Expect(std::uint64_t total) { expected_ = total; }

  // The reports from now on are about work of this title.
  void Next(const std::string& title) {
    bar_.Next(title);
    last_ = 0;
  }

  // Whether the work was told to stop.
  bool stopped() const { return stopped_; }
  void Finish() { bar_.Finish(); }

 private:
  RowProgressBar bar_;
  std::uint64_t last_ = 0;
  std::uint64_t expected_ = 0;
  bool stopped_ = false;
};

}  // namespace talea::cli
