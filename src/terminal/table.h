// Rows in aligned columns.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "terminal/screen.h"

namespace talea {

enum class Align : std::uint8_t { left, right };

struct Column {
  std::string title;  // no line of titles if all are empty
  Align align = Align::left;
};

struct Table {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  // each has a cell for every column
};

// A line of titles, and one for each row. On a terminal the widest columns of text are cut until it
// fits; numbers, which are aligned to the right, never are, and nothing is where a program may read
// it.
std::string DrawTable(const Table& table, const Screen& screen);

}  // namespace talea
