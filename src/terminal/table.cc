#include "terminal/table.h"

#include <algorithm>
#include <numeric>

#include "terminal/text.h"

namespace talea {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t least_width = 4;  // of a column that is cut

std::vector<std::size_t> NaturalWidths(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    std::size_t width = TextWidth(table.columns[column].title);
    for (const auto& row : table.rows) width = std::max(width, TextWidth(Showable(row[column])));
    widths.push_back(width);
  }
  return widths;
}

// Takes a column off the widest text for as long as that is needed, and there is one to cut.
void Shrink(std::vector<std::size_t>& widths, const Table& table, std::size_t screen_width) {
  const std::size_t gaps = gap * (widths.size() - 1);
  std::size_t total = std::accumulate(widths.begin(), widths.end(), gaps);
  while (total > screen_width) {
    std::size_t* widest = nullptr;
    for (std::size_t column = 0; column < widths.size(); ++column) {
      const bool cuttable =
          table.columns[column].align == Align::left && widths[column] > least_width;
      if (cuttable && (widest == nullptr || widths[column] > *widest)) widest = &widths[column];
    }
    if (widest == nullptr) return;
    --*widest;
    --total;
  }
}

std::string DrawRow(const std::vector<std::string>& cells, const std::vector<Column>& columns,
                    const std::vector<std::size_t>& widths, const Screen& screen) {
  std::string line;
  for (std::size_t column = 0; column < columns.size(); ++column) {
    if (column > 0) line.append(gap, ' ');
    const std::string cell = CutToWidth(Showable(cells[column]), widths[column], screen);
    line += columns[column].align == Align::right ? PadLeft(cell, widths[column])
                                                  : PadRight(cell, widths[column]);
  }
  line.erase(line.find_last_not_of(' ') + 1);
  return line;
}

}  // namespace

std::string DrawTable(const Table& table, const Screen& screen) {
  if (table.columns.empty()) return {};
  std::vector<std::size_t> widths = NaturalWidths(table);
  if (screen.terminal) Shrink(widths, table, screen.width);
  std::vector<std::string> titles;
  for (const Column& column : table.columns) titles.push_back(column.title);
  std::string lines;
  if (std::ranges::any_of(titles, [](const std::string& title) { return !title.empty(); })) {
    lines += screen.Bold(DrawRow(titles, table.columns, widths, screen)) + "\n";
  }
  for (const auto& row : table.rows) {
    lines += DrawRow(row, table.columns, widths, screen) + "\n";
  }
  return lines;
}

}  // namespace talea
