// Horizontal bars, each with a label and a number.
#pragma once

#include <span>
#include <string>

#include "terminal/screen.h"

namespace talea {

struct Bar {
  std::string label;
  double value = 0;
  std::string text = {};  // the value as it is shown; ShortNumber's if empty
};

// One line for each bar, in the order given; no bars, no lines. The longest fills the width, all
// are to the same scale from 0, and none but 0 itself is without a mark. Below 0 bars reach to the
// left. A value that is not finite has no bar.
std::string DrawBarChart(std::span<const Bar> bars, const Screen& screen);

}  // namespace talea
