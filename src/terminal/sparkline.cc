#include "terminal/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string_view>
#include <vector>

namespace talea {
namespace {

constexpr std::array<std::string_view, 8> blocks{"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 8> letters{"_", ".", "-", "=", "+", "*", "%", "#"};

double Highest(std::span<const double> values) {
  double highest = std::numeric_limits<double>::quiet_NaN();
  for (const double value : values) {
    if (std::isfinite(value) && !(value <= highest)) highest = value;
  }
  return highest;
}

std::vector<double> SharedColumns(std::span<const double> values, std::size_t width) {
  if (values.size() <= width) return {values.begin(), values.end()};
  std::vector<double> columns;
  for (std::size_t column = 0; column < width; ++column) {
    const std::size_t begin = column * values.size() / width;
    const std::size_t end = (column + 1) * values.size() / width;
    columns.push_back(Highest(values.subspan(begin, end - begin)));
  }
  return columns;
}

// Which of the eight heights; halves keep the distance of the largest numbers a number.
std::size_t Height(double value, double bottom, double top) {
  if (top <= bottom) return 0;
  const double share = (value / 2 - bottom / 2) / (top / 2 - bottom / 2);
  const auto height = static_cast<std::size_t>(std::lround(share * 7));
  return std::min<std::size_t>(std::max<std::size_t>(height, value > bottom ? 1 : 0), 7);
}

}  // namespace

std::string DrawSparkline(std::span<const double> values, const Screen& screen) {
  double bottom = 0;
  double top = 0;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    bottom = std::min(bottom, value);
    top = std::max(top, value);
  }
  std::string line;
  for (const double value : SharedColumns(values, screen.width)) {
    const auto& heights = screen.unicode ? blocks : letters;
    line += std::isfinite(value) ? heights[Height(value, bottom, top)] : " ";
  }
  return screen.Colored(line);
}

}  // namespace talea
