#include "terminal/bar_chart.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "terminal/numbers.h"
#include "terminal/text.h"

namespace talea {
namespace {

// What all lines have in common: three columns, and how the middle one is divided at 0.
struct Layout {
  std::size_t label_width = 0;
  std::size_t text_width = 0;
  std::size_t left_width = 0;   // for bars below 0
  std::size_t right_width = 0;  // for bars above 0
  double columns_per_unit = 0;
};

constexpr std::size_t gap = 2;  // between columns
constexpr std::size_t least_bar_width = 4;

std::string TextOf(const Bar& bar) {
  return bar.text.empty() ? ShortNumber(bar.value) : Showable(bar.text);
}

double Finite(double value) { return std::isfinite(value) ? value : 0; }

// Divides the columns between the longest bars on both sides of 0.
void DivideAtZero(Layout& layout, std::span<const Bar> bars, std::size_t width) {
  double least = 0;
  double most = 0;
  for (const Bar& bar : bars) {
    least = std::min(least, Finite(bar.value));
    most = std::max(most, Finite(bar.value));
  }
  const double columns = static_cast<double>(width);
  // Halved first: the distance of two huge numbers need not be a number.
  const double half_span = most / 2 - least / 2;
  if (half_span <= 0) {
    layout.right_width = width;
    return;
  }
  if (least < 0) {
    const double share = most > 0 ? -least / 2 / half_span : 1;
    const auto left = static_cast<std::size_t>(std::lround(columns * share));
    layout.left_width = most > 0 ? std::clamp<std::size_t>(left, 1, width - 1) : width;
  }
  layout.right_width = width - layout.left_width;
  const double left_scale = static_cast<double>(layout.left_width) / -least;
  const double right_scale = static_cast<double>(layout.right_width) / most;
  layout.columns_per_unit = least == 0  ? right_scale
                            : most == 0 ? left_scale
                                        : std::min(left_scale, right_scale);
}

Layout MakeLayout(std::span<const Bar> bars, const Screen& screen) {
  Layout layout;
  for (const Bar& bar : bars) {
    layout.label_width = std::max(layout.label_width, TextWidth(Showable(bar.label)));
    layout.text_width = std::max(layout.text_width, TextWidth(TextOf(bar)));
  }
  const std::size_t fixed = layout.text_width + 2 * gap;
  const std::size_t room = screen.width - std::min(screen.width, fixed + least_bar_width);
  layout.label_width = std::min({layout.label_width, screen.width * 2 / 5, room});
  const std::size_t taken = layout.label_width + fixed;
  DivideAtZero(layout, bars,
               std::max(least_bar_width, screen.width - std::min(screen.width, taken)));
  return layout;
}

std::string Repeated(std::string_view block, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += block;
  return text;
}

// A length in columns, in whole parts of one; at least one part, so that little is not nothing.
std::size_t Parts(double length, std::size_t parts_in_column, std::size_t width) {
  if (length <= 0) return 0;
  const double parts = std::round(length * static_cast<double>(parts_in_column));
  return std::clamp<std::size_t>(static_cast<std::size_t>(parts), 1, width * parts_in_column);
}

std::string BlocksToTheRight(double length, std::size_t width, const Screen& screen) {
  if (!screen.unicode) return std::string(Parts(length, 1, width), '#');
  constexpr std::array<std::string_view, 8> ends{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const std::size_t eighths = Parts(length, 8, width);
  return Repeated("█", eighths / 8).append(ends[eighths % 8]);
}

// To the left Unicode has halves and no eighths.
std::string BlocksToTheLeft(double length, std::size_t width, const Screen& screen) {
  if (!screen.unicode) return std::string(Parts(length, 1, width), '#');
  const std::size_t halves = Parts(length, 2, width);
  return std::string(halves % 2 == 1 ? "▐" : "").append(Repeated("█", halves / 2));
}

std::string DrawBar(double value, const Layout& layout, const Screen& screen) {
  const double length = Finite(value) * layout.columns_per_unit;
  const std::string left = BlocksToTheLeft(-length, layout.left_width, screen);
  const std::string right = BlocksToTheRight(length, layout.right_width, screen);
  return std::string(layout.left_width - TextWidth(left), ' ') + screen.Colored(left) +
         screen.Colored(right) + std::string(layout.right_width - TextWidth(right), ' ');
}

}  // namespace

std::string DrawBarChart(std::span<const Bar> bars, const Screen& screen) {
  const Layout layout = MakeLayout(bars, screen);
  const std::string space(gap, ' ');
  std::string lines;
  for (const Bar& bar : bars) {
    const std::string label = CutToWidth(Showable(bar.label), layout.label_width, screen);
    lines += PadRight(label, layout.label_width) + space + DrawBar(bar.value, layout, screen) +
             space + PadLeft(TextOf(bar), layout.text_width) + "\n";
  }
  return lines;
}

}  // namespace talea
