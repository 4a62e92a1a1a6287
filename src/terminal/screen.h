// What an output can show: how wide it is, whether it takes more than ASCII, and colours.
//
// All that draws (bar_chart.h, sparkline.h, table.h) is a pure function of its data and a Screen.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace talea {

struct Screen {
  bool terminal = false;   // a person looks at it; lines that are too long may be cut
  std::size_t width = 80;  // in columns
  bool unicode = false;    // block characters; otherwise ASCII
  bool color = false;

  // The text in bold or in a colour, where there are colours.
  std::string Bold(std::string_view text) const;
  std::string Colored(std::string_view text) const;
  std::string Alarming(std::string_view text) const;
};

// What decides it, so that tests can say.
struct ScreenFacts {
  bool terminal = false;
  std::optional<std::size_t> columns;  // as the terminal tells
  std::string_view locale;             // LC_ALL, else LC_CTYPE, else LANG
  std::string_view term;               // TERM
  bool no_color = false;               // NO_COLOR is set, and not empty
};

// Outside of a terminal it is 80 columns of plain ASCII. On one, blocks are drawn where the locale
// is UTF-8, and colours unless NO_COLOR forbids them or the terminal is a dumb one.
Screen DescribeScreen(const ScreenFacts& facts);

// The screen behind a file descriptor of this process.
Screen DetectScreen(int descriptor);

}  // namespace talea
