#include "terminal/numbers.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <string_view>

namespace talea {
namespace {

std::string Grouped(std::string digits) {
  const std::ptrdiff_t first = digits.starts_with('-') ? 1 : 0;
  for (auto place = std::ssize(digits) - 3; place > first; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

}  // namespace

std::string ShortNumber(double value) {
  constexpr std::array<std::string_view, 7> prefixes = {"", " k", " M", " G", " T", " P", " E"};
  if (!std::isfinite(value)) return fmt::to_string(value);
  std::size_t prefix = 0;
  // Rounded to three digits, 999,500 is 1 M already.
  while (std::abs(value) >= 999.5 && prefix + 1 < prefixes.size()) {
    value /= 1000;
    ++prefix;
  }
  return fmt::format("{:.3g}{}", value, prefixes[prefix]);
}

std::string ShortBytes(double bytes) {
  const std::string number = ShortNumber(bytes);
  return number + (std::abs(bytes) < 999.5 ? " B" : "B");
}

std::string FullNumber(std::int64_t value) { return Grouped(fmt::to_string(value)); }
std::string FullNumber(std::uint64_t value) { return Grouped(fmt::to_string(value)); }

std::string ShortDuration(std::chrono::duration<double> elapsed) {
  const auto seconds = static_cast<std::int64_t>(std::llround(elapsed.count()));
  const std::int64_t minutes = seconds / 60;
  if (minutes < 60) return fmt::format("{}:{:02}", minutes, seconds % 60);
  return fmt::format("{}:{:02}:{:02}", minutes / 60, minutes % 60, seconds % 60);
}

std::string Counted(std::uint64_t count, const std::string& one) {
  return FullNumber(count) + " " + one + (count == 1 ? "" : "s");
}

}  // namespace talea
