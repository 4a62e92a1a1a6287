#include "keyspace/tuple_format.h"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <string>
#include <vector>

#include "keyspace/tuple_testing.h"

namespace talea {
namespace {

using testing::FromHex;
using tuple_format::TypeOf;
using tuple_format::UnsupportedName;

// The cells of a row of a table whose first one is a code, without their backticks.
std::vector<std::string> CellsOf(const std::string& line) {
  std::vector<std::string> cells;
  if (!line.starts_with("| `0x")) return cells;
  for (std::size_t begin = 1; begin < line.size();) {
    const std::size_t end = std::min(line.find(" |", begin), line.size());
    std::string cell = line.substr(begin + 1, end - begin - 1);
    if (cell.starts_with('`') && cell.ends_with('`')) cell = cell.substr(1, cell.size() - 2);
    cells.push_back(cell);
    begin = end + 2;
  }
  return cells;
}

struct Documented {
  std::set<int> supported;
  std::set<int> unsupported;
};

void CheckExample(const std::string& tuple, const std::string& hex) {
  const std::string packed = FromHex(hex);
  const Result<Tuple> unpacked = Unpack(packed);
  ASSERT_TRUE(unpacked) << hex << ": " << unpacked.error();
  EXPECT_EQ(ToString(*unpacked), tuple);
  EXPECT_EQ(Pack(*unpacked), packed) << tuple;
}

// Checks every row of docs/formats/tuple.md, and returns the codes that it lists.
Documented CheckDocument(std::istream& document) {
  Documented documented;
  for (std::string line; std::getline(document, line);) {
    const std::vector<std::string> cells = CellsOf(line);
    if (cells.empty()) continue;
    const int first = std::stoi(cells[0], nullptr, 16);
    if (cells.size() == 5) {
      CheckExample(cells[3], cells[4]);
      EXPECT_EQ(FromHex(cells[4]).front(), static_cast<char>(first)) << line;
      documented.supported.insert(first);
      continue;
    }
    const std::size_t to = cells[0].find("to `");
    const int last =
        to == std::string::npos ? first : std::stoi(cells[0].substr(to + 4), nullptr, 16);
    for (int code = first; code <= last; ++code) {
      EXPECT_EQ(UnsupportedName(static_cast<std::uint8_t>(code)), cells[1]) << line;
      documented.unsupported.insert(code);
    }
  }
  return documented;
}

TEST(TupleFormat, IsAsDocumented) {
  std::ifstream document("docs/formats/tuple.md");
  ASSERT_TRUE(document) << "run from the root of the repository";
  const Documented documented = CheckDocument(document);
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    EXPECT_EQ(TypeOf(byte).has_value(), documented.supported.contains(code)) << std::hex << code;
    EXPECT_EQ(!UnsupportedName(byte).empty(), documented.unsupported.contains(code))
        << std::hex << code;
  }
}

TEST(TupleFormat, TellsUnsupportedCodesFromDamage) {
  for (int code = 0; code < 256; ++code) {
    const auto byte = static_cast<std::uint8_t>(code);
    if (TypeOf(byte)) continue;
    const Result<Tuple> unpacked = Unpack(std::string(20, static_cast<char>(byte)));
    ASSERT_FALSE(unpacked) << std::hex << code;
    EXPECT_EQ(unpacked.error().code(),
              UnsupportedName(byte).empty() ? ErrorCode::corruption : ErrorCode::unsupported);
  }
}

}  // namespace
}  // namespace talea
