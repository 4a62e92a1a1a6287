// Any bytes are read as CSV to the end, however they arrive; and what was read, written again with
// quotes around everything, is read as the same.
#include <algorithm>
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

// Hands out a byte at a time, as a slow pipe would.
class SlowBuffer : public std::stringbuf {
 public:
  using std::stringbuf::stringbuf;

 protected:
  std::streamsize xsgetn(char* to, std::streamsize size) override {
    return std::stringbuf::xsgetn(to, std::min<std::streamsize>(size, 1));
  }
};

struct Reading {
  Records records;
  std::vector<std::string> problems;
  friend bool operator==(const Reading&, const Reading&) = default;
};

Reading ReadAll(std::istream& in, std::size_t bytes) {
  CsvReader reader(in, 1000);
  Reading reading;
  std::uint64_t before = 0;
  while (true) {
    const auto record = reader.Next();
    if (!record) {
      TALEA_CHECK(record.error().code() == ErrorCode::invalid_argument);
      TALEA_CHECK(reader.bytes() > before);  // or it would never end
      before = reader.bytes();
      reading.problems.push_back(record.error().message());
      continue;
    }
    if (!*record) break;
    TALEA_CHECK(!(*record)->fields.empty());
    before = reader.bytes();
    reading.records.push_back((*record)->fields);
  }
  TALEA_CHECK(reader.bytes() == bytes);
  return reading;
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
  std::istringstream in(bytes);
  const Reading reading = ReadAll(in, bytes.size());
  SlowBuffer slow(bytes);
  std::istream slowly(&slow);
  TALEA_CHECK(ReadAll(slowly, bytes.size()) == reading);

  const std::string written = Written(reading.records);
  std::istringstream again(written);
  CsvReader reader(again);
  for (const auto& record : reading.records) {
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
