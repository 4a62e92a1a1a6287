// A row of numbers as a line of small columns.
#pragma once

#include <span>
#include <string>

#include "terminal/screen.h"

namespace talea {

// One character for each value, from the least of them and 0 at the bottom to the largest at the
// top: ▁▂▅█, or ASCII. More values than the screen is wide share columns, each as high as its
// highest, so that no peak is lost. A value that is not finite is a gap.
std::string DrawSparkline(std::span<const double> values, const Screen& screen);

}  // namespace talea
