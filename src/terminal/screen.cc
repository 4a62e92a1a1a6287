#include "terminal/screen.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>

namespace talea {
namespace {

constexpr std::size_t narrowest = 20;  // below this a chart says nothing, and lines may wrap

std::string Dressed(bool color, std::string_view code, std::string_view text) {
  return color && !text.empty() ? fmt::format("\x1b[{}m{}\x1b[0m", code, text) : std::string(text);
}

std::string_view Variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view() : value;
}

// As the C library has it: the first of these that is set and not empty.
std::string_view Locale() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    if (const std::string_view value = Variable(name); !value.empty()) return value;
  }
  return {};
}

bool IsUtf8(std::string_view locale) {
  return std::ranges::any_of(
      std::array<std::string_view, 4>{"UTF-8", "utf-8", "UTF8", "utf8"},
      [&](std::string_view name) { return locale.find(name) != std::string_view::npos; });
}

std::optional<std::size_t> Columns(int descriptor) {
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return std::nullopt;
  return size.ws_col;
}

}  // namespace

std::string Screen::Bold(std::string_view text) const { return Dressed(color, "1", text); }
std::string Screen::Colored(std::string_view text) const { return Dressed(color, "36", text); }
std::string Screen::Alarming(std::string_view text) const { return Dressed(color, "31", text); }

Screen DescribeScreen(const ScreenFacts& facts) {
  if (!facts.terminal) return {};
  return {.terminal = true,
          .width = std::max(narrowest, facts.columns.value_or(Screen().width)),
          .unicode = IsUtf8(facts.locale),
          .color = !facts.no_color && facts.term != "dumb" && !facts.term.empty()};
}

Screen DetectScreen(int descriptor) {
  return DescribeScreen({.terminal = ::isatty(descriptor) == 1,
                         .columns = Columns(descriptor),
                         .locale = Locale(),
                         .term = Variable("TERM"),
                         .no_color = !Variable("NO_COLOR").empty()});
}

}  // namespace talea
