// Any bytes are read as CSV to the end; and what was read, written again with quotes around
// everything, is read as the same.
#include <cstddef>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "base/check.h"
#include "cli/csv_reader.h"

namespace talea::cli {
namespace {

using Records = std::vector<std::vector<std::string>>;

Records ReadAll(const std::string& bytes) {
  std::istringstream in(bytes);
  CsvReader reader(in, 1000);
  Records records;
  std::uint64_t before = 0;
  while (true) {
    const auto record = reader.Next();
    if (!record) {
      TALEA_CHECK(record.error().code() == ErrorCode::invalid_argument);
      TALEA_CHECK(reader.bytes() > before);  // or it would never end
      before = reader.bytes();
      continue;
    }
    if (!*record) break;
    TALEA_CHECK(!(*record)->fields.empty());
    before = reader.bytes();
    records.push_back((*record)->fields);
  }
  TALEA_CHECK(reader.bytes() == bytes.size());
  return records;
}

std::string Written(const Records& records) {
  std::string text;
  for (const auto& record : records) {
    for (std::size_t field = 0; field < record.size(); ++field) {
      text += field == 0 ? "\"" : ",\"";
      for (const char byte : record[field]) text += byte == '"' ? "\"\"" : std::string(1, byte);
      text += "\"";
    }
    text += "\r\n";
  }
  return text;
}

void Check(const std::string& bytes) {
  const Records records = ReadAll(bytes);
  const std::string written = Written(records);
  std::istringstream again(written);
  CsvReader reader(again);
  for (const auto& record : records) {
    TALEA_CHECK(reader.Next().value().value().fields == record);
  }
  TALEA_CHECK(!reader.Next().value());
}

}  // namespace
}  // namespace talea::cli

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  talea::cli::Check(std::string(reinterpret_cast<const char*>(data), size));
  return 0;
}
